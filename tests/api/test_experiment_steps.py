"""An experiment's steps on servers that have no words for them."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles.old_servers import EXPERIMENT, FLAG, PAUSED, RUNNING, STOPPED, Old
from tests.doubles.servers import MakeClient

from flagtui.api import errors

NOW = "2023-11-14T22:13:20Z"


@pytest.mark.parametrize(
    ("word", "before", "written"),
    [
        ("launch", EXPERIMENT, {"start_date": NOW}),
        ("end", RUNNING, {"end_date": NOW, "conclusion": None, "conclusion_comment": None}),
        ("archive", STOPPED, {"archived": True}),
        ("unarchive", STOPPED, {"archived": False}),
        (
            "reset",
            STOPPED,
            {"start_date": None, "end_date": None, "archived": False, "conclusion": None,
             "conclusion_comment": None},
        ),
    ],
)  # fmt: skip
async def test_experiment_steps_are_patches_where_endpoints_are_missing(
    make_client: MakeClient, word: str, before: dict[str, Any], written: dict[str, Any]
) -> None:
    server = Old(experiment=before)
    await getattr(make_client(server).experiments, word)(12)
    assert server.writes == [("experiments", "12", written)]


@pytest.mark.parametrize(("word", "before", "on"), [("pause", RUNNING, False), ("resume", PAUSED, True)])
async def test_pausing_changes_the_flag_where_the_endpoint_is_missing(
    make_client: MakeClient, word: str, before: dict[str, Any], on: bool
) -> None:
    server = Old(experiment=before)
    await getattr(make_client(server).experiments, word)(12)
    assert server.writes == [("feature_flags", "5", {"active": on})]


@pytest.mark.parametrize(
    ("word", "before"),
    [("launch", RUNNING), ("end", STOPPED), ("end", EXPERIMENT), ("archive", RUNNING), ("pause", PAUSED),
     ("resume", RUNNING), ("reset", EXPERIMENT)],
)  # fmt: skip
async def test_the_state_is_checked_where_the_server_would_not(
    make_client: MakeClient, word: str, before: dict[str, Any]
) -> None:
    server = Old(experiment=before)
    with pytest.raises(errors.Invalid) as caught:
        await getattr(make_client(server).experiments, word)(12)
    assert server.writes == []
    assert not caught.value.sent


async def test_shipping_changes_the_flag_where_the_endpoint_is_missing(make_client: MakeClient) -> None:
    shares = (("control", 50), ("test", 50), (["odd"], 0))
    variants = [{"key": key, "rollout_percentage": share} for key, share in shares]
    flag = FLAG | {
        "filters": {"groups": [{"rollout_percentage": 20}], "multivariate": {"variants": variants}, "x": 1}
    }
    server = Old(flag=flag, experiment=RUNNING)
    experiments = make_client(server).experiments
    with pytest.raises(errors.Invalid):
        await experiments.ship_variant(12, "zzz")
    assert server.writes == []
    await experiments.ship_variant(12, "test", everyone=True, conclusion="won")
    [(_, _, of_flag), (_, _, of_experiment)] = server.writes
    shipped = [
        {**variant, "rollout_percentage": share} for variant, share in zip(variants, (0, 100, 0), strict=True)
    ]
    assert of_flag["filters"] == {
        "groups": [{"properties": [], "rollout_percentage": 100}, {"rollout_percentage": 20}],
        "multivariate": {"variants": shipped},
        "x": 1,
    }
    assert (of_flag["version"], of_flag["original_flag"]) == (3, {"filters": flag["filters"]})
    assert of_experiment == {"end_date": NOW, "conclusion": "won"}


@pytest.mark.parametrize(("everyone", "parameter"), [(True, "POST"), (False, "PATCH")])
async def test_variant_for_everyone_omits_targeting_where_the_server_allows(
    make_client: MakeClient, everyone: bool, parameter: str
) -> None:
    shared = {"variants": [{"key": key, "rollout_percentage": 50} for key in ("control", "test")]}
    flag = FLAG | {"filters": {"groups": [], "multivariate": shared}}
    old = Old(flag=flag, experiment=STOPPED)
    bodies: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if "/feature_flags/" in request.url.path and request.method != "GET":
            bodies.append((request.method, json.loads(request.content)))
            return httpx.Response(200, json=flag)
        return old(request)

    await make_client(answer).experiments.ship_variant(12, "test", everyone=everyone)
    [(method, body)] = bodies
    assert method == parameter
    assert ("filters" in body) is not everyone
    if everyone:
        assert body == {"version": 3, "variant_key": "test"}

"""Questions about a flag, on servers that respond differently."""

from typing import Any

import httpx
import pytest
from tests.doubles.log_entries import log_entry
from tests.doubles.old_servers import FLAG, NO_PLACE
from tests.doubles.servers import MakeClient, Recording, StillClock, always, in_turn
from tests.doubles.targeting import asks_flag, group

from flagtui.api import errors


async def test_dependents_come_from_the_list_where_servers_lack_them(make_client: MakeClient) -> None:
    filters = {"groups": [group(100, asks_flag("5"))]}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("dependent_flags/"):
            return httpx.Response(404, json=NO_PLACE)
        rows = [FLAG, {"id": 9, "key": "child", "active": True, "filters": filters},
                {"id": 10, "key": "off", "active": False, "filters": filters}]  # fmt: skip
        return httpx.Response(200, json={"count": 3, "results": rows})

    dependents = await make_client(answer).flags.dependents(5)
    assert [(flag.id, flag.key, flag.name) for flag in dependents] == [(9, "child", "child")]


async def test_a_version_is_put_together_from_the_activity(make_client: MakeClient) -> None:
    second = log_entry(version=(2, 3), active=(False, "?"))
    first = log_entry(version=(1, 2), name=("First", "?"), filters=({"groups": [1]}, "?"))

    def answer(request: httpx.Request) -> httpx.Response:
        if "/versions/" in request.url.path:
            return httpx.Response(404, json=NO_PLACE)
        if request.url.path.endswith("/activity/"):
            return httpx.Response(200, json={"results": [second.raw, first.raw], "next": None})
        return httpx.Response(200, json=FLAG | {"name": "Third"})

    flags = make_client(answer).flags
    flag = await flags.version(5, 1)
    assert (flag.name, flag.active, flag.filters, flag.version) == ("First", False, {"groups": [1]}, 1)
    flag = await flags.version(5, 2)
    assert (flag.name, flag.active) == ("Third", False)
    with pytest.raises(errors.EndpointNotFound):
        await flags.version(5, 9)


@pytest.mark.parametrize("names", [("affected", "total"), ("users_affected", "total_users")])
async def test_the_reach_is_read_under_both_names(make_client: MakeClient, names: tuple[str, str]) -> None:
    answer = always(200, dict(zip(names, (120, 4_000), strict=True)))
    reach = await make_client(answer).flags.blast_radius({"properties": []})
    assert (reach.affected, reach.total, reach.at(25)) == (120, 4_000, 30)


async def test_an_evaluation_falls_back_to_its_reason(make_client: MakeClient) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if "test_evaluation" in request.url.path:
            return httpx.Response(404, json=NO_PLACE)
        reasons = {"a": {"value": "test", "evaluation": {"reason": "condition_match", "condition_index": 1}}}
        return httpx.Response(200, json=reasons)

    trial = await make_client(answer).evaluation.test_evaluation(5, "a", "u1")
    assert (trial.result, trial.reason, trial.condition_index) == ("test", "condition_match", 1)


@pytest.mark.parametrize(
    ("stored", "value"),
    [('{"a": 1}', {"a": 1}), ("NaN", "NaN"), ("[" * 900 + "]" * 900, "[" * 900 + "]" * 900)],
)
async def test_payload_that_is_not_json_is_text(make_client: MakeClient, stored: str, value: object) -> None:
    assert await make_client(always(200, stored)).evaluation.remote_config("a") == value


async def test_definitions_are_asked_for_where_newer_servers_keep_them(make_client: MakeClient) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        match request.url.path:
            case "/api/projects/1/":
                return httpx.Response(200, json={"id": 1, "api_token": "phc_x"})
            case "/flags/definitions":
                if request.headers.get("if-none-match") == 'W/"7"':
                    return httpx.Response(304)
                body = {"flags": [FLAG], "group_type_mapping": {}, "cohorts": {}}
                return httpx.Response(200, json=body, headers={"ETag": 'W/"7"'})
            case _:
                return httpx.Response(404, json=NO_PLACE | {"detail": "Not found."})

    evaluation = make_client(answer).evaluation
    definitions = await evaluation.local_evaluation()
    assert definitions is not None
    assert (definitions.flags, definitions.etag) == ((FLAG,), 'W/"7"')
    assert await evaluation.local_evaluation(etag=definitions.etag) is None


async def test_slow_query_is_polled_until_it_is_done(make_client: MakeClient, clock: StillClock) -> None:
    def status(code: int, **fields: Any) -> httpx.Response:
        return httpx.Response(code, json={"query_status": {"id": "q1", "complete": False, **fields}})

    result = {"baseline": {"key": "control"}, "variant_results": []}
    looks = (status(200), status(200), status(200, complete=True, results=result))
    server = Recording(in_turn(status(202), *looks))
    metric_result = await make_client(server).results.result(12, {"kind": "ExperimentMetric"})
    assert metric_result.baseline is not None
    assert [request.method for request in server.requests] == ["POST", "GET", "GET", "GET"]
    assert len(clock.waits) == 3


@pytest.mark.parametrize(("body", "words"), [
    ({"complete": True, "error_message": "too\x1b slow"}, "could not calculate it: too␛ slow"),
    ({"complete": False}, "could not calculate it."),
])  # fmt: skip
async def test_query_that_failed_says_why(make_client: MakeClient, body: dict[str, Any], words: str) -> None:
    answer = always(200, {"query_status": {"id": "q1", "results": None, "error": True, **body}})
    with pytest.raises(errors.NotCalculated) as caught:
        await make_client(answer).results.result(12, {"kind": "ExperimentMetric"})
    assert words in caught.value.what
    assert not caught.value.sent

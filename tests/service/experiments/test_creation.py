"""Making experiments: scenarios 1, 4 to 8, 37 and 38."""

from typing import Any

import pytest
from tests.service.experiments.conftest import (
    HALVES,
    HELD_BACK,
    MEAN,
    THIRDS,
    Service,
    body_of,
    listed,
    shares_of,
    variants_of,
)


def keys_of(experiment: Any) -> list[str]:
    return [variant["key"] for variant in experiment["parameters"]["feature_flag_variants"]]


async def test_scenarios_1_and_38_smallest_body_has_defaults(service: Service) -> None:
    made = await service.create()
    assert (made["status"], made["name"], made["type"]) == ("draft", "Blue button", "product")
    flag = await service.flag_of(made)
    expected = ("blue-button", False, "Feature Flag for Experiment Blue button")
    assert (flag["key"], flag["active"], flag["name"]) == expected
    assert shares_of(made) == [("control", 50), ("test", 50)]
    assert made["parameters"]["feature_flag_variants"][0]["split_percent"] == 50
    assert made["parameters"]["rollout_percentage"] == 100
    assert made["exposure_criteria"] == {"filterTestAccounts": True}
    assert made["stats_config"] == {"method": "bayesian"}
    assert [entry["activity"] for entry in await service.log_of(made)] == ["created"]
    sent = {
        "exposure_criteria": {"filterTestAccounts": False},
        "stats_config": {"version": 2},
        "name": "n" * 400,
    }
    other = await service.create("other", **sent)
    assert other["exposure_criteria"] == {"filterTestAccounts": False}
    assert other["stats_config"] == {"method": "bayesian", "version": 2}


TWENTY = {"control": 5, **{f"v{number}": 5 for number in range(19)}}
SPLIT = [{"key": "control", "split_percent": 70, "rollout_percentage": 50}, {"key": "t", "split_percent": 30}]


@pytest.mark.parametrize(("variants", "expected"), [
    (listed(THIRDS), THIRDS),
    (listed(TWENTY), TWENTY),
    (listed({"Control": 50, "b": 50}), {"control": 50, "b": 50}),
    (SPLIT, {"control": 70, "t": 30}),
], ids=["in their order", "twenty of them", "a capital control", "split_percent wins"])  # fmt: skip
async def test_scenarios_4_and_5_variants_reach_the_flag(
    service: Service, variants: Any, expected: Any
) -> None:
    made = await service.create(parameters={"feature_flag_variants": variants})
    assert (shares_of(made), keys_of(made)) == ([*expected.items()], [*expected])
    assert "split_percent" not in made["feature_flag"]["filters"]["multivariate"]["variants"][0]


async def test_newest_servers_need_no_control(newest: Service) -> None:
    made = await newest.running("ab", parameters=variants_of(a=50, b=50), excluded_variants=None)
    assert keys_of(made) == ["a", "b"]
    await newest.flag("uncontrolled", {"a": 50, "b": 50})
    await newest.running("uncontrolled")
    thirds = body_of(parameters=variants_of(a=34, b=33, c=33))
    refusal = await newest.refused("POST", "experiments", {**thirds, "excluded_variants": ["a"]})
    assert refusal[:2] == (400, "baseline variant cannot be excluded ('a')")
    await newest.post("experiments", {**thirds, "excluded_variants": ["b"]}, 201)


@pytest.mark.parametrize(("shares", "detail"), [
    (None, "Feature flag must have at least 2 variants (control and at least one test variant)"),
    ({"a": 50, "b": 50}, "Feature flag must have a variant with key 'control'"),
])  # fmt: skip
async def test_scenario_6_an_existing_flag_needs_variants(service: Service, shares: Any, detail: str) -> None:
    await service.flag("k", shares)
    assert await service.refused("POST", "experiments", body_of()) == (400, detail, None)


@pytest.mark.parametrize("fields", [
    {"feature_flag": {"filters": {"multivariate": {"variants": listed(HALVES)}}}},
    {"feature_flag": {"ensure_experience_continuity": True}},
    {"parameters": variants_of(control=90, test=10)},
    {"parameters": {"rollout_percentage": 5}},
])  # fmt: skip
async def test_scenario_7_configuration_for_an_existing_flag_is_refused(
    service: Service, fields: Any
) -> None:
    await service.flag("k", HALVES)
    status, detail, attr = await service.refused("POST", "experiments", body_of(**fields))
    assert (status, attr) == (400, "feature_flag")
    assert detail.startswith("A feature flag with key 'k' already exists; the experiment links to it as-is")


async def test_scenarios_6_and_7_existing_flag_is_linked_unchanged(service: Service) -> None:
    flag = await service.flag("k", HALVES, active=False)
    first = await service.create("k")
    echoed = body_of(feature_flag=first["feature_flag"], parameters=first["parameters"])
    repeated = body_of(parameters=variants_of(**HALVES) | {"rollout_percentage": 100})
    for made in (first, *[await service.post("experiments", body, 201) for body in (echoed, repeated)]):
        linked = made["feature_flag"]
        assert (linked["id"], linked["active"], linked["version"]) == (flag["id"], False, flag["version"])


async def test_the_strict_flag_object_configures_a_new_flag(service: Service) -> None:
    filters = {
        "multivariate": {"variants": listed({"control": 60, "blue": 40})},
        "groups": [{"properties": [], "rollout_percentage": 80}],
        "payloads": {"blue": '{"color":"blue"}'},
    }
    made = await service.create(feature_flag={"filters": filters, "ensure_experience_continuity": True})
    stored = made["feature_flag"]
    assert stored["filters"]["groups"][0]["rollout_percentage"] == 80
    assert stored["filters"]["payloads"] == filters["payloads"]
    assert stored["ensure_experience_continuity"] is True
    assert (made["parameters"]["rollout_percentage"], shares_of(made)) == (
        80,
        [("control", 60), ("blue", 40)],
    )


async def test_scenario_8_a_start_date_launches_at_once(service: Service) -> None:
    made = await service.create(start_date="2021-12-01T10:23")
    assert (made["status"], made["feature_flag"]["active"]) == ("running", True)
    assert made["start_date"] == "2021-12-01T10:23:00Z"
    await service.flag("off", HALVES, active=False)
    assert (await service.create("off", start_date="2026-03-09T12:00:00Z"))["status"] == "paused"


async def test_scenario_37_saved_metrics_are_linked_replaced_and_removed(service: Service) -> None:
    service.define_event("bought")
    saved = await service.post("experiment_saved_metrics", {"name": "Bought", "query": MEAN}, 201)
    links = [{"id": saved["id"], "metadata": {"type": "secondary"}}]
    made = await service.create(saved_metrics_ids=links)
    (link,) = made["saved_metrics"]
    expected = (saved["id"], {"type": "secondary"}, "Bought")
    assert (link["saved_metric"], link["metadata"], link["name"]) == expected
    assert len(link["query"]["fingerprint"]) == 64
    assert made["saved_metrics_ids"] == links
    primary = {"metadata": {"type": "primary"}}
    (kept,) = (await service.edit(made, saved_metrics_ids=[{"id": saved["id"], **primary}]))["saved_metrics"]
    assert (kept["id"], kept["metadata"]) == (link["id"], {"type": "primary"})
    assert (await service.edit(made, saved_metrics_ids=[]))["saved_metrics"] == []
    detail = "Saved metric does not exist or does not belong to this project"
    refusal = await service.edit_refused(made, saved_metrics_ids=[{"id": 99, **primary}])
    assert refusal == (400, detail, "saved_metrics_ids")


@pytest.mark.parametrize("key", ["new", "there"])
async def test_holdout_of_a_new_experiment_is_on_its_flag(service: Service, key: str) -> None:
    await service.flag("there", HALVES)
    holdout = await service.post("experiment_holdouts", HELD_BACK, 201)
    made = await service.create(key, holdout_id=holdout["id"])
    assert made["holdout"]["name"] == "Held back"
    expected = {"id": holdout["id"], "exclusion_percentage": 10}
    assert made["feature_flag"]["filters"]["holdout"] == expected

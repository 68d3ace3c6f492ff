"""Lists, counts and what helps to choose: scenarios 13 to 15, 32, 33 and 40."""

from datetime import timedelta
from typing import Any

import pytest
from tests.service.experiments.conftest import HALVES, MEAN, START, STEPS, Service

LISTED = ["stopped", "paused", "running", "draft"]
BOUGHT = '[{"id":"bought"}]'


async def _names(service: Service, **query: Any) -> list[str]:
    page = await service.get("experiments", **query)
    assert page["count"] == len(page["results"])
    return [experiment["name"] for experiment in page["results"]]


async def _in_every_state(service: Service) -> None:
    """One experiment in each state, made in this order."""
    for state in STEPS:
        await service.in_state(state, state, name=state)
    await service.edit(await service.create("deleted", name="deleted"), deleted=True)


QUERIES: tuple[tuple[str, str, list[str]], ...] = (
    ("archived", "true", ["archived"]), ("archived", "no", LISTED), ("nonsense", "1", LISTED),
    ("status", "running", ["running"]), ("status", "PAUSED", ["paused"]), ("status", "draft", ["draft"]),
    ("status", "complete", ["stopped"]), ("status", "stopped", ["stopped"]), ("status", "all", LISTED),
    ("status", "zzz", LISTED), ("search", "PAU", ["paused"]), ("search", "%", []),
    ("created_by_id", "1", LISTED), ("created_by_id", "[7,8]", []), ("created_by_id", "x", LISTED),
    ("order", "-name", ["stopped", "running", "paused", "draft"]),
    ("order", "status", ["draft", "running", "paused", "stopped"]),
    ("order", "duration", LISTED),
    ("order", "-duration", ["draft", "running", "paused", "stopped"]),
    ("order", "-end_date", ["paused", "running", "draft", "stopped"]),
    ("order", "created_by", ["draft", "running", "paused", "stopped"]),
)  # fmt: skip


async def test_scenarios_14_and_15_filters_and_orders(service: Service) -> None:
    await _in_every_state(service)
    for name, value, names in QUERIES:
        assert await _names(service, **{name: value}) == names, (name, value)
    for name, value, detail in (
        ("order", "foo", "Invalid order field: 'foo'"),
        ("feature_flag_id", "x", "feature_flag_id must be an integer"),
    ):
        assert await service.refused("GET", "experiments", **{name: value}) == (400, detail, None)


async def test_by_name_flag_and_event(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics_secondary=[MEAN])
    await service.create("green-key", name="Grün")
    saved = await service.post("experiment_saved_metrics", {"name": "s", "query": MEAN}, 201)
    await service.create("third", name="third", saved_metrics_ids=[{"id": saved["id"]}])
    assert await _names(service, feature_flag_id=made["feature_flag"]["id"]) == ["Blue button"]
    assert await _names(service, event="bought") == ["third", "Blue button"]
    assert await _names(service, event="sold") == []
    assert await _names(service, search="GRÜN") == ["Grün"]
    assert await _names(service, search="-KEY") == []
    page = await service.get("experiments", limit=1, offset=1, search="r")
    assert (page["count"], [experiment["name"] for experiment in page["results"]]) == (2, ["Grün"])


async def test_scenario_32_without_events_to_sample_the_sdk_seems_missing(service: Service) -> None:
    path = "experiments/requires_flag_implementation"
    service.record(("bought", "ada", START - timedelta(days=1), {"$feature/blue": "test"}))
    actions = [
        service.insert("actions", project_id=project, name="a", steps=[{"event": "bought"}])
        for project in (1, service.add_project())
    ]
    for query, is_required in (
        ({}, True),
        ({"events": BOUGHT}, False),
        ({"events": '[{"id":"sold"}]'}, True),
        ({"actions": f'[{{"id":{actions[0]}}}]'}, False),
        ({"actions": f'[{{"id":{actions[1]}}}]'}, True),
        ({"events": "nonsense"}, True),
        ({"events": "[" * 5_000}, True),
    ):
        assert await service.get(path, **query) == {"result": is_required}, query
    service.clock.pass_(days=30)
    assert await service.get(path, events=BOUGHT) == {"result": True}


async def test_scenario_33_only_flags_an_experiment_could_use(service: Service) -> None:
    path = "experiments/eligible_feature_flags"
    await service.flag("boolean")
    await service.flag("backwards", {"test": 50, "control": 50})
    await service.flag("first", HALVES, name="Für alle")
    await service.flag("second", HALVES, active=False)
    for query, keys, count in (
        ({}, ["second", "first"], 2),
        ({"order": "key"}, ["first", "second"], 2),
        ({"search": "FIR"}, ["first"], 1),
        ({"search": "FÜR"}, ["first"], 1),
        ({"active": "false"}, ["second"], 1),
        ({"evaluation_runtime": "both"}, ["second", "first"], 2),
        ({"evaluation_runtime": "server"}, [], 0),
        ({"has_evaluation_contexts": "true"}, [], 0),
        ({"limit": 1, "offset": 1}, ["first"], 2),
    ):
        page = await service.get(path, **query)
        assert list(page) == ["results", "count"]
        assert ([flag["key"] for flag in page["results"]], page["count"]) == (keys, count), query
    response = await service.send("GET", path, limit="x")
    assert (response.status_code, response.json()) == (400, {"error": "Invalid limit or offset"})


async def test_scenario_40_the_counts_match_what_is_stored(service: Service) -> None:
    names = ("launched_last_30d", "launched_previous_30d", "active_experiments", "completed_last_30d")
    nothing = dict.fromkeys(names, 0)
    assert await service.get("experiments/stats") == {**nothing, "percent_change": 0.0}
    for days in (70, 45, 40, 10, 5, 1):
        await service.create(f"k{days}", start_date=(START - timedelta(days=days)).isoformat())
    await service.create("ended", start_date="2026-03-01T00:00:00Z", end_date="2026-03-05T00:00:00Z")
    await service.create("draft")
    counts = dict(zip(names, (4, 2, 6, 1), strict=True))
    assert await service.get("experiments/stats") == {**counts, "percent_change": 100.0}


RUNNING_TIME = "experiments/calculate_running_time"
FUNNEL: dict[str, Any] = {"metric_type": "funnel", "minimum_detectable_effect": 10}
SUMS: dict[str, Any] = {"number_of_samples": 100, "sum": 10, "step_counts": [40, 10]}


async def test_the_running_time_follows_from_a_baseline_or_from_sums(service: Service) -> None:
    page = await service.post(RUNNING_TIME, {**FUNNEL, "baseline_value": 0.1, "exposure_rate_per_day": 1_000})
    sample = {"recommended_sample_size": 28_800, "recommended_running_time_days": 29}
    assert page == {"baseline_value": 0.1, "variance": None, **sample}
    assert (await service.post(RUNNING_TIME, {**FUNNEL, "baseline_stats": SUMS}))["baseline_value"] == 0.1


NO_LIST = 'Expected a list of items but got type "int".'


@pytest.mark.parametrize(("body", "detail", "attr"), [
    ({"metric_type": "x"}, '"x" is not a valid choice.', "metric_type"),
    ({"metric_type": "funnel"}, "This field is required.", "minimum_detectable_effect"),
    (FUNNEL | {"baseline_stats": SUMS | {"step_counts": 5}}, NO_LIST, "baseline_stats__step_counts"),
])  # fmt: skip
async def test_invalid_running_time_is_refused(service: Service, body: Any, detail: str, attr: str) -> None:
    assert await service.refused("POST", RUNNING_TIME, body) == (400, detail, attr)

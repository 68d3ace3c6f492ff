"""Lists, counts and what helps to choose: scenarios 13 to 15, 32, 33 and 40."""

from datetime import timedelta
from typing import Any

from tests.service.experiments.conftest import HALVES, MEAN, START, Service, Start

from flagtui.service.experiments.fields import IN_A_LIST
from flagtui.service.generations import NEWEST


async def _names(service: Service, **query: Any) -> list[str]:
    page = await service.get("experiments", **query)
    assert page["count"] == len(page["results"])
    return [experiment["name"] for experiment in page["results"]]


async def _in_every_state(service: Service) -> None:
    """One experiment in each state, made in this order."""
    await service.create("draft", name="draft")
    await service.running("running", name="running")
    paused = await service.running("paused", name="paused")
    await service.post(f"experiments/{paused['id']}/pause")
    stopped = await service.running("stopped", name="stopped")
    await service.post(f"experiments/{stopped['id']}/end")
    archived = await service.running("archived", name="archived")
    await service.post(f"experiments/{archived['id']}/end")
    await service.post(f"experiments/{archived['id']}/archive")
    deleted = await service.create("deleted", name="deleted")
    await service.patch(f"experiments/{deleted['id']}", {"deleted": True})


async def test_scenario_13_the_newest_first_and_slim(start: Start) -> None:
    newest: Service = await start(newest=True)
    await _in_every_state(newest)
    assert await _names(newest) == ["stopped", "paused", "running", "draft"]
    row = (await newest.get("experiments"))["results"][0]
    hidden = NEWEST.body(IN_A_LIST).hidden
    assert len(hidden) == 13
    whole = await newest.get(f"experiments/{row['id']}")
    assert row == {name: value for name, value in whole.items() if name not in hidden}


async def test_lists_have_whole_experiments_but_on_newest_servers(service: Service, legacy: Service) -> None:
    for served in (service, legacy):
        made = await served.create()
        assert (await served.get("experiments"))["results"] == [made]


QUERIES: tuple[tuple[dict[str, str], list[str]], ...] = (
    ({"archived": "true"}, ["archived"]),
    ({"archived": "no"}, ["stopped", "paused", "running", "draft"]),
    ({"status": "running"}, ["running"]),
    ({"status": "PAUSED"}, ["paused"]),
    ({"status": "complete"}, ["stopped"]),
    ({"status": "stopped"}, ["stopped"]),
    ({"status": "draft"}, ["draft"]),
    ({"status": "all"}, ["stopped", "paused", "running", "draft"]),
    ({"status": "zzz"}, ["stopped", "paused", "running", "draft"]),
    ({"search": "PAU"}, ["paused"]),
    ({"search": "%"}, []),
    ({"created_by_id": "1"}, ["stopped", "paused", "running", "draft"]),
    ({"created_by_id": "[7,8]"}, []),
    ({"created_by_id": "x"}, ["stopped", "paused", "running", "draft"]),
    ({"order": "-name"}, ["stopped", "running", "paused", "draft"]),
    ({"order": "status"}, ["draft", "running", "paused", "stopped"]),
    ({"order": "duration"}, ["stopped", "paused", "running", "draft"]),
    ({"order": "-duration"}, ["draft", "running", "paused", "stopped"]),
    ({"order": "-end_date"}, ["paused", "running", "draft", "stopped"]),
    ({"order": "created_by"}, ["draft", "running", "paused", "stopped"]),
    ({"nonsense": "1"}, ["stopped", "paused", "running", "draft"]),
)


async def test_scenarios_14_and_15_filters_and_orders(service: Service) -> None:
    await _in_every_state(service)
    for query, names in QUERIES:
        assert await _names(service, **query) == names, query


async def test_scenario_15_what_is_refused(service: Service) -> None:
    wrong = (400, "Invalid order field: 'foo'", None)
    assert await service.refused("GET", "experiments", order="foo") == wrong
    wrong = (400, "feature_flag_id must be an integer", None)
    assert await service.refused("GET", "experiments", feature_flag_id="x") == wrong


async def test_the_search_does_not_look_into_flag_keys(service: Service) -> None:
    await service.create("blue-key", name="Red")
    await service.create("red-key", name="Blue")
    await service.create("green-key", name="Grün")
    assert await _names(service, search="BLUE") == ["Blue"]
    assert await _names(service, search="GRÜN") == ["Grün"]


async def test_by_flag_and_by_event(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics_secondary=[MEAN])
    await service.create("other", name="other")
    assert await _names(service, feature_flag_id=made["feature_flag"]["id"]) == ["Blue button"]
    assert await _names(service, event="bought") == ["Blue button"]
    assert await _names(service, event="sold") == []
    saved = await service.post("experiment_saved_metrics", {"name": "s", "query": MEAN}, 201)
    await service.create("third", name="third", saved_metrics_ids=[{"id": saved["id"]}])
    assert await _names(service, event="bought") == ["third", "Blue button"]


async def test_pages_link_to_each_other(service: Service) -> None:
    for number in range(5):
        await service.create(f"k{number}", name=f"n{number}")
    first = await service.get("experiments", limit=2, search="n")
    assert (first["count"], len(first["results"]), first["previous"]) == (5, 2, None)
    assert first["next"].endswith("?limit=2&offset=2&search=n")
    last = await service.get("experiments", limit=2, offset=4)
    assert (last["next"], [experiment["name"] for experiment in last["results"]]) == (None, ["n0"])


async def test_scenario_32_without_events_to_sample_the_sdk_seems_missing(service: Service) -> None:
    path = "experiments/requires_flag_implementation"
    assert await service.get(path) == {"result": True}
    service.record(("bought", "ada", START - timedelta(days=1), {"$feature/blue": "test"}))
    assert await service.get(path, events='[{"id":"bought"}]') == {"result": False}
    assert await service.get(path, events='[{"id":"sold"}]') == {"result": True}
    for project in (1, service.add_project()):
        action = service.insert("actions", project_id=project, name="a", steps=[{"event": "bought"}])
        assert await service.get(path, actions=f'[{{"id":{action}}}]') == {"result": project != 1}
    for malformed in ("nonsense", "[" * 5_000):
        assert await service.get(path, events=malformed) == {"result": True}
    service.clock.pass_(days=30)
    assert await service.get(path, events='[{"id":"bought"}]') == {"result": True}


async def test_scenario_33_only_flags_an_experiment_could_use(service: Service) -> None:
    path = "experiments/eligible_feature_flags"
    await service.flag("boolean")
    await service.flag("backwards", (("test", 50), ("control", 50)))
    await service.flag("first", HALVES, name="Für alle")
    await service.flag("second", HALVES, active=False)
    page = await service.get(path)
    assert list(page) == ["results", "count"]
    assert ([flag["key"] for flag in page["results"]], page["count"]) == (["second", "first"], 2)
    assert [flag["key"] for flag in (await service.get(path, order="key"))["results"]] == ["first", "second"]
    for search in ("FIR", "FÜR"):
        assert (await service.get(path, search=search))["count"] == 1
    assert (await service.get(path, active="false"))["results"][0]["key"] == "second"
    assert (await service.get(path, evaluation_runtime="both"))["count"] == 2
    assert (await service.get(path, evaluation_runtime="server"))["count"] == 0
    assert (await service.get(path, has_evaluation_contexts="true"))["count"] == 0
    page = await service.get(path, limit=1, offset=1)
    assert (len(page["results"]), page["count"]) == (1, 2)
    response = await service.send("GET", path, limit="x")
    assert (response.status_code, response.json()) == (400, {"error": "Invalid limit or offset"})
    few = service.with_key("experiment:write")
    detail = "API key missing required scope 'feature_flag:read'"
    assert await few.refused("GET", path) == (403, detail, None)


async def test_scenario_40_the_counts_match_what_is_stored(service: Service) -> None:
    assert await service.get("experiments/stats") == {
        "launched_last_30d": 0,
        "launched_previous_30d": 0,
        "percent_change": 0.0,
        "active_experiments": 0,
        "completed_last_30d": 0,
    }
    for days in (70, 45, 40, 10, 5, 1):
        start = (START - timedelta(days=days)).isoformat()
        await service.create(f"k{days}", start_date=start)
    await service.create("ended", start_date="2026-03-01T00:00:00Z", end_date="2026-03-05T00:00:00Z")
    await service.create("draft")
    assert await service.get("experiments/stats") == {
        "launched_last_30d": 4,
        "launched_previous_30d": 2,
        "percent_change": 100.0,
        "active_experiments": 6,
        "completed_last_30d": 1,
    }


async def test_the_running_time_follows_from_a_baseline_or_from_sums(service: Service) -> None:
    path = "experiments/calculate_running_time"
    body: dict[str, Any] = {"metric_type": "funnel", "minimum_detectable_effect": 10, "baseline_value": 0.1}
    page = await service.post(path, {**body, "exposure_rate_per_day": 1_000})
    assert page == {
        "baseline_value": 0.1,
        "variance": None,
        "recommended_sample_size": 28_800,
        "recommended_running_time_days": 29,
    }
    sums = {"number_of_samples": 100, "sum": 10, "step_counts": [40, 10]}
    body = {"metric_type": "funnel", "minimum_detectable_effect": 10, "baseline_stats": sums}
    assert (await service.post(path, body))["baseline_value"] == 0.1
    malformed = {**body, "baseline_stats": {**sums, "step_counts": 5}}
    no_list = (400, 'Expected a list of items but got type "int".', "baseline_stats__step_counts")
    assert await service.refused("POST", path, malformed) == no_list
    wrong = (400, '"x" is not a valid choice.', "metric_type")
    assert await service.refused("POST", path, {"metric_type": "x"}) == wrong
    missing = (400, "This field is required.", "minimum_detectable_effect")
    assert await service.refused("POST", path, {"metric_type": "funnel"}) == missing

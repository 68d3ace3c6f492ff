"""Copies, cohorts, holdouts and saved metrics: scenarios 29 and 30."""

from typing import Any

import pytest
from tests.service.experiments.conftest import (
    HELD_BACK,
    HOUR,
    MEAN,
    START,
    THIRDS,
    Service,
    shares_of,
    variants_of,
)

COHORT = "create_exposure_cohort_for_experiment"
NOT_FOUND = (404, "Not found.", None)


async def test_scenario_29_copy_with_a_key_has_its_own_flag(service: Service) -> None:
    service.define_event("bought")
    saved = await service.post("experiment_saved_metrics", {"name": "s", "query": MEAN}, 201)
    source = await service.running(
        description="d",
        metrics=[MEAN],
        parameters={**variants_of(**THIRDS), "rollout_percentage": 30},
        saved_metrics_ids=[{"id": saved["id"], "metadata": {"type": "secondary"}}],
        stats_config={"method": "frequentist"},
    )
    copy = await service.act(source, "duplicate", {"name": "Copy", "feature_flag_key": "copy"}, 201)
    expected = {"name": "Copy", "status": "draft", "start_date": None, "conclusion": None, "archived": False}
    kept = {name: source[name] for name in ("description", "parameters", "stats_config")}
    assert copy.items() >= (expected | kept).items()
    assert copy["feature_flag"]["id"] != source["feature_flag"]["id"]
    assert copy["feature_flag"]["active"] is False
    assert copy["metrics"][0]["uuid"] != source["metrics"][0]["uuid"]
    assert copy["primary_metrics_ordered_uuids"] == [copy["metrics"][0]["uuid"]]
    assert copy["saved_metrics"][0]["metadata"] == {"type": "secondary"}


async def test_scenario_29_copy_shares_the_flag_or_takes_another(service: Service) -> None:
    source = await service.create()
    copies = [await service.act(source, "duplicate", {}, 201) for _ in range(3)]
    names = ["Blue button (Copy)", "Blue button (Copy) 1", "Blue button (Copy) 2"]
    assert [copy["name"] for copy in copies] == names
    assert copies[-1]["feature_flag"]["id"] == source["feature_flag"]["id"]
    assert len((await service.flag_of(source))["experiment_set"]) == 4
    await service.flag("there", {"control": 20, "x": 80})
    copy = await service.act(source, "duplicate", {"feature_flag_key": "there"}, 201)
    assert shares_of(copy) == [("control", 20), ("x", 80)]
    assert [variant["key"] for variant in copy["parameters"]["feature_flag_variants"]] == ["control", "x"]


@pytest.mark.parametrize(("action", "word"), [("duplicate", "Duplication"), ("copy_to_project", "Copying")])
async def test_scenario_29_the_older_engine_is_not_copied(service: Service, action: str, word: str) -> None:
    source = await service.create()
    service.write("""UPDATE experiments SET metrics = '[{"kind":"ExperimentTrendsQuery"}]'""")
    response = await service.send("POST", f"experiments/{source['id']}/{action}", {"target_team_id": 1})
    detail = f"{word} is not supported for experiments using legacy metrics."
    assert (response.status_code, response.json()) == (400, {"detail": detail})


async def test_a_copy_in_another_project(service: Service) -> None:
    other = service.add_project()
    copy = await service.act(await service.running(), "copy_to_project", {"target_team_id": other}, 201)
    assert (copy["name"], copy["status"], copy["feature_flag"]["team_id"]) == ("Blue button", "draft", other)
    service.project = other
    assert (await service.get("feature_flags"))["results"][0]["key"] == "blue-button"
    assert await service.reread(copy) == copy
    assert len(await service.log_of(copy)) == 1


NO_TEAM, NO_WRITE = "Target team not found.", "You do not have write access to the target project."


@pytest.mark.parametrize(("sql", "team", "refusal"), [
    ("", 9, (404, NO_TEAM)),
    ("UPDATE projects SET organization_id = 'strangers' WHERE id = 2", 2, (404, NO_TEAM)),
    ("UPDATE api_keys SET scoped_teams = '[1]'", 2, (403, NO_WRITE)),
    ("INSERT INTO access_levels VALUES (2, 1, 'experiment', '', 'viewer')", 2,
     (403, "You do not have editor access to this resource.")),
], ids=["no such project", "a project of strangers", "a key for one project", "a viewer there"])  # fmt: skip
async def test_a_copy_needs_access_to_the_other_project(
    service: Service, sql: str, team: int, refusal: Any
) -> None:
    source = await service.create()
    service.add_project()
    service.write("INSERT INTO organizations VALUES ('strangers', 'o', 'o', '2026', 1)")
    service.write("UPDATE organization_members SET level = 1")
    service.write(sql)
    assert (await service.act_refused(source, "copy_to_project", {"target_team_id": team}))[:2] == refusal


async def test_scenario_30_a_cohort_of_who_was_exposed(service: Service) -> None:
    running = await service.running()
    service.expose("blue-button", "test", "ada", "bob")
    service.expose("other", "test", "eve")
    service.clock.pass_(minutes=1)
    cohort = (await service.act(running, COHORT, None, 201))["cohort"]
    members = service.rows(
        "SELECT p.uuid FROM cohort_members AS m JOIN persons AS p ON p.id = m.person_id"
        " WHERE m.cohort_id = ? ORDER BY 1",
        cohort["id"],
    )
    assert ([member["uuid"] for member in members], cohort["count"]) == (["ada", "bob"], 2)
    assert cohort["name"] == 'Users exposed to experiment "Blue button"'
    assert (cohort["is_static"], cohort["experiment_set"]) == (False, [running["id"]])
    condition = cohort["filters"]["properties"]["values"][0]["values"][0]
    expected = ("$feature_flag_called", ["blue-button"])
    assert (condition["key"], condition["event_filters"][0]["value"]) == expected
    assert (await service.reread(running))["exposure_cohort"] == cohort["id"]
    second = (400, "Experiment already has an exposure cohort", None)
    assert await service.act_refused(running, COHORT) == second


OLDER = ["x", 5, [1], {"events": 5}, {"events": ["x"]}, {"events": [{"properties": 5}]}]


@pytest.mark.parametrize("older", OLDER)
async def test_malformed_older_exposure_counts_as_none(service: Service, older: Any) -> None:
    running = await service.running(parameters={"custom_exposure_filter": older})
    cohort = (await service.act(running, COHORT, {}, 201))["cohort"]
    assert cohort["filters"]["properties"]["values"][0]["values"][0]["key"] == "$feature_flag_called"


BY_ACTION = {"kind": "ActionsNode", "id": 5}
HOGQL = [{"key": "x", "type": "hogql"}]
BY_HOGQL = {"kind": "ExperimentEventExposureConfig", "event": "opened", "properties": HOGQL}


@pytest.mark.parametrize(("config", "detail", "attr"), [
    (BY_ACTION, "Invalid action ID", None),
    (BY_HOGQL, "Filters of type 'hogql' are not computed here", "exposure_criteria"),
])  # fmt: skip
async def test_cohort_of_unreadable_events_is_refused(
    service: Service, config: Any, detail: str, attr: Any
) -> None:
    start = {"start_date": "2026-03-01T00:00:00Z"}
    running = await service.create(exposure_criteria={"exposure_config": config}, **start)
    service.record(("opened", "ada", START, {}))
    assert await service.act_refused(running, COHORT) == (400, detail, attr)
    assert service.rows("SELECT * FROM cohorts") == []


def holdout_with(**group: Any) -> dict[str, Any]:
    return {"name": "h", "filters": [{"properties": [], **group}]}


@pytest.mark.parametrize(("body", "detail", "attr"), [
    ({"name": "h"}, "Filters are required to create an holdout group", None),
    (holdout_with(rollout_percentage=None), "Rollout percentage must be present.", "filters"),
    (holdout_with(rollout_percentage=101), "Rollout percentage must be between 0 and 100.", "filters"),
])  # fmt: skip
async def test_invalid_holdout_is_refused(service: Service, body: Any, detail: str, attr: str | None) -> None:
    assert await service.refused("POST", "experiment_holdouts", body) == (400, detail, attr)


async def test_a_holdout_and_its_flags_follow_each_other(service: Service) -> None:
    holdout = await service.post("experiment_holdouts", HELD_BACK, 201)
    assert holdout["filters"][0]["variant"] == f"holdout-{holdout['id']}"
    made = await service.create(holdout_id=holdout["id"])
    path = f"experiment_holdouts/{holdout['id']}"
    changed = await service.patch(path, {**holdout_with(rollout_percentage=20), "description": "d"})
    assert changed["description"] == "d"
    fresh = await service.reread(made)
    assert fresh["feature_flag"]["filters"]["holdout"]["exclusion_percentage"] == 20
    assert (await service.get("experiment_holdouts"))["results"][0]["name"] == "h"
    service.add_policy("update")
    detail = "Changes of the feature flag 'blue-button' need approval, so its holdout stays."
    assert await service.refused("PATCH", path, HELD_BACK) == (400, detail, None)
    assert await service.refused("DELETE", path) == (400, detail, None)
    service.write("DELETE FROM approval_policies")
    assert (await service.send("DELETE", path)).status_code == 204
    fresh = await service.reread(made)
    assert (fresh["holdout"], fresh["feature_flag"]["filters"]["holdout"]) == (None, None)
    assert await service.refused("GET", path) == NOT_FOUND


async def test_people_held_back_are_a_variant_of_the_results(service: Service) -> None:
    service.define_event("bought")
    holdout = await service.post("experiment_holdouts", HELD_BACK, 201)
    running, held_back = await service.running(holdout_id=holdout["id"]), f"holdout-{holdout['id']}"
    service.expose("blue-button", held_back, "ada", "bob", at=START + HOUR)
    service.clock.pass_(days=1)
    results = (await service.query("Query", running, metric=MEAN))["variant_results"]
    samples = [(result["key"], result["number_of_samples"]) for result in results]
    assert samples == [("test", 0), (held_back, 2)]
    seen = await service.query("ExposureQuery", running)
    assert [*seen["total_exposures"]] == ["control", "test"]


async def test_saved_metrics_exist_without_experiments(service: Service) -> None:
    path = "experiment_saved_metrics"
    service.define_event("bought")
    assert await service.refused("POST", path, {"query": MEAN}) == (400, "This field is required.", "name")
    assert await service.refused("POST", path, {"name": "n"}) == (400, "This field is required.", "query")
    status, _, attr = await service.refused("POST", path, {"name": "n", "query": {"kind": "x"}})
    assert (status, attr) == (400, "query")
    saved = await service.post(path, {"name": "Bought", "query": MEAN, "tags": ["B", "a"]}, 201)
    assert saved["tags"] == ["a", "b"]
    record = f"{path}/{saved['id']}"
    assert (await service.patch(record, {"description": "d"}))["description"] == "d"
    counts = [(await service.get(path, **query))["count"] for query in ({"search": "BOU"}, {"event": "sold"})]
    assert counts == [1, 0]
    made = await service.create(saved_metrics_ids=[{"id": saved["id"]}])
    assert (await service.send("DELETE", record)).status_code == 204
    assert (await service.reread(made))["saved_metrics"] == []
    assert await service.refused("GET", record) == NOT_FOUND

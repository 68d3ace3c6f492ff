"""Copies, cohorts, holdouts and saved metrics: scenarios 29 and 30."""

from datetime import timedelta
from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, START, Service

SHARE = [{"properties": [], "rollout_percentage": 10}]


async def test_scenario_29_copy_with_a_key_has_its_own_flag(service: Service) -> None:
    service.define_event("bought")
    thirds = [
        {"key": key, "rollout_percentage": share} for key, share in (("control", 34), ("a", 33), ("b", 33))
    ]
    saved = await service.post("experiment_saved_metrics", {"name": "s", "query": MEAN}, 201)
    source = await service.running(
        description="d",
        metrics=[MEAN],
        parameters={"feature_flag_variants": thirds, "rollout_percentage": 30},
        saved_metrics_ids=[{"id": saved["id"], "metadata": {"type": "secondary"}}],
        stats_config={"method": "frequentist"},
    )
    body = {"name": "Copy", "feature_flag_key": "copy"}
    copy = await service.post(f"experiments/{source['id']}/duplicate", body, 201)
    assert (copy["name"], copy["status"], copy["description"]) == ("Copy", "draft", "d")
    assert copy["feature_flag"]["id"] != source["feature_flag"]["id"]
    assert copy["feature_flag"]["active"] is False
    assert copy["parameters"] == source["parameters"]
    assert copy["metrics"][0]["uuid"] != source["metrics"][0]["uuid"]
    assert copy["primary_metrics_ordered_uuids"] == [copy["metrics"][0]["uuid"]]
    assert copy["saved_metrics"][0]["metadata"] == {"type": "secondary"}
    assert copy["stats_config"]["method"] == "frequentist"
    assert (copy["start_date"], copy["conclusion"], copy["archived"]) == (None, None, False)


async def test_scenario_29_a_copy_without_a_key_shares_the_flag(service: Service) -> None:
    source = await service.create()
    path = f"experiments/{source['id']}/duplicate"
    names = [(await service.post(path, {}, 201))["name"] for _ in range(3)]
    assert names == ["Blue button (Copy)", "Blue button (Copy) 1", "Blue button (Copy) 2"]
    assert (await service.post(path, {}, 201))["feature_flag"]["id"] == source["feature_flag"]["id"]
    flag = await service.get(f"feature_flags/{source['feature_flag']['id']}")
    assert len(flag["experiment_set"]) == 5


async def test_scenario_29_a_copy_on_another_flag_takes_its_variants(service: Service) -> None:
    source = await service.create()
    await service.flag("there", (("control", 20), ("x", 80)))
    copy = await service.post(f"experiments/{source['id']}/duplicate", {"feature_flag_key": "there"}, 201)
    assert [variant["key"] for variant in copy["parameters"]["feature_flag_variants"]] == ["control", "x"]


async def test_scenario_29_the_older_engine_is_not_copied(service: Service) -> None:
    source = await service.create()
    older = '[{"kind":"ExperimentTrendsQuery"}]'
    service.write("UPDATE experiments SET metrics = ?", older)
    response = await service.send("POST", f"experiments/{source['id']}/duplicate", {})
    expected = (400, {"detail": "Duplication is not supported for experiments using legacy metrics."})
    assert (response.status_code, response.json()) == expected
    response = await service.send(
        "POST", f"experiments/{source['id']}/copy_to_project", {"target_team_id": 1}
    )
    assert response.json() == {"detail": "Copying is not supported for experiments using legacy metrics."}


def _second_project(service: Service, organization: str | None = None) -> None:
    project = service.add_project()
    if organization:
        service.write("INSERT INTO organizations VALUES (?, 'o', 'o', '2026', 1)", organization)
        service.write("UPDATE projects SET organization_id = ? WHERE id = ?", organization, project)


async def test_a_copy_in_another_project(service: Service) -> None:
    _second_project(service)
    source = await service.running()
    copy = await service.post(f"experiments/{source['id']}/copy_to_project", {"target_team_id": 2}, 201)
    assert (copy["name"], copy["status"], copy["feature_flag"]["team_id"]) == ("Blue button", "draft", 2)
    service.project = 2
    assert (await service.get("feature_flags"))["results"][0]["key"] == "blue-button"
    assert (await service.get(f"experiments/{copy['id']}"))["id"] == copy["id"]
    assert (await service.get(f"experiments/{copy['id']}/activity"))["total_count"] == 1


@pytest.mark.parametrize(("organization", "team"), [(None, 9), ("strangers", 2)])
async def test_a_copy_needs_a_project_of_the_organization(
    service: Service, organization: str | None, team: int
) -> None:
    _second_project(service, organization)
    source = await service.create()
    body = {"target_team_id": team}
    response = await service.send("POST", f"experiments/{source['id']}/copy_to_project", body)
    assert (response.status_code, response.json()) == (404, {"detail": "Target team not found."})


async def test_a_copy_needs_a_key_for_the_other_project(service: Service) -> None:
    _second_project(service)
    source = await service.create()
    service.write("UPDATE api_keys SET scoped_teams = '[1]'")
    body = {"target_team_id": 2}
    response = await service.send("POST", f"experiments/{source['id']}/copy_to_project", body)
    expected = (403, {"detail": "You do not have write access to the target project."})
    assert (response.status_code, response.json()) == expected
    service.write("UPDATE api_keys SET scoped_teams = '[]'")
    service.write("UPDATE organization_members SET level = 1")
    service.write("INSERT INTO access_levels VALUES (2, 1, 'experiment', '', 'viewer')")
    assert (await service.refused("POST", f"experiments/{source['id']}/copy_to_project", body))[0] == 403


async def test_scenario_30_a_cohort_of_who_was_exposed(service: Service) -> None:
    draft = await service.create()
    path = f"experiments/{draft['id']}/create_exposure_cohort_for_experiment"
    assert await service.refused("POST", path) == (400, "Experiment does not have a start date", None)
    await service.post(f"experiments/{draft['id']}/launch")
    service.expose("blue-button", "test", "ada", "bob", at=START + timedelta(seconds=30))
    service.expose("other", "test", "eve", at=START + timedelta(seconds=30))
    service.clock.pass_(minutes=1)
    cohort = (await service.post(path, None, 201))["cohort"]
    members = service.rows(
        "SELECT p.uuid FROM cohort_members AS m JOIN persons AS p ON p.id = m.person_id"
        " WHERE m.cohort_id = ?",
        cohort["id"],
    )
    assert ({member["uuid"] for member in members}, cohort["count"]) == ({"ada", "bob"}, 2)
    assert cohort["name"] == 'Users exposed to experiment "Blue button"'
    assert (cohort["is_static"], cohort["experiment_set"]) == (False, [draft["id"]])
    condition = cohort["filters"]["properties"]["values"][0]["values"][0]
    expected = ("$feature_flag_called", ["blue-button"])
    assert (condition["key"], condition["event_filters"][0]["value"]) == expected
    assert (await service.get(f"experiments/{draft['id']}"))["exposure_cohort"] == cohort["id"]
    assert await service.refused("POST", path) == (400, "Experiment already has an exposure cohort", None)


async def test_a_cohort_of_an_action_that_is_gone(service: Service) -> None:
    running = await service.running(exposure_criteria={"exposure_config": {"kind": "ActionsNode", "id": 5}})
    path = f"experiments/{running['id']}/create_exposure_cohort_for_experiment"
    assert await service.refused("POST", path) == (400, "Invalid action ID", None)


CUSTOM: list[Any] = ["x", 5, [1], {"events": 5}, {"events": ["x"]}, {"events": [{"properties": 5}]}]


async def test_malformed_older_exposure_counts_as_none(service: Service) -> None:
    for number, older in enumerate(CUSTOM):
        running = await service.running(f"k{number}", parameters={"custom_exposure_filter": older})
        path = f"experiments/{running['id']}/create_exposure_cohort_for_experiment"
        cohort = (await service.post(path, {}, 201))["cohort"]
        condition = cohort["filters"]["properties"]["values"][0]["values"][0]
        assert condition["key"] == "$feature_flag_called"


async def test_cohort_with_an_unknown_filter_is_refused(service: Service) -> None:
    config = {
        "kind": "ExperimentEventExposureConfig",
        "event": "opened",
        "properties": [{"key": "x", "type": "hogql"}],
    }
    running = await service.running(exposure_criteria={"exposure_config": config})
    service.record(("opened", "ada", START, {}))
    service.clock.pass_(minutes=1)
    service.write("UPDATE experiments SET start_date = '2026-03-01T00:00:00.000000Z'")
    path = f"experiments/{running['id']}/create_exposure_cohort_for_experiment"
    detail = "Filters of type 'hogql' are not computed here"
    assert await service.refused("POST", path) == (400, detail, "exposure_criteria")
    assert service.rows("SELECT count(*) AS n FROM cohorts") == [{"n": 0}]


async def test_a_holdout_and_its_flags_follow_each_other(service: Service) -> None:
    path = "experiment_holdouts"
    missing = (400, "Filters are required to create an holdout group", None)
    assert await service.refused("POST", path, {"name": "h"}) == missing
    for share, detail in ((None, "present"), (101, "between 0 and 100")):
        body = {"name": "h", "filters": [{"properties": [], "rollout_percentage": share}]}
        expected = (400, f"Rollout percentage must be {detail}.", "filters")
        assert await service.refused("POST", path, body) == expected
    holdout = await service.post(path, {"name": "h", "filters": SHARE}, 201)
    assert holdout["filters"][0]["variant"] == f"holdout-{holdout['id']}"
    made = await service.create(holdout_id=holdout["id"])
    record_path = f"{path}/{holdout['id']}"
    await service.patch(record_path, {"filters": [{"properties": [], "rollout_percentage": 20}]})
    fresh = await service.get(f"experiments/{made['id']}")
    assert fresh["feature_flag"]["filters"]["holdout"]["exclusion_percentage"] == 20
    assert (await service.get(path))["results"][0]["name"] == "h"
    organization = service.rows("SELECT id FROM organizations")[0]["id"]
    policy = {"organization_id": organization, "action": "feature_flag.update", "created_at": ""}
    service.insert("approval_policies", id="p", **policy)
    detail = "Changes of the feature flag 'blue-button' need approval, so its holdout stays."
    assert await service.refused("PATCH", record_path, {"filters": SHARE}) == (400, detail, None)
    assert await service.refused("DELETE", record_path) == (400, detail, None)
    service.write("DELETE FROM approval_policies")
    assert (await service.send("DELETE", record_path)).status_code == 204
    fresh = await service.get(f"experiments/{made['id']}")
    assert (fresh["holdout"], fresh["feature_flag"]["filters"]["holdout"]) == (None, None)
    assert await service.refused("GET", record_path) == (404, "Not found.", None)


async def test_people_held_back_are_a_variant_of_the_results(service: Service) -> None:
    service.define_event("bought")
    holdout = await service.post("experiment_holdouts", {"name": "h", "filters": SHARE}, 201)
    running = await service.running(holdout_id=holdout["id"])
    service.expose("blue-button", f"holdout-{holdout['id']}", "ada", "bob", at=START + timedelta(hours=1))
    service.clock.pass_(days=1)
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": MEAN}
    response = await service.post("query", {"query": query})
    assert [(result["key"], result["number_of_samples"]) for result in response["variant_results"]] == [
        ("test", 0),
        (f"holdout-{holdout['id']}", 2),
    ]
    exposures = {"kind": "ExperimentExposureQuery", "experiment_id": running["id"]}
    seen = await service.post("query", {"query": exposures})
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
    record_path = f"{path}/{saved['id']}"
    assert (await service.patch(record_path, {"description": "d"}))["description"] == "d"
    assert (await service.get(path, search="BOU"))["count"] == 1
    assert (await service.get(path, event="sold"))["count"] == 0
    made = await service.create(saved_metrics_ids=[{"id": saved["id"]}])
    assert (await service.send("DELETE", record_path)).status_code == 204
    assert (await service.get(f"experiments/{made['id']}"))["saved_metrics"] == []
    assert await service.refused("GET", record_path) == (404, "Not found.", None)

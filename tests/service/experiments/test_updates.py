"""Changing experiments field by field: scenarios 16 to 18 and 34 to 36."""

from typing import Any

import pytest
from tests.service.experiments.conftest import (
    HALVES,
    HELD_BACK,
    MEAN,
    THIRDS,
    Service,
    Start,
    shares_of,
    variants_of,
)

START_DATE = "2026-03-09T12:00:00Z"
NOT_FOUND = (404, "Not found.", None)
OTHER = {"parameters": variants_of(control=50, other=50)}
MOVED = {"parameters": variants_of(control=20, test=80)}


async def test_scenario_17_names_change_but_launched_experiments_keep_their_flag(service: Service) -> None:
    made = await service.create()
    assert await service.edit(made) | {"updated_at": ""} == made | {"updated_at": ""}
    changed = await service.edit(made, name="n")
    assert (changed["name"], changed["updated_at"] > made["updated_at"]) == ("n", True)
    running = await service.running()
    other = (400, "Can't update keys: get_feature_flag_key on Experiment", None)
    assert await service.edit_refused(running, feature_flag_key="other") == other
    assert (await service.edit(running, type="web", feature_flag_key="blue-button"))["type"] == "web"


async def test_draft_moves_to_another_flag_and_logs_it(service: Service) -> None:
    draft = await service.create()
    moved = await service.edit(draft, feature_flag_key="green-button")
    assert moved["feature_flag_key"] == moved["feature_flag"]["key"] == "green-button"
    assert moved["feature_flag"]["id"] != draft["feature_flag"]["id"]
    back = await service.edit(draft, feature_flag_key="blue-button")
    assert back["feature_flag"]["id"] == draft["feature_flag"]["id"]
    [change] = (await service.log_of(draft))[0]["detail"]["changes"]
    expected = ("feature_flag_key", "green-button", "blue-button")
    assert (change["field"], change["before"], change["after"]) == expected


@pytest.mark.parametrize(("fields", "detail"), [
    ({"feature_flag_key": "plain"}, "Feature flag must have at least 2 variants"),
    ({"feature_flag_key": "without-test"}, "Invalid baseline_variant_key: 'test'"),
    ({"feature_flag_key": "new", "start_date": START_DATE}, "without a holdout"),
    ({"feature_flag_key": "new", "holdout_id": 1}, "without a holdout"),
])  # fmt: skip
async def test_draft_stays_where_the_move_is_refused(service: Service, fields: Any, detail: str) -> None:
    await service.post("experiment_holdouts", HELD_BACK, 201)
    await service.flag("plain")
    await service.flag("without-test", {"control": 50, "b": 50})
    draft = await service.create(stats_config={"baseline_variant_key": "test"})
    status, reason, _ = await service.edit_refused(draft, **fields)
    assert (status, detail in reason) == (400, True), reason
    assert await service.reread(draft) == draft
    keys = [row["key"] for row in service.rows("SELECT key FROM flags ORDER BY id")]
    assert keys == ["plain", "without-test", "blue-button"]


@pytest.mark.parametrize("generation", ["newest", "legacy"])
async def test_types_and_folders_are_fixed_on_product_servers(start: Start, generation: str) -> None:
    service: Service = await start(**{generation: True})
    made = await service.create()
    kind = (400, "Can't update keys: type on Experiment", None)
    assert await service.edit_refused(made, type="product") == kind
    both = (400, "Can't update keys: _create_in_folder, get_feature_flag_key on Experiment", None)
    assert await service.edit_refused(made, feature_flag_key="other", _create_in_folder="x") == both


async def test_scenario_18_variants_and_holdout_of_a_running_experiment(service: Service) -> None:
    running = await service.running()
    holdout = await service.post("experiment_holdouts", HELD_BACK, 201)
    refusal = await service.edit_refused(running, holdout_id=holdout["id"])
    assert refusal == (400, "Can't update holdout on running Experiment", None)
    assert (await service.edit(running, holdout_id=None))["holdout"] is None
    for body in (OTHER, MOVED):
        status, detail, attr = await service.edit_refused(running, **body)
        assert (status, attr) == (400, "feature_flag")
        assert detail.startswith(
            "This experiment is running. To change its flag config, send update_feature_flag"
        )
    refusal = await service.edit_refused(running, **OTHER, update_feature_flag_params=True)
    assert refusal == (400, "Can't update feature_flag_variants on Experiment", None)
    changed = await service.edit(running, **MOVED, update_feature_flag_params=True)
    assert shares_of(changed) == [("control", 20), ("test", 80)]
    same = await service.edit(running, parameters=running["parameters"] | MOVED["parameters"])
    assert same["feature_flag"]["version"] == changed["feature_flag"]["version"]


async def test_scenario_18_older_servers_set_variants_of_drafts_alone(legacy: Service) -> None:
    draft = await legacy.create("other", parameters=variants_of(**THIRDS))
    reset = await legacy.edit(draft, parameters={"minimum_detectable_effect": 5})
    assert shares_of(reset) == [*HALVES.items()]
    made = await legacy.create(start_date=START_DATE)
    detail = "Can't update feature_flag_variants on Experiment"
    assert await legacy.edit_refused(made, **OTHER) == (400, detail, None)
    moved = await legacy.edit(made, **MOVED)
    variants = moved["parameters"]["feature_flag_variants"]
    assert [variant["rollout_percentage"] for variant in variants] == [20, 80]
    assert shares_of(moved) == [*HALVES.items()]


async def test_variants_of_a_draft_reach_its_flag(service: Service) -> None:
    draft = await service.create()
    changed = await service.edit(draft, parameters=variants_of(**THIRDS))
    assert shares_of(changed) == [*THIRDS.items()]
    assert changed["feature_flag"]["version"] == draft["feature_flag"]["version"] + 1
    kept = await service.edit(draft, parameters={"minimum_detectable_effect": 5})
    assert [variant["key"] for variant in kept["parameters"]["feature_flag_variants"]] == [*THIRDS]
    assert kept["parameters"]["minimum_detectable_effect"] == 5


async def test_scenario_35_soft_deletion_and_return(service: Service) -> None:
    made = await service.create()
    path = f"experiments/{made['id']}"
    assert (await service.edit(made, deleted=True))["deleted"] is True
    for method, place in (("GET", path), ("PATCH", path), ("POST", f"{path}/launch")):
        assert await service.refused(method, place, {"name": "n"}) == NOT_FOUND
    assert (await service.get("experiments"))["count"] == 0
    assert (await service.edit(made, deleted=False))["deleted"] is False
    activities = [entry["activity"] for entry in await service.log_of(made)]
    assert activities == ["restored", "deleted", "created"]
    await service.edit(made, deleted=True)
    await service.edit_flag(made, deleted=True)
    detail = (
        "Cannot restore experiment: the linked feature flag has been deleted. "
        "Restore the feature flag first, then restore the experiment."
    )
    assert await service.edit_refused(made, deleted=False) == (400, detail, None)


async def test_scenario_36_a_flag_with_an_experiment_stays(service: Service, legacy: Service) -> None:
    running, draft = await service.running(), await legacy.create()
    linked = "Cannot delete a feature flag that is linked to"
    first = (
        f"active experiment(s) with ID(s): {draft['id']}. "
        "Please delete the experiment(s) before deleting the flag."
    )
    for served, made, words in ((service, running, "running experim"), (legacy, draft, first)):
        path = f"feature_flags/{made['feature_flag']['id']}"
        status, detail, attr = await served.refused("PATCH", path, {"deleted": True})
        assert (status, detail.startswith(f"{linked} {words}"), attr) == (400, True, None)


async def test_dates_set_the_state(service: Service) -> None:
    made, early = await service.create(), "2026-03-01T00:00:00Z"
    assert (await service.edit(made, end_date=early))["status"] == "draft"
    launched = await service.edit(made, start_date=START_DATE)
    assert (launched["status"], launched["feature_flag"]["active"]) == ("stopped", True)
    refusal = await service.edit_refused(made, start_date=START_DATE, end_date=early)
    assert refusal == (400, "End date must be after start date", None)
    back = await service.edit(made, start_date=None, end_date=None)
    assert (back["status"], back["feature_flag"]["active"]) == ("draft", True)
    again = await service.edit(made, start_date=START_DATE)
    assert again["feature_flag"]["version"] == back["feature_flag"]["version"]
    assert (await service.edit(made, archived=True))["archived"] is True


async def test_metrics_keep_their_order_as_they_come_and_go(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics=[MEAN, MEAN])
    first, second = made["primary_metrics_ordered_uuids"]
    turned = await service.edit(made, primary_metrics_ordered_uuids=[second, first])
    assert turned["primary_metrics_ordered_uuids"] == [second, first]
    added = await service.edit(made, metrics=[*turned["metrics"], MEAN])
    assert added["primary_metrics_ordered_uuids"][:2] == [second, first]
    assert len(added["primary_metrics_ordered_uuids"]) == 3
    fewer = await service.edit(made, metrics=[turned["metrics"][1]])
    assert fewer["primary_metrics_ordered_uuids"] == [second]
    shared = await service.edit(made, primary_metrics_ordered_uuids=["shared", second])
    more = await service.edit(made, metrics=[*shared["metrics"], MEAN])
    assert more["primary_metrics_ordered_uuids"][:2] == ["shared", second]
    await service.edit(made, metrics=shared["metrics"], primary_metrics_ordered_uuids=[second])
    refusal = await service.edit_refused(made, primary_metrics_ordered_uuids=[])
    detail = (
        f"primary_metrics_ordered_uuids is missing UUIDs: ['{second}']. "
        "This is likely a frontend bug - please refresh and try again."
    )
    assert refusal == (400, detail, None)
    _, detail, _ = await service.edit_refused(made, primary_metrics_ordered_uuids=None)
    assert detail.startswith("primary_metrics_ordered_uuids is null but primary metrics exist.")


@pytest.mark.parametrize(
    ("field", "value"), [("parameters", {}), ("holdout_id", None), ("archived", True), ("metrics", [])]
)
async def test_experiment_of_the_older_engine_hardly_changes(
    service: Service, field: str, value: Any
) -> None:
    made = await service.create()
    service.write(
        """UPDATE experiments SET metrics = '[{"kind":"ExperimentTrendsQuery","count_query":{}}]'"""
    )
    assert (await service.reread(made))["is_legacy"] is True
    detail = (
        "This experiment uses legacy metric formats and can only have its name, description, or end_date "
        f"updated. Cannot update: {field}"
    )
    assert await service.edit_refused(made, name="n", **{field: value}) == (400, detail, None)
    assert (await service.edit(made, name="n", description="d"))["name"] == "n"

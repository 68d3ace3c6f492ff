"""From draft to archive: scenarios 19 to 28 and 39."""

from typing import Any
from uuid import UUID

import pytest
from tests.doubles.service_world import asks_for
from tests.service.experiments.conftest import HALVES, MEAN, Service, Start, body_of, listed, shares_of

NOT_LAUNCHED = "Experiment has not been launched yet."
ENDED = "Experiment has already ended."
FLAG_DELETED = "Experiment cannot be launched because its feature flag has been deleted."
SHIP = {"variant_key": "test"}
COHORT = "create_exposure_cohort_for_experiment"
REFUSED: dict[str, list[tuple[str, Any, str, str | None]]] = {
    "draft": [
        ("pause", {}, NOT_LAUNCHED, None), ("end", {}, NOT_LAUNCHED, None),
        ("ship_variant", SHIP, NOT_LAUNCHED, None), ("freeze_exposure", {}, NOT_LAUNCHED, None),
        ("reset", {}, "Experiment is already in draft state.", None),
        (COHORT, {}, "Experiment does not have a start date", None),
    ],
    "running": [
        ("launch", {}, "Experiment has already been launched.", None),
        ("resume", {}, "Experiment is not paused.", None),
        ("end", {"conclusion": "maybe"}, '"maybe" is not a valid choice.', "conclusion"),
        ("ship_variant", {}, "This field is required.", "variant_key"),
        ("ship_variant", {"variant_key": "zzz"}, "Variant 'zzz' not found on feature flag.", None),
        ("archive", {}, "Experiment must be ended before it can be archived.", None),
        ("freeze_exposure", {}, "Cannot freeze: no users have been exposed yet.", None),
        ("unfreeze_exposure", {}, "Experiment exposure is not frozen.", None),
    ],
    "paused": [
        ("pause", {}, "Experiment is already paused.", None),
        ("freeze_exposure", {}, "Cannot freeze a paused experiment.", None),
    ],
    "stopped": [
        ("pause", {}, ENDED, None), ("resume", {}, ENDED, None), ("end", {}, ENDED, None),
        ("freeze_exposure", {}, ENDED, None), ("unarchive", {}, "Experiment is not archived.", None),
    ],
    "archived": [("archive", {}, "Experiment is already archived.", None)],
}  # fmt: skip
ACTIONS = ["launch", "pause", "resume", "end", "reset", "archive", "unarchive", "ship_variant", "duplicate"]


@pytest.mark.parametrize("state", REFUSED)
async def test_state_refuses_actions_with_the_reason(service: Service, state: str) -> None:
    made = await service.in_state(state)
    for action, body, detail, attr in REFUSED[state]:
        assert await service.act_refused(made, action, body) == (400, detail, attr)
    for action in ACTIONS:
        detail = "Invalid data. Expected a dictionary, but got list."
        assert await service.act_refused(made, action, []) == (400, detail, None)
        assert await service.act_refused({"id": 99}, action) == (404, "Not found.", None)
    assert await service.reread(made) == made


WON, COMMENT = {"conclusion": "won"}, {"conclusion_comment": "More sales."}
EMPTIED = {"start_date": None, "end_date": None, "conclusion": None, "conclusion_comment": None}
EFFECTS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("draft", "launch", {}, {"status": "running", "active": True, "flag_changes": 1}),
    ("running", "pause", {}, {"status": "paused", "active": False, "flag_changes": 1}),
    ("paused", "resume", {}, {"status": "running", "active": True, "flag_changes": 1}),
    ("running", "end", {}, {"status": "stopped", "active": True, "flag_changes": 0, "conclusion": None}),
    ("running", "end", WON | COMMENT, {"status": "stopped", **WON, **COMMENT}),
    ("running", "reset", {}, {"status": "draft", "active": True, "flag_changes": 0, **EMPTIED}),
    ("stopped", "reset", {}, {"status": "draft", **EMPTIED}),
    ("stopped", "archive", {}, {"archived": True, "active": True, "flag_changes": 0}),
    ("archived", "unarchive", {}, {"archived": False, "status": "stopped"}),
]
"""States, actions with their bodies, and what is then true of the experiment and its flag."""


@pytest.mark.parametrize(("state", "action", "body", "expected"), EFFECTS)
async def test_scenarios_19_to_28_effects_of_actions(
    service: Service, state: str, action: str, body: dict[str, Any], expected: dict[str, Any]
) -> None:
    before = await service.in_state(state, conclusion="lost", conclusion_comment="x")
    after = await service.act(before, action, body)
    was, flag = before["feature_flag"], after["feature_flag"]
    facts = {**after, "active": flag["active"], "flag_changes": flag["version"] - was["version"]}
    assert {name: facts[name] for name in expected} == expected
    assert await service.reread(before) == after


async def test_scenario_19_launching_is_logged_and_changes_fingerprints(service: Service) -> None:
    service.define_event("bought")
    draft = await service.create(metrics=[MEAN])
    running = await service.act(draft, "launch")
    assert running["metrics"][0]["fingerprint"] != draft["metrics"][0]["fingerprint"]
    flag_log = await service.get(f"feature_flags/{draft['feature_flag']['id']}/activity")
    assert flag_log["results"][0]["detail"]["changes"][0]["field"] == "active"
    await service.act(draft, "pause")
    launched, created = await service.log_of(draft)
    assert (launched["activity"], created["activity"]) == ("updated", "created")
    assert [change["field"] for change in launched["detail"]["changes"]] == ["start_date"]


async def test_scenario_20_a_deleted_flag_cannot_be_launched(service: Service) -> None:
    draft = await service.create()
    await service.edit_flag(draft, deleted=True)
    assert await service.act_refused(draft, "launch") == (400, FLAG_DELETED, None)
    assert await service.edit_refused(draft, start_date="2026-03-10T12:00:00Z") == (400, FLAG_DELETED, None)


async def test_a_flag_that_another_flag_needs_keeps_its_experiment_running(service: Service) -> None:
    running = await service.running()
    filters = asks_for(running["feature_flag"]["id"])
    await service.post("feature_flags", {"key": "child", "filters": filters}, 201)
    status, detail, _ = await service.act_refused(running, "pause")
    assert status == 400
    assert detail.startswith("Cannot disable this feature flag because other flags depend on it: child")
    assert (await service.reread(running))["status"] == "running"


async def test_scenario_25_disabling_the_flag_needs_access_to_flags(service: Service) -> None:
    stopped, body = await service.in_state("stopped"), {"disable_feature_flag": True}
    few = service.with_key("experiment:write")
    detail = "API key missing required scope 'feature_flag:write'"
    assert await few.act_refused(stopped, "archive", body) == (403, detail, None)
    service.write("UPDATE organization_members SET level = 1")
    service.write("INSERT INTO access_levels VALUES (1, 1, 'feature_flag', '', 'viewer')")
    detail = "You don't have feature flag write access, so this experiment's feature flag can't be disabled."
    assert await service.act_refused(stopped, "archive", body) == (403, detail, None)
    service.write("DELETE FROM access_levels")
    archived, flag = await service.act(stopped, "archive", body), await service.flag_of(stopped)
    assert (archived["archived"], flag["active"], flag["archived"]) == (True, False, True)
    await service.act(stopped, "unarchive")
    flag = await service.flag_of(stopped)
    assert (flag["active"], flag["archived"]) == (False, False)


async def test_archiving_archives_an_inactive_flag_unless_shared(service: Service) -> None:
    paused = await service.in_state("paused")
    copy = await service.act(paused, "duplicate", {}, 201)
    for action in ("end", "archive"):
        await service.act(paused, action)
    assert (await service.flag_of(paused))["archived"] is False
    await service.act(paused, "unarchive")
    await service.edit(copy, deleted=True)
    await service.act(paused, "archive")
    assert (await service.flag_of(paused))["archived"] is True


async def test_scenario_26_shipping_gives_everybody_in_the_conditions_one_variant(service: Service) -> None:
    running = await service.running()
    shipped = await service.act(running, "ship_variant", {**SHIP, "conclusion": "won"})
    assert shares_of(shipped) == [("control", 0), ("test", 100)]
    groups = shipped["feature_flag"]["filters"]["groups"]
    assert [group["rollout_percentage"] for group in groups] == [100]
    assert (shipped["status"], shipped["conclusion"]) == ("stopped", "won")
    to_everyone = {"variant_key": "control", "release_to_everyone": True}
    again = await service.act(running, "ship_variant", to_everyone)
    assert (again["end_date"], again["conclusion"]) == (shipped["end_date"], "won")
    first, _ = again["feature_flag"]["filters"]["groups"]
    assert (first["properties"], first["rollout_percentage"]) == ([], 100)


async def test_shipping_keeps_names_people_and_payloads(service: Service) -> None:
    people = {"key": "email", "type": "person", "value": "x", "operator": "icontains"}
    control, test = listed(HALVES)
    filters = {
        "groups": [{"properties": [people]}],
        "multivariate": {"variants": [control | {"name": "Old"}, test]},
        "payloads": {"test": "1"},
    }
    await service.post("feature_flags", {"key": "k", "filters": filters}, 201)
    shipped = await service.act(await service.running("k"), "ship_variant", SHIP)
    after = shipped["feature_flag"]["filters"]
    assert (after["groups"][0]["properties"], after["payloads"]) == ([people], {"test": "1"})
    assert after["multivariate"]["variants"][0]["name"] == "Old"


async def test_shipping_keeps_an_encrypted_payload(service: Service) -> None:
    payloads = {"test": '"s3cret"'}
    filters = {
        "groups": [{"properties": []}],
        "multivariate": {"variants": listed(HALVES)},
        "payloads": payloads,
    }
    encrypted = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    await service.post("feature_flags", {"key": "k", "filters": filters, **encrypted}, 201)
    shown = await service.flag_of(await service.act(await service.running("k"), "ship_variant", SHIP))
    assert (shown["filters"]["payloads"], shown["version"]) == (payloads, 2)


async def test_scenario_39_older_servers_launch_by_a_start_date_alone(legacy: Service) -> None:
    draft = await legacy.create()
    assert "status" not in draft
    for action in ACTIONS[:-1]:
        assert (await legacy.act_refused(draft, action))[0] == 404
    running = await legacy.edit(draft, start_date="2026-03-10T12:00:00Z")
    assert running["feature_flag"]["active"] is True
    await legacy.edit_flag(draft, active=False)
    ended = await legacy.edit(draft, end_date="2026-03-11T12:00:00Z", conclusion="lost")
    assert (ended["conclusion"], ended["feature_flag"]["active"]) == ("lost", False)
    assert (await legacy.edit(draft, start_date=None, end_date=None, archived=False))["start_date"] is None


async def test_scenario_27_a_flag_change_that_needs_approval_changes_nothing(start: Start) -> None:
    service: Service = await start(approvals=True)
    filters = {"groups": [{"rollout_percentage": 100}], "multivariate": {"variants": listed(HALVES)}}
    columns = {"active": 1, "version": 1, "created_at": "2026-03-01T00:00:00.000000Z"}
    service.insert("flags", project_id=1, key="k", name="n", filters=filters, **columns)
    running = await service.create("k", start_date="2026-03-09T12:00:00Z")
    assert running["status"] == "running"
    for action, body in (("ship_variant", {**SHIP, "conclusion": "won"}), ("pause", {})):
        path = f"experiments/{running['id']}/{action}"
        responses = [await service.send("POST", path, body) for _ in range(2)]
        assert [response.status_code for response in responses] == [409, 409]
        first, again = (response.json() for response in responses)
        assert (first["code"], again["code"]) == ("approval_required", "change_request_pending")
        assert first["change_request_id"] == again["change_request_id"]
    assert await service.reread(running) == running
    assert (await service.refused("POST", "experiments", body_of(feature_flag_key="new")))[0] == 409
    counts = [service.rows(f"SELECT * FROM {table}") for table in ("experiments", "change_requests")]
    assert list(map(len, counts)) == [1, 3]


CLEANUP = {"open_cleanup_pr": True}


@pytest.mark.parametrize(("action", "body", "has_task"), [
    ("end", WON | CLEANUP, True), ("end", WON | {"open_cleanup_pr": False}, False), ("end", WON, False),
    ("end", CLEANUP, False), ("ship_variant", SHIP | WON | CLEANUP, True),
    ("ship_variant", SHIP | CLEANUP, False),
])  # fmt: skip
async def test_conclusion_makes_a_task_to_clean_up_code(
    service: Service, action: str, body: Any, has_task: bool
) -> None:
    made = await service.running()
    assert made["flag_cleanup_task_id"] is None
    ended = await service.act(made, action, body)
    task = ended["flag_cleanup_task_id"]
    assert (ended["status"], task is not None) == ("stopped", has_task)
    assert task is None or str(UUID(task)) == task
    assert (await service.reread(made))["flag_cleanup_task_id"] == task


async def test_stored_conclusion_is_enough_to_ship_with_a_task(service: Service) -> None:
    made = await service.running()
    await service.act(made, "end", WON)
    shipped = await service.act(made, "ship_variant", SHIP | CLEANUP)
    assert shipped["flag_cleanup_task_id"] is not None


@pytest.mark.parametrize(("action", "body"), [("end", {}), ("ship_variant", SHIP)])
async def test_task_to_clean_up_code_needs_its_own_scope(service: Service, action: str, body: Any) -> None:
    made = await service.running()
    keyed = service.with_key("experiment:write", "feature_flag:write")
    for sent, refusal in (
        (True, (403, "API key missing required scope 'task:write'", None)),
        ("maybe", (400, "Must be a valid boolean.", "open_cleanup_pr")),
    ):
        assert await keyed.act_refused(made, action, body | {"open_cleanup_pr": sent}) == refusal
    assert (await service.reread(made))["status"] == "running"
    keyed = service.with_key("experiment:write", "feature_flag:write", "task:write")
    await keyed.act(made, action, body | WON | CLEANUP)

"""Flags of version 2 over the API: created disabled, changed with their version, ids and seeds kept."""

from datetime import timedelta
from typing import Any

import pytest
from tests.doubles.service_world import Start, World

from flagtui.service.clock import stamp

TARGETED: dict[str, Any] = {"rule_type": "targeted_release", "targeting": {"properties": []}, "value": True}
ROLLOUT: dict[str, Any] = {
    **TARGETED,
    "rule_type": "percentage_rollout",
    "rollout_percentage": 50,
    "on_rollout_miss": "continue",
    "assignment_algorithm": "sha1_60_v1",
}
CONTACT = "This flag's stored configuration cannot be updated through this API. Contact support."


def document_of(*rules: Any) -> dict[str, Any]:
    return {"version": 2, "return_type": "boolean", "default_value": False, "rules": list(rules)}


@pytest.fixture
async def pilot(start_world: Start) -> World:
    world: World = await start_world(rules_v2=True)
    return world


async def replace_rules(world: World, flag: Any, *rules: Any) -> Any:
    body = {"version": flag["version"], "filters": document_of(*rules)}
    return await world.patch(f"{flag['id']}/", body)


async def test_new_flag_is_disabled_and_named_by_the_server(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED, ROLLOUT), tags=["x"])
    targeted, rollout = flag["filters"]["rules"]
    assert (flag["active"], flag["version"], flag["tags"]) == (False, 1, ["x"])
    assert targeted == {**TARGETED, "id": targeted["id"]}
    assert (len(targeted["id"]), len(rollout["id"]), len(rollout["seed"])) == (36, 36, 36)
    assert await pilot.get(f"{flag['id']}/") == flag


async def test_closed_pilots_and_approval_policies_refuse_flags(world: World, start_world: Start) -> None:
    refusal = await world.refused("POST", "", {"key": "a", "filters": document_of()})
    assert (refusal.code, refusal.attr) == ("reserved_config_version", "filters")
    world = await start_world(rules_v2=True, approvals=True)
    refusal = await world.refused("POST", "", {"key": "a", "filters": document_of()})
    assert refusal.detail == "This flag cannot be written while an approval policy is enabled."


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"active": True}, "is created disabled. Enable it in a separate request."),
        (
            {"evaluation_runtime": "all", "archived": False},
            "creating this flag: archived, evaluation_runtime.",
        ),
    ],
)
async def test_creation_refuses_other_fields(pilot: World, fields: dict[str, Any], detail: str) -> None:
    refusal = await pilot.refused("POST", "", {"key": "a", "filters": document_of(), **fields})
    assert refusal.code == "unsupported_config_version"
    assert str(refusal.detail).endswith(detail)


async def test_every_update_needs_the_current_version(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    path = f"{flag['id']}/"
    missing = await pilot.refused("PATCH", path, {"name": "n"})
    assert (missing.status, missing.attr, missing.code) == (400, "version", "required")
    malformed = await pilot.refused("PATCH", path, {"name": "n", "version": "1"})
    assert (malformed.attr, malformed.detail) == ("version", "Must be an integer.")
    changed = await pilot.patch(path, {"name": "n", "tags": ["t"], "active": True, "version": 1})
    assert (changed["name"], changed["tags"], changed["active"], changed["version"]) == ("n", ["t"], True, 2)
    stale = await pilot.refused("PATCH", path, {"name": "m", "version": 1})
    assert stale.status == 409
    assert "has changed since version 1; it is now at version 2. Nothing was written." in str(stale.detail)


async def test_equal_fields_count_as_not_sent(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    changed = await pilot.ask("PUT", f"{flag['id']}/", {**flag, "name": "n"})
    assert (changed.status_code, changed.json()["name"]) == (200, "n")
    assert changed.json()["filters"] == flag["filters"]


@pytest.mark.parametrize("fields", [{"archived": True}, {"evaluation_runtime": "server"}, {"unknown": 1}])
async def test_other_fields_cannot_be_updated(pilot: World, fields: dict[str, Any]) -> None:
    flag = await pilot.flag("a", filters=document_of())
    refusal = await pilot.refused("PATCH", f"{flag['id']}/", {"version": 1, **fields})
    assert refusal.detail == f"These fields cannot be updated on this flag: {next(iter(fields))}."


async def test_kept_rule_keeps_its_seed(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    rule = flag["filters"]["rules"][0]
    without_seed = {name: value for name, value in rule.items() if name != "seed"}
    flag = await replace_rules(pilot, flag, TARGETED, {**without_seed, "rollout_percentage": 60})
    assert flag["filters"]["rules"][1] == {**rule, "rollout_percentage": 60}
    flag = await replace_rules(pilot, flag, {**TARGETED, "id": rule["id"]})
    flag = await replace_rules(pilot, flag, {**ROLLOUT, "id": rule["id"]})
    assert flag["filters"]["rules"][0]["seed"] != rule["seed"]


@pytest.mark.parametrize(
    ("fields", "field", "detail"),
    [
        ({"id": "22222222-2222-4222-8222-222222222222"}, "id", "Rule ids are server-assigned"),
        ({"seed": "mine"}, "seed", "Assignment seeds are server-assigned."),
    ],
)
async def test_clients_choose_no_ids_or_seeds(
    pilot: World, fields: dict[str, Any], field: str, detail: str
) -> None:
    refusal = await pilot.refused("POST", "", {"key": "a", "filters": document_of({**ROLLOUT, **fields})})
    assert refusal.attr == f"filters__rules__0__{field}"
    assert str(refusal.detail).startswith(detail)


async def test_seeds_and_return_types_cannot_be_changed(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    rule = {**flag["filters"]["rules"][0], "seed": "other"}
    refusal = await pilot.refused("PATCH", f"{flag['id']}/", {"version": 1, "filters": document_of(rule)})
    assert refusal.detail == "Cannot be changed; resetting assignment is a separate operation."
    flag = await pilot.flag("b", filters=document_of())
    filters = {**document_of(), "return_type": "number", "default_value": 1}
    refusal = await pilot.refused("PATCH", f"{flag['id']}/", {"version": 1, "filters": filters})
    expected = ("filters__return_type", "Cannot be changed after the flag is created.")
    assert (refusal.attr, refusal.detail) == expected


FRAGMENTS: list[Any] = [None, {}, {"version": 2}, {"groups": []}, {"version": 1}]


async def test_fragments_and_repeated_json_keys_are_refused(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    for filters in FRAGMENTS:
        assert (
            await pilot.refused("PATCH", f"{flag['id']}/", {"version": 1, "filters": filters})
        ).status == 400
        assert await pilot.get(f"{flag['id']}/") == flag
    body = b'{"key":"b","filters":{"version":2,"version":2,"return_type":"boolean"}}'
    headers = {"Content-Type": "application/json"}
    response = await pilot.ask("POST", "", content=body, headers=headers)
    assert (response.status_code, response.json()["detail"]) == (400, 'Must not repeat the key "version".')


async def test_deletion_disables_and_cannot_be_undone(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    await pilot.patch(f"{flag['id']}/", {"version": 1, "active": True})
    gone = await pilot.patch(f"{flag['id']}/", {"version": 2, "deleted": True})
    assert (gone["deleted"], gone["active"], gone["version"]) == (True, False, 3)
    refusal = await pilot.refused("PATCH", f"{flag['id']}/", {"version": 3, "deleted": False})
    assert refusal.detail == "These fields cannot be updated on this flag: deleted."


async def test_closed_pilot_disables_and_deletes_only(world: World) -> None:
    flag = await world.flag("a")
    path = f"{flag['id']}/"
    sql = "UPDATE flags SET filters = json(?) WHERE id = ?"
    world.write(sql, '{"version":2,"return_type":"boolean","default_value":null,"rules":[]}', flag["id"])
    for body in ({"name": "n"}, {"filters": document_of(TARGETED)}, {"deleted": False, "archived": True}):
        refusal = await world.refused("PATCH", path, {"version": 1, **body})
        assert (refusal.code, refusal.detail) == ("unsupported_config_version", CONTACT)
    assert (await world.patch(path, {"version": 1, "active": False}))["active"] is False
    assert (await world.patch(path, {"version": 2, "deleted": True}))["deleted"] is True


async def test_invalid_stored_document_is_neither_enabled_nor_replaced(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of())
    pilot.write("UPDATE flags SET filters = json(?) WHERE id = ?", '{"version":2,"rules":[]}', flag["id"])
    bodies: dict[str, Any] = {"enabled": {"active": True}, "updated": {"filters": document_of(TARGETED)}}
    for word, body in bodies.items():
        refusal = await pilot.refused("PATCH", f"{flag['id']}/", {"version": 1, **body})
        expected = f"This flag's stored configuration cannot be {word} through this API."
        assert (refusal.code, refusal.detail) == ("unsupported", expected)


async def test_narrow_writes_follow_the_same_rules(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    assert (await pilot.refused("POST", f"{flag['id']}/enable/")).code == "required"
    enabled = await pilot.post(f"{flag['id']}/enable/", {"version": 1, "name": "only the version is read"})
    assert (enabled["active"], enabled["version"], enabled["name"]) == (True, 2, "")
    assert (await pilot.refused("POST", f"{flag['id']}/archive/")).code == "unsupported_config_version"
    rollout = await pilot.refused("POST", f"{flag['id']}/roll_out_to_everyone/", {"version": 2})
    assert "rollout actions cannot modify yet" in str(rollout.detail)


async def test_bulk_delete_disables_and_raises_the_version(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    await pilot.post(f"{flag['id']}/enable/", {"version": 1})
    assert (await pilot.post("bulk_delete/", {"ids": [flag["id"]]}))["errors"] == []
    gone = await pilot.get(f"{flag['id']}/")
    assert (gone["deleted"], gone["active"], gone["version"]) == (True, False, 3)


async def test_rules_are_not_reported_as_a_full_rollout(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    await pilot.patch(f"{flag['id']}/", {"version": 1, "active": True})
    pilot.clock.pass_(days=40)
    status = await pilot.get(f"{flag['id']}/status/")
    assert (status["status"], status["reason"]) == ("active", "Flag has no usage data yet")
    assert status["rollout"]["effectively_full_rollout"] is False
    deleted = (await pilot.post("bulk_delete/", {"ids": [flag["id"]]}))["deleted"]
    assert deleted[0]["rollout_state"] == "partial"


async def test_experiments_and_copies_refuse_flags_of_version_2(pilot: World) -> None:
    await pilot.flag("a", filters=document_of(TARGETED))
    body = {"name": "e", "feature_flag_key": "a"}
    refusal = await pilot.refused("POST", "/api/projects/1/experiments/", body)
    assert str(refusal.detail).endswith(
        "a configuration format that an experiment cannot use yet. Pick a different flag."
    )
    other = pilot.add_project()
    copied = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    organization = pilot.rows("SELECT organization_id FROM projects WHERE id = 1")[0]["organization_id"]
    path = f"/api/organizations/{organization}/feature_flags/copy_flags/"
    copies = await pilot.post(path, copied)
    assert copies == {"success": [], "failed": [{"project_id": other, "error_message": CONTACT}]}


async def test_history_rebuilds_the_first_document(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    await replace_rules(pilot, flag, ROLLOUT)
    assert (await pilot.get(f"{flag['id']}/versions/1/"))["filters"] == flag["filters"]


async def test_scheduled_changes_fail_for_want_of_a_version(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    path = "/api/projects/1/scheduled_changes/"
    change = {
        "record_id": str(flag["id"]),
        "model_name": "FeatureFlag",
        "payload": {"operation": "update_status", "value": True},
        "scheduled_at": stamp(pilot.clock() + timedelta(hours=1)),
    }
    scheduled = await pilot.post(path, change, 201)
    pilot.clock.pass_(hours=2)
    assert (await pilot.get(f"{flag['id']}/"))["active"] is False
    assert (await pilot.get(f"{path}{scheduled['id']}/"))["failure_reason"]

"""Flags of version 2 over the API: created disabled, changed with their version, ids and seeds kept."""

from typing import Any

from tests.doubles.service_world import PLANS, Start, World

TARGETED: dict[str, Any] = {"rule_type": "targeted_release", "targeting": {"properties": []}, "value": True}
ROLLOUT: dict[str, Any] = {
    **TARGETED,
    "rule_type": "percentage_rollout",
    "rollout_percentage": 50,
    "on_rollout_miss": "continue",
    "assignment_algorithm": "sha1_60_v1",
}
CONTACT = "This flag's stored configuration cannot be updated through this API. Contact support."
UNSUPPORTED = "unsupported_config_version"


def document_of(*rules: Any, **fields: Any) -> dict[str, Any]:
    return {"version": 2, "return_type": "boolean", "default_value": False, "rules": list(rules), **fields}


async def replace_rules(world: World, flag: Any, *rules: Any) -> Any:
    return await world.change(flag, version=flag["version"], filters=document_of(*rules))


async def test_new_flag_is_disabled_and_named_by_the_server(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED, ROLLOUT), tags=["x"])
    targeted, rollout = flag["filters"]["rules"]
    assert (flag["active"], flag["version"], flag["tags"]) == (False, 1, ["x"])
    assert targeted == {**TARGETED, "id": targeted["id"]}
    assert (len(targeted["id"]), len(rollout["id"]), len(rollout["seed"])) == (36, 36, 36)
    assert await pilot.read(flag) == flag


async def test_closed_pilots_and_approval_policies_refuse_flags(world: World, start_world: Start) -> None:
    body = {"key": "a", "filters": document_of()}
    await world.refuses("POST", "", body, code="reserved_config_version", attr="filters")
    covered: World = await start_world(rules_v2=True, approvals=True)
    detail = "This flag cannot be written while an approval policy is enabled."
    await covered.refuses("POST", "", body, detail=detail)


OTHER_ID = {"id": "22222222-2222-4222-8222-222222222222"}
CREATIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"active": True},
     {"code": UNSUPPORTED, "detail": "…is created disabled. Enable it in a separate request."}),
    ({"evaluation_runtime": "all", "archived": False},
     {"code": UNSUPPORTED, "detail": "…creating this flag: archived, evaluation_runtime."}),
    ({"filters": document_of({**ROLLOUT, **OTHER_ID})},
     {"attr": "filters__rules__0__id", "detail": "Rule ids are server-assigned…"}),
    ({"filters": document_of({**ROLLOUT, "seed": "mine"})},
     {"attr": "filters__rules__0__seed", "detail": "Assignment seeds are server-assigned.…"}),
]  # fmt: skip


async def test_creation_refuses_other_fields_and_chosen_ids(pilot: World) -> None:
    for fields, expected in CREATIONS:
        await pilot.refuses("POST", "", {"key": "a", "filters": document_of(), **fields}, **expected)
    body = b'{"key":"b","filters":{"version":2,"version":2,"return_type":"boolean"}}'
    headers = {"Content-Type": "application/json"}
    response = await pilot.ask("POST", "", content=body, headers=headers)
    assert (response.status_code, response.json()["detail"]) == (400, 'Must not repeat the key "version".')


CHANGED_TYPE = document_of(return_type="number", default_value=1)
FRAGMENTS: list[Any] = [None, {}, {"version": 2}, {"groups": []}, {"version": 1}]
UPDATES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *[({name: value}, {"detail": f"These fields cannot be updated on this flag: {name}."})
      for name, value in (("archived", True), ("evaluation_runtime", "server"), ("unknown", 1))],
    ({"version": "1", "name": "n"}, {"attr": "version", "detail": "Must be an integer."}),
    ({"filters": CHANGED_TYPE},
     {"attr": "filters__return_type", "detail": "Cannot be changed after the flag is created."}),
    *[({"filters": fragment}, {"status": 400}) for fragment in FRAGMENTS],
]  # fmt: skip


async def test_update_refuses_other_fields_and_fragments(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    path = f"{flag['id']}/"
    for fields, expected in UPDATES:
        await pilot.refuses("PATCH", path, {"version": 1, **fields}, **expected)
    reseeded = document_of({**flag["filters"]["rules"][0], "seed": "other"})
    detail = "Cannot be changed; resetting assignment is a separate operation."
    await pilot.refuses("PATCH", path, {"version": 1, "filters": reseeded}, detail=detail)
    await pilot.refuses("PATCH", path, {"name": "n"}, status=400, attr="version", code="required")
    assert await pilot.read(flag) == flag


async def test_every_update_needs_the_current_version(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    changed = await pilot.change(flag, name="n", tags=["t"], active=True, version=1)
    assert (changed["name"], changed["tags"], changed["active"], changed["version"]) == ("n", ["t"], True, 2)
    words = "…has changed since version 1; it is now at version 2. Nothing was written.…"
    await pilot.refuses("PATCH", f"{flag['id']}/", {"name": "m", "version": 1}, status=409, detail=words)
    # Equal fields count as not sent.
    replaced = await pilot.ask("PUT", f"{flag['id']}/", {**changed, "name": "whole"})
    assert (replaced.status_code, replaced.json()["name"]) == (200, "whole")
    assert replaced.json()["filters"] == flag["filters"]


async def test_kept_rule_and_history_keep_the_seed(pilot: World) -> None:
    first = flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    rule = flag["filters"]["rules"][0]
    without_seed = {name: value for name, value in rule.items() if name != "seed"}
    flag = await replace_rules(pilot, flag, TARGETED, {**without_seed, "rollout_percentage": 60})
    assert flag["filters"]["rules"][1] == {**rule, "rollout_percentage": 60}
    flag = await replace_rules(pilot, flag, {**TARGETED, "id": rule["id"]})
    flag = await replace_rules(pilot, flag, {**ROLLOUT, "id": rule["id"]})
    assert flag["filters"]["rules"][0]["seed"] != rule["seed"]
    assert (await pilot.get(f"{flag['id']}/versions/1/"))["filters"] == first["filters"]


async def test_deletion_disables_and_cannot_be_undone(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    await pilot.change(flag, version=1, active=True)
    gone = await pilot.change(flag, version=2, deleted=True)
    assert (gone["deleted"], gone["active"], gone["version"]) == (True, False, 3)
    detail = "These fields cannot be updated on this flag: deleted."
    await pilot.refuses("PATCH", f"{flag['id']}/", {"version": 3, "deleted": False}, detail=detail)


async def test_closed_pilot_disables_and_deletes_only(world: World) -> None:
    flag = await world.flag("a")
    sql = "UPDATE flags SET filters = json(?)"
    world.write(sql, '{"version":2,"return_type":"boolean","default_value":null,"rules":[]}')
    for body in ({"name": "n"}, {"filters": document_of(TARGETED)}, {"deleted": False, "archived": True}):
        sent = {"version": 1, **body}
        await world.refuses("PATCH", f"{flag['id']}/", sent, code=UNSUPPORTED, detail=CONTACT)
    assert (await world.change(flag, version=1, active=False))["active"] is False
    assert (await world.change(flag, version=2, deleted=True))["deleted"] is True


async def test_invalid_stored_document_is_neither_enabled_nor_replaced(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of())
    pilot.write("UPDATE flags SET filters = json(?)", '{"version":2,"rules":[]}')
    bodies: dict[str, Any] = {"enabled": {"active": True}, "updated": {"filters": document_of(TARGETED)}}
    for word, body in bodies.items():
        detail = f"This flag's stored configuration cannot be {word} through this API."
        sent = {"version": 1, **body}
        await pilot.refuses("PATCH", f"{flag['id']}/", sent, code="unsupported", detail=detail)


async def test_narrow_writes_follow_the_same_rules(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    path = f"{flag['id']}/"
    await pilot.refuses("POST", f"{path}enable/", code="required")
    enabled = await pilot.act(flag, "enable", version=1, name="only the version is read")
    assert (enabled["active"], enabled["version"], enabled["name"]) == (True, 2, "")
    await pilot.refuses("POST", f"{path}archive/", code=UNSUPPORTED)
    words = "…rollout actions cannot modify yet…"
    await pilot.refuses("POST", f"{path}roll_out_to_everyone/", {"version": 2}, detail=words)


async def test_bulk_delete_disables_and_reports_no_full_rollout(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(ROLLOUT))
    await pilot.act(flag, "enable", version=1)
    pilot.clock.pass_(days=40)
    status = await pilot.get(f"{flag['id']}/status/")
    assert (status["status"], status["reason"]) == ("active", "Flag has no usage data yet")
    assert status["rollout"]["effectively_full_rollout"] is False
    answer = await pilot.post("bulk_delete/", {"ids": [flag["id"]]})
    assert ([each["rollout_state"] for each in answer["deleted"]], answer["errors"]) == (["partial"], [])
    gone = await pilot.read(flag)
    assert (gone["deleted"], gone["active"], gone["version"]) == (True, False, 3)
    assert (await pilot.get(f"{flag['id']}/versions/2/"))["active"] is True


async def test_experiments_and_copies_refuse_flags_of_version_2(pilot: World) -> None:
    await pilot.flag("a", filters=document_of(TARGETED))
    body = {"name": "e", "feature_flag_key": "a"}
    words = "…a configuration format that an experiment cannot use yet. Pick a different flag."
    await pilot.refuses("POST", "/api/projects/1/experiments/", body, detail=words)
    other = pilot.add_project()
    copied = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    copies = await pilot.post("/api/organizations/@current/feature_flags/copy_flags/", copied)
    assert copies == {"success": [], "failed": [{"project_id": other, "error_message": CONTACT}]}


async def test_scheduled_changes_fail_for_want_of_a_version(pilot: World) -> None:
    flag = await pilot.flag("a", filters=document_of(TARGETED))
    scheduled = await pilot.plan(flag, {"operation": "update_status", "value": True})
    pilot.clock.pass_(hours=2)
    assert (await pilot.read(flag))["active"] is False
    assert (await pilot.get(f"{PLANS}{scheduled['id']}/"))["failure_reason"]

"""Undo from the journal and from the activity: any change, without overwriting other users silently."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.conftest import CALM, flag, plan_change
from tests.changes.office import HERE, Office
from tests.doubles.expected import expect
from tests.doubles.log_entries import log_entry

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import revert_of, undo_of
from flagtui.changes.flags.flag_intent import Intent, set_field, switch
from flagtui.changes.flags.flag_plan import NoOp, Plan
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Blocked
from flagtui.changes.undo import next_redo, next_undo
from flagtui.changes.verbs import verb
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

NO_DEPENDENTS = Context(dependents=())
RENAMED = set_field(812, "name", "New checkout", "Ada's words")


async def save(office: Office, intent: Intent) -> Entry:
    """A change of Ada's that was saved, as the journal has it."""
    assert (await office.change(intent)).is_saved
    return office.journal.entries()[0]


async def undone(office: Office, entry: Entry) -> Plan | NoOp | Blocked:
    """The plan to take it back, saved if it could be."""
    context = replace(NO_DEPENDENTS, now=office.clock.time())
    result = plan_change(undo_of(entry), await office.ada.get(812), context)
    if isinstance(result, Plan) and not result.conflicts:
        office.clock.now += 1
        assert (await office.save(result, undoes=entry.id)).is_saved
    return result


async def test_changes_are_undone_in_any_order(office: Office) -> None:
    off = await save(office, switch("turn off", 812))
    office.clock.now += 1
    await save(office, RENAMED)
    await undone(office, off)
    assert (office.server.stored[812]["active"], office.server.stored[812]["name"]) == (True, "Ada's words")


async def test_undo_sets_a_word_of_a_newer_server_again(office: Office) -> None:
    office.server.stored[812]["evaluation_runtime"] = "edge"
    entry = await save(office, set_field(812, "evaluation_runtime", "edge", "server"))
    assert expect(await undone(office, entry), Plan).values == {"evaluation_runtime": "edge"}


async def test_undo_sees_what_another_user_set_since(office: Office) -> None:
    off = await save(office, switch("turn off", 812))
    office.bob_writes(active=True)
    assert isinstance(await undone(office, off), NoOp)
    entry = await save(office, RENAMED)
    office.bob_writes(name="Bob's words")
    (conflict,) = expect(await undone(office, entry), Plan).conflicts
    assert (conflict.seen, conflict.mine, conflict.theirs) == ("Ada's words", "New checkout", "Bob's words")
    assert office.server.stored[812]["name"] == "Bob's words"


async def test_deletion_with_a_new_key_is_undone_as_a_whole(office: Office) -> None:
    seen: dict[str, JSON] = {"key": "checkout-v2", "deleted": False}
    entry = await save(office, Intent(812, {"key": "checkout-v3", "deleted": True}, "delete", seen=seen))
    # Servers add a suffix to the key of a deleted flag with experiments.
    office.server.stored[812]["key"] = "checkout-v3:deleted:812"
    assert isinstance(await undone(office, entry), Plan)
    stored = office.server.stored[812]
    assert (stored["key"], stored["deleted"]) == ("checkout-v2", False)


async def test_deletion_is_redone_after_the_key_was_restored(office: Office) -> None:
    office.server.stored[812] |= {"key": "checkout-v2:deleted:812", "deleted": True}
    entry = await save(office, switch("restore", 812))
    assert entry.key == "checkout-v2"
    assert office.server.stored[812]["key"] == "checkout-v2"
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["deleted"] is True


def targeting(share: int, **more: JSON) -> dict[str, Any]:
    group = {"properties": [], "rollout_percentage": share, "variant": None}
    return {"groups": [group], "payloads": {}, "multivariate": None, **more}


async def test_targeting_that_the_server_rewrote_by_rule_is_not_contested(office: Office) -> None:
    entry = await save(office, set_field(812, "filters", targeting(25), targeting(80)))
    stored: dict[str, JSON] = office.server.stored[812]["filters"]
    stored["groups"][0]["aggregation_group_type_index"] = stored["aggregation_group_type_index"] = None
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["filters"]["groups"][0]["rollout_percentage"] == 25


def sealed(payload: str, share: int = 25) -> dict[str, Any]:
    return targeting(share, payloads={"true": payload})


async def test_encrypted_flag_is_undone_around_its_payload(tmp_path: Path) -> None:
    before = sealed('"hunter2"')
    office = Office(tmp_path, filters=before, has_encrypted_payloads=True)
    entry = await save(office, set_field(812, "filters", before, sealed('"hunter2"', 50)))
    assert b"hunter2" not in office.journal.path.read_bytes()
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["filters"] == before
    entry = await save(office, set_field(812, "filters", before, sealed('"other"')))
    assert expect(await undone(office, entry), Blocked).code == "secret"


async def test_undo_of_a_creation_masks_an_encrypted_payload(tmp_path: Path) -> None:
    office = Office(tmp_path, filters=sealed('"hunter2"'), has_encrypted_payloads=True)
    entry = await save(office, set_field(812, "filters", sealed('"hunter2"'), sealed('"hunter2"', 50)))
    office.bob_writes(filters=sealed('"hunter3"'))
    plan = expect(await undone(office, replace(entry, verb="create")), Plan)
    assert ("filters",) in [conflict.path for conflict in plan.conflicts]
    assert "hunter" not in repr(plan.conflicts)


def test_one_u_takes_back_everything_that_was_confirmed_together(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for id, batch in (("a", ""), ("b", "x"), ("c", "x")):
        journal.begin(Entry(id, float(ord(id)), 812, "k", "turn off", signature=HERE, batch=batch))
        journal.finish(id, "saved")
    assert [entry.id for entry in next_undo(journal.entries(), HERE)] == ["c", "b"]
    journal.begin(Entry("d", 200.0, 812, "k", "turn on", signature=HERE, undoes="c"))
    journal.finish("d", "saved")
    assert [entry.id for entry in next_undo(journal.entries(), HERE)] == ["b"]
    assert [entry.id for entry in next_redo(journal.entries(), HERE)] == ["d"]
    assert next_redo(journal.entries(), replace(HERE, project="2")) == ()


Changed = dict[str, tuple[JSON, JSON]]


def entry(changed: Changed, activity: str = "updated", version: int = 12) -> Activity:
    both: dict[str, Any] = {**changed, "version": (version - 1, version)}
    return log_entry(activity, **both)


PUT_BACK = "Revert a change of"
ROLLED_OUT = entry({"filters": (targeting(10), targeting(25))})


def test_revert_restores_a_rollout_or_needs_nothing() -> None:
    plan = expect(plan_change(revert_of(ROLLED_OUT), flag(), CALM), Plan)
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10
    assert [line.where for line in plan.lines] == ["filters.groups[0].rollout_percentage"]
    assert plan.intent.seen_version == 12
    result = plan_change(revert_of(entry({"active": (True, False)})), flag(active=True, version=13), CALM)
    assert isinstance(result, NoOp)


@pytest.mark.parametrize(("changed", "activity", "expected", "title"), [
    ({"active": (False, True)}, "updated", {"active": False}, "Turn OFF"),
    ({"active": (True, False)}, "updated", {"active": True}, "Turn ON"),
    ({"deleted": (False, True), "key": ("k", "k:deleted:812")}, "updated", {"deleted": False}, "Restore"),
    ({}, "deleted", {"deleted": False}, "Restore"),
    ({}, "created", {"deleted": True}, "Delete"),
    ({}, "restored", {"deleted": True}, "Delete"),
    ({"tags": (None, ["a"]), "created_by": (1, 2)}, "updated", {"tags": []}, PUT_BACK),
    ({"name": ("Old", "New")}, "updated", {"name": "Old"}, PUT_BACK),
    ({"key": ("old", "checkout-v2")}, "updated", {"key": "old"}, "Change the key of"),
])  # fmt: skip
def test_each_kind_of_entry_has_its_undo(
    changed: Changed, activity: str, expected: dict[str, Any], title: str
) -> None:
    intent = expect(revert_of(entry(changed, activity)).intent(flag()), Intent)
    assert (intent.changes, verb(intent.verb).title) == (expected, title)


SECRET = flag(has_encrypted_payloads=True, filters=sealed("********* (encrypted)"))


@pytest.mark.parametrize(("logged", "fresh", "code"), [
    (ROLLED_OUT, flag(filters=targeting(75), version=14), "moved on"),
    (entry({}, "created", version=3), flag(version=12), "moved on"),
    (entry({}, "restored", version=3), flag(version=12), "moved on"),
    (entry({}), flag(), "unlogged"),
    (entry({"usage_dashboard": (1, 2)}), flag(), "field"),
    (entry({"filters": (sealed("gAAA1"), sealed("gAAA2"))}), SECRET, "secret"),
])  # fmt: skip
def test_what_cannot_be_set_again_says_so(logged: Activity, fresh: Flag, code: str) -> None:
    refusal = expect(plan_change(revert_of(logged), fresh, CALM), Blocked)
    assert (refusal.code, "gAAA" in refusal.reason) == (code, False)
    sides = (
        "filters.groups[0].rollout_percentage: this change made it 25, before that it was 10, now it is 75"
    )
    assert sides in refusal.reason or logged is not ROLLED_OUT


def test_reverts_never_write_encrypted_payloads() -> None:
    moved = entry({"filters": (sealed("gAAA", 10), sealed("gAAA"))})
    plan = expect(plan_change(revert_of(moved), SECRET, CALM), Plan)
    assert plan.body["filters"]["payloads"] == SECRET.filters["payloads"]
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10

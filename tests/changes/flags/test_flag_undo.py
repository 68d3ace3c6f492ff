"""Undo from the journal and from the activity: any change, without overwriting other users silently."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.conftest import CALM, flag, plan_change
from tests.changes.office import HERE, Office
from tests.doubles.expected import expect
from tests.doubles.log_entries import log_entry

from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import revert_of, undo_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Blocked
from flagtui.changes.undo import next_redo, next_undo
from flagtui.changes.verbs import verb
from flagtui.models.activity import Activity
from flagtui.models.json_value import JSON

NO_DEPENDENTS = Context(dependents=())


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
    off = await save(office, flag_intent.switch("turn off", 812))
    office.clock.now += 1
    await save(office, flag_intent.set_field(812, "name", "New checkout", "Ada's words"))
    await undone(office, off)
    assert (office.server.stored[812]["active"], office.server.stored[812]["name"]) == (True, "Ada's words")


async def test_undo_shows_three_sides_of_another_users_change(office: Office) -> None:
    entry = await save(office, flag_intent.set_field(812, "name", "New checkout", "Ada's words"))
    office.bob_writes(name="Bob's words")
    plan = expect(await undone(office, entry), Plan)
    assert [(conflict.seen, conflict.mine, conflict.theirs) for conflict in plan.conflicts] == [
        ("Ada's words", "New checkout", "Bob's words")
    ]
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
    entry = await save(office, flag_intent.switch("restore", 812))
    assert office.server.stored[812]["key"] == "checkout-v2"
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["deleted"] is True


async def test_what_somebody_has_put_back_already_needs_nothing(office: Office) -> None:
    entry = await save(office, flag_intent.switch("turn off", 812))
    office.bob_writes(active=True)
    assert isinstance(await undone(office, entry), NoOp)


async def test_targeting_that_the_server_rewrote_by_rule_is_not_contested(office: Office) -> None:
    seen = office.server.stored[812]["filters"]
    changed_filters = {**seen, "groups": [{**seen["groups"][0], "rollout_percentage": 80}]}
    entry = await save(office, flag_intent.set_field(812, "filters", seen, changed_filters))
    stored: dict[str, JSON] = office.server.stored[812]["filters"]
    stored["groups"][0]["aggregation_group_type_index"] = None
    stored["aggregation_group_type_index"] = None
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["filters"]["groups"][0]["rollout_percentage"] == 25


async def test_encrypted_flag_is_undone_around_its_payload(tmp_path: Path) -> None:
    filters = {"groups": [{"rollout_percentage": 25}], "payloads": {"true": '"hunter2"'}}
    office = Office(tmp_path, filters=filters, has_encrypted_payloads=True)
    changed_filters = {**filters, "groups": [{"rollout_percentage": 50}]}
    entry = await save(office, flag_intent.set_field(812, "filters", filters, changed_filters))
    assert b"hunter2" not in office.journal.path.read_bytes()
    assert isinstance(await undone(office, entry), Plan)
    assert office.server.stored[812]["filters"] == {**filters}
    filters = {"groups": [{"rollout_percentage": 25}], "payloads": {"true": '"hunter2"'}}
    office = Office(tmp_path / "other", filters=filters, has_encrypted_payloads=True)
    changed_filters = {**filters, "payloads": {"true": '"other"'}}
    entry = await save(office, flag_intent.set_field(812, "filters", filters, changed_filters))
    assert expect(await undone(office, entry), Blocked).code == "secret"


async def test_undo_of_a_creation_masks_an_encrypted_payload(tmp_path: Path) -> None:
    filters = {"groups": [{"rollout_percentage": 25}], "payloads": {"true": '"hunter2"'}}
    office = Office(tmp_path, filters=filters, has_encrypted_payloads=True)
    changed_filters = {**filters, "groups": [{"rollout_percentage": 50}]}
    entry = await save(office, flag_intent.set_field(812, "filters", filters, changed_filters))
    office.bob_writes(filters={**filters, "payloads": {"true": '"hunter3"'}})
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


def targeting(share: int, **more: JSON) -> dict[str, JSON]:
    group = {"properties": [], "rollout_percentage": share, "variant": None}
    return {"groups": [group], "payloads": {}, "multivariate": None, **more}


def entry(changed: Changed, activity: str = "updated", version: int = 12) -> Activity:
    both: dict[str, Any] = {**changed, "version": (version - 1, version)}
    return log_entry(activity, **both)


ROLLED_OUT = entry({"filters": (targeting(10), targeting(25))})


def test_revert_restores_a_rollout_or_needs_nothing() -> None:
    plan = expect(plan_change(revert_of(ROLLED_OUT), flag(), CALM), Plan)
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10
    assert [line.where for line in plan.lines] == ["filters.groups[0].rollout_percentage"]
    assert plan.intent.seen_version == 12
    result = plan_change(revert_of(entry({"active": (True, False)})), flag(active=True, version=13), CALM)
    assert isinstance(result, NoOp)


def test_revert_of_a_later_changed_place_shows_three_sides() -> None:
    fresh = flag(filters=targeting(75), version=14)
    refusal = expect(plan_change(revert_of(ROLLED_OUT), fresh, CALM), Blocked)
    assert refusal.code == "moved on"
    sides = "this change made it 25, before that it was 10, now it is 75"
    assert f"filters.groups[0].rollout_percentage: {sides}" in refusal.reason


@pytest.mark.parametrize(("changed", "activity", "expected"), [
    ({"active": (False, True)}, "updated", {"active": False}),
    ({"deleted": (False, True), "key": ("k", "k:deleted:812")}, "updated", {"deleted": False}),
    ({}, "deleted", {"deleted": False}),
    ({}, "created", {"deleted": True}),
    ({}, "restored", {"deleted": True}),
    ({"tags": (None, ["a"]), "created_by": (1, 2)}, "updated", {"tags": []}),
    ({"key": ("old", "checkout-v2")}, "updated", {"key": "old"}),
])  # fmt: skip
def test_each_kind_of_entry_has_its_undo(changed: Changed, activity: str, expected: dict[str, Any]) -> None:
    assert expect(revert_of(entry(changed, activity)).intent(flag()), Intent).changes == expected


@pytest.mark.parametrize("activity", ["created", "restored"])
def test_creation_is_not_reverted_after_later_changes(activity: str) -> None:
    refusal = expect(plan_change(revert_of(entry({}, activity, version=3)), flag(version=12), CALM), Blocked)
    assert refusal.code == "moved on"


@pytest.mark.parametrize(("changed", "code"), [({}, "unlogged"), ({"usage_dashboard": (1, 2)}, "field")])
def test_what_cannot_be_set_again_says_so(changed: Changed, code: str) -> None:
    assert expect(plan_change(revert_of(entry(changed)), flag(), CALM), Blocked).code == code


def test_reverts_never_write_encrypted_payloads() -> None:
    sealed = flag(
        has_encrypted_payloads=True, filters=targeting(25, payloads={"true": "********* (encrypted)"})
    )
    old, new = targeting(25, payloads={"true": "gAAA1"}), targeting(25, payloads={"true": "gAAA2"})
    refusal = expect(plan_change(revert_of(entry({"filters": (old, new)})), sealed, CALM), Blocked)
    assert refusal.code == "secret"
    assert "gAAA" not in refusal.reason
    shown = {"true": "********* (encrypted)"}
    sealed = flag(has_encrypted_payloads=True, filters=targeting(25, payloads=shown))
    kept = {"true": "gAAA"}
    moved = {"filters": (targeting(10, payloads=kept), targeting(25, payloads=kept))}
    plan = expect(plan_change(revert_of(entry(moved)), sealed, CALM), Plan)
    assert plan.body["filters"]["payloads"] == shown
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10


@pytest.mark.parametrize(("changed", "title"), [
    ({"active": (True, False)}, "Turn ON"),
    ({"key": ("old", "checkout-v2")}, "Change the key of"),
    ({"name": ("Old", "New")}, "Put back the previous values of"),
    ({"filters": ({"groups": []}, {"groups": [{}]})}, "Put back the previous values of"),
])  # fmt: skip
def test_question_of_a_revert_names_its_effect(changed: Changed, title: str) -> None:
    assert verb(expect(revert_of(entry(changed)).intent(flag()), Intent).verb).title == title

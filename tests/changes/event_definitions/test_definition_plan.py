"""The plan of an intent for a definition, of its undo and of its revert; its JSON in an editor."""

import json
from functools import partial
from typing import Any

import pytest
from tests.changes.event_definitions.conftest import AROUND, definition
from tests.doubles.expected import expect, require
from tests.doubles.log_entries import log_entry
from tests.doubles.tables import table

from flagtui.changes.editor_text import Faulty
from flagtui.changes.event_definitions.definition_intent import (
    KIND,
    EventIntent,
    definition_text,
    delete,
    edit_intent,
    hide,
    retag,
    set_field,
    tidy_tags,
    verify,
)
from flagtui.changes.event_definitions.definition_plan import (
    EventPlan,
    foresee_refusal,
    plan_event,
    plan_recreation,
)
from flagtui.changes.event_definitions.definition_save import plan_undo
from flagtui.changes.event_definitions.logged_changes import logged_change
from flagtui.changes.guard import Confirmation, GuardRules, Level, NotYet, Question, guard
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity
from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow

ID = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
TWO = ["old", "theirs"]
BOB = {"id": 7, "first_name": "Bob", "email": "bob@acme.com"}


def make_plan(intent: EventIntent, **fields: JSON) -> EventPlan:
    """For a definition with these fields."""
    return expect(plan_event(intent, definition(**fields), AROUND), EventPlan)


@table("intent, fields, body, words", {
    "a text": (set_field(ID, "description", "Joined", ""), {"description": ""}, {"description": "Joined"},
               "description: none → Joined"),
    "no owner": (set_field(ID, "owner", None, 7), {"owner": BOB}, {"owner": None},
                 "owner: bob@acme.com → none"),
    "another owner": (set_field(ID, "owner", 1, 7), {"owner": BOB}, {"owner": 1},
                      "owner: bob@acme.com → alice@acme.com"),
    "tags of two people": (retag(ID, "add", [" Billing "], ["old"]), {"tags": TWO},
                           {"tags": ["billing", "old", "theirs"]}, "tags: + billing"),
    "a tag less": (retag(ID, "remove", ["old"], ["old"]), {"tags": TWO}, {"tags": ["theirs"]}, "tags: − old"),
    "nothing is sent as null": (set_field(ID, "primary_property", "", "plan"), {"primary_property": "plan"},
                                {"primary_property": None}, "primary property: plan → none"),
})  # fmt: skip
def test_only_the_changed_field_is_sent(
    intent: EventIntent, fields: dict[str, JSON], body: dict[str, JSON], words: str
) -> None:
    plan = make_plan(intent, **fields)
    assert (plan.body, plan.conflicts, [line.words for line in plan.lines]) == (body, (), [words])


def test_field_that_the_server_does_not_show_is_refused() -> None:
    reject = set_field(ID, "enforcement_mode", "reject", "allow")
    assert foresee_refusal(reject, definition(enforcement_mode="allow")) is None
    refusal = require(foresee_refusal(reject, definition()))
    assert refusal.reason == "this server has no `enforcement_mode` and would ignore it"
    named = set_field(ID, "primary_property", "$pathname", "")
    assert foresee_refusal(named, definition(promoted_property=None)) is None
    assert foresee_refusal(named, definition()) is not None


def test_verification_hiding_and_their_ends_warn() -> None:
    shown = make_plan(verify(ID), hidden=True)
    assert (shown.body, shown.values) == ({"verified": True}, {"verified": True, "hidden": False})
    assert [line.words for line in shown.lines] == ["unverified → verified", "hidden → shown"]
    assert "verifying unhides" in shown.cautions[0].text
    hidden = make_plan(hide(ID), verified=True, verified_by=BOB)
    assert hidden.values == {"hidden": True, "verified": False}
    assert "hiding unverifies: it was verified by Bob" in hidden.cautions[0].text
    plan = make_plan(verify(ID, False), verified=True, verified_by=BOB)
    assert [caution.text for caution in plan.cautions] == ["who verified it, Bob, and when is forgotten"]
    assert plan_event(verify(ID), definition(verified=True), AROUND) is None


KEPT: JSON = {
    **{"description": "x", "tags": ["a", "b"], "owner": BOB, "verified": True, "hidden": True},
    **{"primary_property": "plan", "enforcement_mode": "reject", "default_columns": ["plan"]},
}


@table("intent, fields, label, words", {
    "events are rejected": (set_field(ID, "enforcement_mode", "reject", "allow"), {}, "Data",
                            "events that do not match are dropped permanently from now on"),
    "a deletion": (delete(ID), {}, "Permanent", "which cannot restore it"),
    "a deletion of an old event": (delete(ID), {"last_seen_at": "2020-01-01T00:00:00Z"}, "Comes back",
                                   "if the event is ever sent again"),
    "a deletion of a recent event": (delete(ID), {"last_seen_at": "2026-05-27T00:00:00Z"}, "Comes back",
                                     "with the next event, without its metadata; last seen 1 day ago"),
    "all that a definition has": (delete(ID), KEPT, "Lost",
     "description, 2 tags, owner, verified status, hidden status, primary property, schema enforcement"
     ", columns"),
    "a bare definition": (delete(ID), {"verified": False}, "Lost", "nothing set by a user"),
    "fields that are not reported": (delete(ID), {}, "Lost", "not known: this server does not report it"),
})  # fmt: skip
def test_question_names_what_is_lost(
    intent: EventIntent, fields: dict[str, JSON], label: str, words: str
) -> None:
    (consequence,) = [each for each in make_plan(intent, **fields).consequences if each.label == label]
    assert words in consequence.text
    assert consequence.tone == "danger" or label != "Data"


def ask(plan: EventPlan, rules: GuardRules) -> Question[EventPlan]:
    return expect(guard(Planned[Any, EventPlan](None, [plan]), rules), Question)


def test_deletion_needs_typing_at_every_level_verification_does_not() -> None:
    levels = (Level.RELAXED, Level.GUARDED, Level.STRICT)
    for rules in (*map(GuardRules, levels), GuardRules(Level.STRICT, is_unlocked=True)):
        question = ask(make_plan(delete(ID)), rules)
        assert question.type_this == "signed up"
        assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    assert ask(make_plan(verify(ID)), GuardRules(Level.GUARDED)).type_this is None


def test_a_name_that_could_deceive_is_confirmed_by_its_id() -> None:
    for name in ("sіgned up", " signed up", "a\tb", "x" * 90, ""):
        assert make_plan(delete(ID), name=name).type_to_confirm == ID[:8]


def test_making_again_leaves_out_what_the_server_keeps_for_itself() -> None:
    itself = {"id": ID, "hidden": False, "verified_at": "2026", "tags": []}
    plan = plan_recreation("signed up", {**itself, "description": "x", "verified": True}, AROUND)
    assert plan.body == {"description": "x", "verified": True}
    assert plan.is_new
    assert "who verified it and when" in plan.consequences[0].text


def test_tags_are_tidied_as_servers_keep_them() -> None:
    assert tidy_tags([" A", "a ", "", "b"]) == ("a", "b")


def an_entry(before: dict[str, JSON], after: dict[str, JSON]) -> Entry:
    """A saved change, as the journal has it."""
    return Entry("e", 0.0, 0, "signed up", "edit", kind=KIND, uuid=ID, before=before, after=after)


def test_undo_shows_later_changes_and_keeps_others_tags() -> None:
    entry = an_entry({"description": "Old", "owner": 1}, {"description": "Mine", "owner": 7})
    plan = expect(plan_undo(entry, definition(description="Theirs", owner=BOB), AROUND), EventPlan)
    assert [(c.where, c.seen, c.mine, c.theirs) for c in plan.conflicts] == [
        ("description", "Mine", "Old", "Theirs")
    ]
    assert plan.body == {"description": "Old", "owner": 1}
    assert isinstance(ask(plan, GuardRules(Level.RELAXED)).settle(Confirmation(yes=True)), NotYet)
    entry = an_entry({"tags": ["a", "b"]}, {"tags": ["a", "c"]})
    plan = expect(plan_undo(entry, definition(tags=["a", "c", "theirs"]), AROUND), EventPlan)
    assert (plan.body, plan.conflicts) == ({"tags": ["a", "b", "theirs"]}, ())
    (conflict,) = make_plan(set_field(ID, "description", "mine", "seen"), description="theirs").conflicts
    assert (conflict.seen, conflict.mine, conflict.theirs) == ("seen", "mine", "theirs")


@pytest.mark.parametrize(("before", "after", "verb"), [
    ({"hidden": False}, {"hidden": True}, "unhide"),
    ({"verified": True}, {"verified": False}, "verify"),
    ({"tags": ["a"]}, {"tags": []}, "retag"),
    ({"description": "Old"}, {"description": "New"}, "describe"),
    ({"hidden": False, "verified": True}, {"hidden": True, "verified": False}, "edit"),
])  # fmt: skip
def test_undo_has_the_verb_of_its_values(before: dict[str, JSON], after: dict[str, JSON], verb: str) -> None:
    plan = expect(plan_undo(an_entry(before, after), definition(**after), AROUND), EventPlan)
    assert plan.verb.name == verb


logged = partial(log_entry, about=("EventDefinition", "u1", "signed up"))


def test_revert_restores_logged_values_or_conflicts() -> None:
    change = expect(logged_change(logged(description=(None, "why"), verified=(False, True))), Entry)
    fresh = definition(description="why", verified=True, tags=["a"])
    plan = require(plan_undo(change, fresh, AROUND))
    assert (dict(plan.body), plan.conflicts) == ({"description": "", "verified": False}, ())
    change = expect(logged_change(logged(description=("old", "new"))), Entry)
    plan = require(plan_undo(change, definition(description="newest"), AROUND))
    assert [conflict.theirs for conflict in plan.conflicts] == ["newest"]


@pytest.mark.parametrize(("entry", "words"), [
    (logged("created"), "later changes of it cannot be ruled out"),
    (logged("deleted", name=("signed up", None)), "servers do not keep a deleted event definition"),
    (logged("last change"), "what it changed is not logged"),
    (logged(post_to_slack=(False, True)), "the old post to slack cannot be set again"),
    (logged(owner=("ada", 2)), "the log does not contain the previous owner"),
])  # fmt: skip
def test_revert_is_refused_where_the_log_rules_it_out(entry: Activity, words: str) -> None:
    assert words in expect(logged_change(entry), Blocked).reason


ROW = EventDefinitionRow("a", "paid", "Order paid", ("billing",), verified=True, owner_id=7)


def test_only_what_differs_becomes_the_intent() -> None:
    record = definition_text(ROW)
    assert record.read(record.text()) == {}
    changes = record.read(json.dumps({**record.shown, "tags": ["Billing ", "ops"], "owner": None}))
    assert not isinstance(changes, Faulty)
    assert edit_intent(ROW, changes) == EventIntent(
        "a", {"tags": ["billing", "ops"], "owner": None}, "edit", {"tags": ["billing"], "owner": 7}
    )
    assert edit_intent(ROW, {"tags": ["billing "]}) is None


@pytest.mark.parametrize(("text", "reason"), [
    ('{"name": "x"}', "`name` is not a field that can be edited here"),
    ("{}", "`owner` is missing"),
    ('{"owner": true}', "owner must be the number of a person or null"),
    ('{"tags": [1]}', "tags must be a list of texts"),
    ('{"enforcement_mode": "drop"}', "enforcement_mode must be allow, reject"),
    ('{"hidden": true}', "an event cannot be both"),
])  # fmt: skip
def test_what_is_no_edit_is_said(text: str, reason: str) -> None:
    assert any(reason in line for line in expect(definition_text(ROW).read(text), Faulty).reasons)


def test_an_id_that_is_no_file_name_names_no_file() -> None:
    for id in ("../../etc/passwd", "a/b", ""):
        assert definition_text(EventDefinitionRow(id, "paid")).file == "event"

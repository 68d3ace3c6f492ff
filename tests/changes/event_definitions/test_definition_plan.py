"""The plan of an intent for a definition as it is now, in words and on the wire."""

from tests.changes.event_definitions.conftest import AROUND, definition
from tests.changes.writing import approve
from tests.doubles.expected import expect

from flagtui.changes.event_definitions.definition_intent import (
    KIND,
    delete,
    hide,
    retag,
    set_field,
    tidy_tags,
    verify,
)
from flagtui.changes.event_definitions.definition_plan import EventPlan, plan_event, plan_recreation
from flagtui.changes.event_definitions.definition_save import plan_undo
from flagtui.changes.guard import Confirmation, GuardRules, Level, NotYet, Question, guard
from flagtui.changes.journal_entries import Entry
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

ID = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
BOB = {"id": 7, "first_name": "Bob", "email": "bob@acme.com"}


def planned(found: EventPlan | None) -> EventPlan:
    assert isinstance(found, EventPlan)
    return found


def test_only_the_changed_field_is_sent() -> None:
    plan = planned(
        plan_event(set_field(ID, "description", "Somebody joined", ""), definition(description=""), AROUND)
    )
    assert plan.body == {"description": "Somebody joined"}
    assert [line.words for line in plan.lines] == ["description: none → Somebody joined"]


def test_what_is_so_already_needs_nothing() -> None:
    assert plan_event(verify(ID), definition(verified=True), AROUND) is None


def test_verifying_a_hidden_event_says_that_it_un_hides() -> None:
    plan = planned(plan_event(verify(ID), definition(hidden=True), AROUND))
    assert (plan.body, plan.values) == ({"verified": True}, {"verified": True, "hidden": False})
    assert [line.words for line in plan.lines] == ["unverified → verified", "hidden → shown"]
    assert "verifying un-hides" in plan.cautions[0].text


def test_hiding_a_verified_event_says_who_is_forgotten() -> None:
    plan = planned(plan_event(hide(ID), definition(verified=True, verified_by=BOB), AROUND))
    assert plan.values == {"hidden": True, "verified": False}
    assert "hiding un-verifies: it was verified by Bob" in plan.cautions[0].text


def test_an_owner_is_read_as_a_person_and_written_as_a_number() -> None:
    plan = planned(plan_event(set_field(ID, "owner", 1, 7), definition(owner=BOB), AROUND))
    assert (plan.body, plan.lines[0].words) == ({"owner": 1}, "owner: user 7 → alice@acme.com")
    nobody = planned(plan_event(set_field(ID, "owner", None, 7), definition(owner=BOB), AROUND))
    assert nobody.body == {"owner": None}


def test_tags_of_two_people_are_put_together() -> None:
    intent = retag(ID, "add", [" Billing "], ["old"])
    plan = planned(plan_event(intent, definition(tags=["old", "theirs"]), AROUND))
    assert plan.body == {"tags": ["billing", "old", "theirs"]}
    assert not plan.clashes
    gone = planned(
        plan_event(retag(ID, "remove", ["old"], ["old"]), definition(tags=["old", "theirs"]), AROUND)
    )
    assert gone.body == {"tags": ["theirs"]}


def test_a_description_somebody_else_wrote_meanwhile_is_a_clash() -> None:
    plan = planned(
        plan_event(set_field(ID, "description", "mine", "seen"), definition(description="theirs"), AROUND)
    )
    assert [(clash.seen, clash.mine, clash.theirs) for clash in plan.clashes] == [("seen", "mine", "theirs")]


def test_a_property_is_cleared_with_null_never_with_nothing() -> None:
    plan = planned(
        plan_event(
            set_field(ID, "primary_property", "", "$pathname"),
            definition(primary_property="$pathname"),
            AROUND,
        )
    )
    assert plan.body == {"primary_property": None}


def test_rejecting_says_that_data_is_lost() -> None:
    plan = planned(plan_event(set_field(ID, "enforcement_mode", "reject", "allow"), definition(), AROUND))
    assert any("dropped from now on" in found.text and found.tone == "danger" for found in plan.consequences)


def test_a_deletion_says_that_it_is_real_and_what_is_lost_and_what_comes_back() -> None:
    seen = "2026-05-27T00:00:00Z"
    fresh = definition(description="x", tags=["a", "b"], owner=BOB, verified=True, last_seen_at=seen)
    plan = planned(plan_event(delete(ID), fresh, AROUND))
    told = " ".join(f"{found.label} {found.text}" for found in plan.consequences)
    assert "which cannot restore it" in told
    assert "with the next event, without its metadata; last seen" in told
    assert "description, 2 tags, owner, that it is verified" in told
    assert (plan.before["tags"], plan.before["owner"]) == (["a", "b"], 7)


def test_a_deletion_is_typed_at_every_level_and_a_verification_is_not() -> None:
    plan = planned(plan_event(delete(ID), definition(), AROUND))
    for level in (Level.RELAXED, Level.GUARDED, Level.STRICT):
        question = expect(guard([plan], GuardRules(level)), Question)
        assert question.type_this == "signed up"
        assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    unlocked = expect(guard([plan], GuardRules(Level.STRICT, is_unlocked=True)), Question)
    assert unlocked.type_this == "signed up"
    verified = guard([planned(plan_event(verify(ID), definition(), AROUND))], GuardRules(Level.GUARDED))
    assert isinstance(verified, Question)
    assert verified.type_this is None


def test_a_name_that_could_deceive_is_confirmed_by_its_id() -> None:
    for name in ("sіgned up", " signed up", "a\tb", "x" * 90, ""):
        assert planned(plan_event(delete(ID), definition(name=name), AROUND)).type_to_confirm == ID[:8]


def test_many_are_counted_by_their_own_noun() -> None:
    plans = [
        planned(
            plan_event(verify(f"{ID}{n}"), EventDefinition.of({"id": f"{ID}{n}", "name": f"e{n}"}), AROUND)
        )
        for n in range(3)
    ]
    question = expect(guard(plans, GuardRules(Level.GUARDED, place="PROD")), Question)
    assert question.title == "Verify 3 event definitions in PROD"
    assert approve(*plans).batch


def test_making_again_leaves_out_what_the_server_keeps_for_itself() -> None:
    kept = {
        "id": ID,
        "description": "x",
        "verified": True,
        "hidden": False,
        "verified_at": "2026",
        "tags": [],
    }
    plan = plan_recreation("signed up", kept, AROUND)
    assert plan.body == {"description": "x", "verified": True}
    assert plan.is_new
    assert "who verified it and when" in plan.consequences[0].text


def test_tags_are_tidied_as_servers_keep_them() -> None:
    assert tidy_tags([" A", "a ", "", "b"]) == ("a", "b")


def test_an_old_definition_is_not_said_to_come_back_soon() -> None:
    plan = planned(plan_event(delete(ID), definition(last_seen_at="2020-01-01T00:00:00Z"), AROUND))
    assert any(found.text.startswith("if the event is ever sent again") for found in plan.consequences)


def an_entry(before: dict[str, JSON], after: dict[str, JSON]) -> Entry:
    """A saved change, as the journal has it."""
    return Entry("e", 0.0, 0, "signed up", "edit", kind=KIND, uuid=ID, before=before, after=after)


def test_undoing_what_somebody_changed_since_has_three_sides_and_asks_about_theirs() -> None:
    entry = an_entry({"description": "Old", "owner": 1}, {"description": "Mine", "owner": 7})
    plan = planned(plan_undo(entry, definition(description="Theirs", owner=BOB), AROUND))
    assert [(c.where, c.seen, c.mine, c.theirs) for c in plan.clashes] == [
        ("description", "Mine", "Old", "Theirs")
    ]
    assert plan.body == {"description": "Old", "owner": 1}
    question = expect(guard([plan], GuardRules(Level.RELAXED)), Question)
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)


def test_undoing_tags_keeps_those_that_others_added_since() -> None:
    entry = an_entry({"tags": ["a", "b"]}, {"tags": ["a", "c"]})
    plan = planned(plan_undo(entry, definition(tags=["a", "c", "theirs"]), AROUND))
    assert (plan.body, plan.clashes) == ({"tags": ["a", "b", "theirs"]}, ())

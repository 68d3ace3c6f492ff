"""One approved plan, one request, and a word about its end that is true."""

from tests.changes.office import HERE, Office
from tests.doubles.expected import require

from flagtui.api import errors
from flagtui.changes.flags import flag_intent


async def test_saved_toggle_is_off_on_server_and_closed_in_journal(office: Office) -> None:
    outcome = await office.change()
    assert outcome.is_saved
    assert outcome.record is not None
    assert (outcome.record.active, outcome.record.version, outcome.remarks) == (False, 13, ())
    assert (outcome.plan.verb.done, outcome.undo_words) == ("is off", "turn it on again")
    entry = office.journal.entries()[0]
    assert (entry.ending, entry.saved_version, entry.signature) == ("saved", 13, HERE)
    assert office.server.log == [("ada@acme.test", 812, {"active": False})]


async def test_a_version_gap_says_that_somebody_else_wrote_too(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    outcome = await office.change()
    assert outcome.is_saved
    assert outcome.remarks == (
        "saved; another user changed it meanwhile, 1 time",
        "changed outside the plan: description: New checkout → Bob's words",
    )


async def test_a_conflict_brings_both_sides(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    outcome = await office.change(flag_intent.set_field(812, "name", "New checkout", "Ada's words"))
    assert outcome.ending == "conflicted"
    assert require(outcome.record).name == "Bob's words"
    conflict = outcome.conflicts[0]
    assert (conflict.seen, conflict.mine, conflict.theirs) == ("New checkout", "Ada's words", "Bob's words")
    assert office.journal.entries()[0].ending == "conflicted"
    assert outcome.reason == "bob@acme.test changed the same thing first"


async def test_a_conflict_over_our_own_success_delivered_twice_is_saved(office: Office) -> None:
    def deliver_before() -> None:
        office.server.apply(
            "ada@acme.test",
            812,
            {"name": "Ada's words", "version": 12, "original_flag": {"name": "New checkout"}},
        )

    office.ada.before_update = deliver_before
    office.ada.faults = [errors.Conflict("The feature flag was updated by ada@acme.test.")]
    assert (await office.change(flag_intent.set_field(812, "name", "New checkout", "Ada's words"))).is_saved


async def test_stale_plan_is_held_after_another_write_else_sent(office: Office) -> None:
    plan = await office.plan()
    office.bob_writes(name="Bob's words")
    office.clock.now += 31
    assert ((await office.save(plan)).ending, office.ada.sends) == ("conflicted", 0)
    plan = await office.plan()
    office.clock.now += 3600
    assert (await office.save(plan)).is_saved


async def test_tags_which_the_server_cannot_compare_are_read_again_first(office: Office) -> None:
    plan = await office.plan(flag_intent.set_field(812, "tags", ["checkout"], ["checkout", "ada"]))
    office.server.stored[812]["tags"] = ["checkout", "bob"]
    assert (await office.save(plan)).ending == "conflicted"
    assert office.server.stored[812]["tags"] == ["checkout", "bob"]


async def test_a_yes_that_changed_nothing_is_refused(office: Office) -> None:
    office.ada.faults = ["ignore it"]
    outcome = await office.change()
    assert outcome.ending == "refused"
    assert "did not change it" in outcome.reason

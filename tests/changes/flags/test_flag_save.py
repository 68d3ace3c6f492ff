"""One approved plan, one request, and a word about its end that is true."""

import asyncio
import errno
import os

import pytest
from tests.changes.office import HERE, Office
from tests.changes.writing import Writing
from tests.doubles.expected import expect

from flagtui.api import errors
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Approved, Around, Confirmation, GuardRules, Level, NotYet, Question, guard
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.pipeline import write


async def test_a_saved_toggle_is_off_on_the_server_and_closed_in_the_journal(office: Office) -> None:
    outcome = await office.turn_off()
    assert outcome.is_saved
    assert outcome.record is not None
    assert (outcome.record.active, outcome.record.version, outcome.remarks) == (False, 13, ())
    assert (outcome.plan.verb.done, outcome.undo_words) == ("is off", "turn it on again")
    entry = office.journal.entries()[0]
    assert (entry.ending, entry.saved_version, entry.signature) == ("saved", 13, HERE)
    assert office.server.log == [("ada@acme.test", 812, {"active": False})]


async def test_the_journal_has_the_change_before_the_request_leaves(office: Office) -> None:
    seen: list[int] = []
    office.ada.before_update = lambda: seen.append(len(office.journal.unresolved()))
    await office.turn_off()
    assert seen == [1]


async def test_without_a_journal_nothing_is_sent(office: Office) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    office.save_context = Writing(
        office.ada.adapter,
        Journal(office.journal.folder, disk=Disk(write=full)),
        HERE,
        office.clock,
    )
    outcome = await office.turn_off()
    assert outcome.ending == "refused"
    assert "No space left" in outcome.reason
    assert office.ada.sends == 0


async def test_a_person_can_agree_to_go_without_the_journal_and_cannot_undo_then(office: Office) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    save_context = Writing(
        office.ada.adapter,
        Journal(office.journal.folder, disk=Disk(write=full)),
        HERE,
        office.clock,
    )
    plan = await office.plan()
    refused = await save_context.save(office.approve(plan))
    assert refused.is_without_journal
    question = guard([plan], GuardRules(Level.RELAXED), Around(without_journal=refused.reason))
    assert isinstance(question, Question)
    assert isinstance(question.settle(Confirmation(yes=True)), NotYet)
    approved = expect(question.settle(Confirmation(yes=True, without_journal=True)), Approved)
    outcome = await save_context.save(approved)
    assert outcome.is_saved
    assert outcome.undo_words == ""


async def test_a_disk_that_fills_up_meanwhile_does_not_change_the_outcome(office: Office) -> None:
    writes = 0

    def full_the_second_time(descriptor: int, data: bytes) -> int:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.write(descriptor, data)

    journal = Journal(office.journal.folder, disk=Disk(write=full_the_second_time))
    writing = Writing(office.ada.adapter, journal, HERE, office.clock)
    outcome = await writing.save(office.approve(await office.plan()))
    assert outcome.is_saved
    assert "could not be written down" in outcome.note


async def test_an_approval_saves_once(office: Office) -> None:
    approved = office.approve(await office.plan())
    await office.save_context.save(approved)
    with pytest.raises(ValueError, match="used before"):
        await office.save_context.save(approved)
    assert office.ada.sends == 1


async def test_a_plan_nobody_approved_is_not_sent(office: Office) -> None:
    approved = office.approve(await office.plan())
    other = await office.plan(flag_intent.switch("delete", 812))
    with pytest.raises(ValueError, match="not approved"):
        await write(approved, [other], office.save_context.adapter, office.save_context.context)
    assert office.ada.sends == 0


async def test_a_version_gap_says_that_somebody_else_wrote_too(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    outcome = await office.turn_off()
    assert outcome.is_saved
    assert outcome.remarks == (
        "saved; somebody else changed it meanwhile, 1 time",
        "moved beyond the plan: description: New checkout → Bob's words",
    )


async def test_a_conflict_brings_both_sides(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    wanted = flag_intent.set_field(812, "name", "New checkout", "Ada's words")
    outcome = await office.save_context.save(office.approve(await office.plan(wanted)))
    assert outcome.ending == "conflicted"
    assert outcome.record is not None
    assert outcome.record.name == "Bob's words"
    clash = outcome.clashes[0]
    assert (clash.seen, clash.mine, clash.theirs) == ("New checkout", "Ada's words", "Bob's words")
    assert office.journal.entries()[0].ending == "conflicted"


async def test_a_conflict_over_our_own_success_delivered_twice_is_saved(office: Office) -> None:
    def deliver_before() -> None:
        office.server.apply(
            "ada@acme.test",
            812,
            {"name": "Ada's words", "version": 12, "original_flag": {"name": "New checkout"}},
        )

    office.ada.before_update = deliver_before
    office.ada.faults = [errors.Conflict("The feature flag was updated by ada@acme.test.")]
    wanted = flag_intent.set_field(812, "name", "New checkout", "Ada's words")
    outcome = await office.save_context.save(office.approve(await office.plan(wanted)))
    assert outcome.is_saved


async def test_an_old_plan_is_held_back_when_somebody_wrote_since(office: Office) -> None:
    plan = await office.plan()
    office.bob_writes(name="Bob's words")
    office.clock.now += 31
    assert (await office.save_context.save(office.approve(plan))).ending == "conflicted"
    assert office.ada.sends == 0


async def test_an_old_plan_goes_out_when_nothing_moved(office: Office) -> None:
    plan = await office.plan()
    office.clock.now += 3600
    assert (await office.save_context.save(office.approve(plan))).is_saved


async def test_tags_which_the_server_cannot_compare_are_read_again_first(office: Office) -> None:
    plan = await office.plan(flag_intent.set_field(812, "tags", ["checkout"], ["checkout", "ada"]))
    office.server.stored[812]["tags"] = ["checkout", "bob"]
    assert (await office.save_context.save(office.approve(plan))).ending == "conflicted"
    assert office.server.stored[812]["tags"] == ["checkout", "bob"]


async def test_a_yes_that_changed_nothing_is_refused(office: Office) -> None:
    office.ada.faults = ["ignore it"]
    outcome = await office.turn_off()
    assert outcome.ending == "refused"
    assert "did not change it" in outcome.reason


A_LONG_PAUSE = errors.ErrorFacts("PATCH", True, status=429, retry_after=600)
NOT_APPLIED: list[tuple[errors.ApiError, str]] = [
    (errors.Unreachable("no route"), "failed"),
    (errors.NotSignedIn("key revoked"), "refused"),
    (errors.MissingScope("no write scope"), "refused"),
    (errors.NotFound("gone"), "refused"),
    (errors.Invalid("bad value"), "refused"),
    (errors.RateLimited("slow down", facts=A_LONG_PAUSE), "refused"),
    (errors.PaymentNeeded("quota"), "refused"),
    (errors.Redirected("elsewhere"), "refused"),
    (errors.ApprovalNeeded("approval"), "awaiting approval"),
]


@pytest.mark.parametrize(("error", "ending"), NOT_APPLIED, ids=[type(row[0]).__name__ for row in NOT_APPLIED])
async def test_what_the_server_did_not_do_is_said_so_and_is_not_looked_up(
    office: Office, error: errors.ApiError, ending: str
) -> None:
    office.ada.faults = [error]
    assert (await office.turn_off()).ending == ending
    assert office.journal.entries()[0].ending == ending
    assert (office.ada.sends, office.clock.slept) == (1, [])


async def test_a_write_applied_twice_is_saved_with_the_gap_told(office: Office) -> None:
    office.ada.faults = ["apply twice"]
    outcome = await office.turn_off()
    assert outcome.is_saved
    assert "1 time" in outcome.remarks[0]


async def test_stopping_the_program_in_the_middle_leaves_an_open_entry(office: Office) -> None:
    async def never(*args: object, **kwargs: object) -> object:
        raise asyncio.CancelledError

    class Stalled:
        get = office.ada.get
        update = staticmethod(never)

    save_context = Writing(FlagAdapter(Stalled()), office.journal, HERE, office.clock)  # type: ignore[arg-type]
    with pytest.raises(asyncio.CancelledError):
        await save_context.save(office.approve(await office.plan()))
    assert [entry.ending for entry in office.journal.unresolved()] == ["unknown"]

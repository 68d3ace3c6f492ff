"""The pipeline of changes, held by an imaginary kind of record: what an adapter gets without asking."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.kettle import (
    HERE,
    KETTLE,
    LONG_PAUSE,
    Kettle,
    KettleEntries,
    Kitchen,
    Room,
    Together,
    make_kettle,
    room_of,
)
from tests.changes.writing import PLAIN, approve
from tests.doubles.expected import expect

from flagtui.api import errors
from flagtui.api.errors import (
    ApiError,
    ErrorFacts,
    MissingScope,
    NotSignedIn,
    PaymentNeeded,
    RateLimited,
    Unanswered,
)
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.journal_entries import Ending
from flagtui.changes.pipeline import stops_all, write
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome
from flagtui.changes.recovery import recover_all
from flagtui.changes.undo import KINDS, kind_of, next_undo, parts_left, undo_words, undoable


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return room_of(tmp_path / "journal")


async def test_intent_is_on_disk_before_sending_and_outcome_after(room: Room) -> None:
    (outcome,) = await room.boil()
    (entry,) = room.journal.entries()
    assert room.kitchen.open_when_asked == [True]
    assert (outcome.ending, entry.ending, entry.id) == ("saved", "saved", outcome.journal_id)
    assert (entry.key, entry.verb, entry.kind, entry.after) == ("kettle", "boil", "kettle", {"degrees": 100})
    assert entry.pid > 0
    assert outcome.undo_words == "let it cool"


@pytest.mark.parametrize(("age", "compares"), [(31, True), (1, False)])
async def test_old_or_uncompared_reads_are_read_again_before_sending(
    age: float, compares: bool, room: Room
) -> None:
    room.kitchen.compares = compares
    plan = make_kettle("kettle", read_at=room.clock.time())
    room.clock.now += age
    for now, ending, requests in ((45, "conflicted", ["read"]), (20, "saved", ["read", "send kettle"])):
        room.kitchen.now, room.kitchen.requests = now, []
        (outcome,) = await room.boil(plan)
        assert (outcome.ending, room.kitchen.requests) == (ending, requests)
    assert len(room.journal.entries()) == 1


async def test_fresh_compared_read_is_sent_at_once(room: Room) -> None:
    await room.boil(make_kettle("kettle", read_at=room.clock.time()))
    assert room.kitchen.requests == ["send kettle"]


@pytest.mark.parametrize(("error", "ending", "goes_on"), [
    (errors.Unreachable("No way there."), "failed", False),
    (errors.NotSignedIn("The key is revoked."), "refused", False),
    (errors.MissingScope("The key may not write."), "refused", False),
    (errors.PaymentNeeded("The quota is used up."), "refused", False),
    (errors.RateLimited("Slower.", facts=LONG_PAUSE), "refused", False),
    (errors.NotFound("Not found."), "refused", True),
    (errors.Invalid("A bad value."), "refused", True),
    (errors.Redirected("It is elsewhere."), "refused", True),
    (errors.ApprovalNeeded("It waits."), "awaiting approval", True),
], ids=lambda value: type(value).__name__ if isinstance(value, ApiError) else "")  # fmt: skip
async def test_refused_change_is_not_looked_up_and_stops_the_rest(
    error: ApiError, ending: Ending, goes_on: bool, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[error])
    outcomes = await room.boil(make_kettle("one"), make_kettle("two"))
    assert [outcome.ending for outcome in outcomes] == [ending, *["saved"] * goes_on]
    assert room.kitchen.requests == ["send one", *["send two"] * goes_on]
    first = room.journal.entries()[-1]
    assert (first.ending, first.note, room.clock.slept) == (ending, outcomes[0].reason, [])


LATER = "the change now waits for approval in the browser"
PENDING = "an earlier request waits for approval in the browser, and no new one was made"


@pytest.mark.parametrize(("error", "reason", "next"), [
    (errors.ApprovalNeeded("409", facts=ErrorFacts(code="approval_required")), LATER, ""),
    (errors.ApprovalNeeded("409", facts=ErrorFacts(code="change_request_pending")), PENDING,
     "have that request approved or rejected, then try again"),
    (errors.EndpointNotFound("Unknown."), "Unknown", errors.EndpointNotFound.advice),
    (errors.NotFound("Not found."), "Not found", errors.NotFound.advice),
])  # fmt: skip
async def test_refusal_says_what_is_true_and_what_to_do(
    error: ApiError, reason: str, next: str, tmp_path: Path
) -> None:
    (outcome,) = await room_of(tmp_path, faults=[error]).boil()
    assert outcome.reason.startswith(reason)
    assert outcome.next.startswith(next)
    assert bool(outcome.next) is bool(next)


@pytest.mark.parametrize("agreed_to", ["", "no space left"])
async def test_unwritable_journal_sends_only_where_that_was_approved(agreed_to: str, tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    room = room_of(tmp_path / "in the way")
    (outcome,) = await room.boil(asked_with=replace(PLAIN, without_journal=agreed_to))
    expected = ("saved", 1, False) if agreed_to else ("refused", 0, True)
    assert (outcome.ending, len(room.kitchen.requests), outcome.is_without_journal) == expected
    assert (outcome.journal_id, outcome.undo_words) == ("", "")


async def test_unwritable_outcome_is_noted_and_not_raised(tmp_path: Path) -> None:
    class Filling(Kitchen):
        async def send(self, plan: Kettle) -> Outcome[Kettle, int]:
            for file in self.journal.folder.iterdir():
                file.unlink()
            self.journal.folder.rmdir()
            self.journal.folder.write_text("")
            return Outcome(plan, "saved", 100)

    room = room_of(tmp_path / "journal")
    room.writing.adapter = Filling(room.journal)
    (outcome,) = await room.boil()
    assert outcome.is_saved
    assert outcome.note.startswith("the outcome could not be recorded: ")


async def test_plans_of_one_request_have_an_entry_each(room: Room) -> None:
    room.writing.adapter = Together(room.journal)
    outcomes = await room.boil(*(make_kettle(name) for name in ("one", "two", "three")))
    entries = {entry.key: entry for entry in room.journal.entries()}
    assert [outcome.ending for outcome in outcomes] == ["saved", "refused", "saved"]
    assert [entries[key].ending for key in ("one", "two", "three")] == ["saved", "refused", "saved"]
    assert entries["two"].note == "no water"
    assert entries["one"].batch
    assert len({entry.batch for entry in entries.values()}) == 1


async def test_unapproved_plan_is_never_sent_and_approval_makes_one_batch(room: Room) -> None:
    approved = approve(make_kettle("other"))
    with pytest.raises(ValueError, match="not approved"):
        await write(approved, [KETTLE], room.kitchen, room.writing.context, {})
    assert room.kitchen.requests == []
    await room.writing.send(approved)
    with pytest.raises(ValueError, match="used before"):
        await room.writing.send(approved)
    assert room.kitchen.requests == ["send other"]


@pytest.mark.parametrize(("ending", "error", "stops"), [
    ("unknown", None, True),
    ("failed", None, True),
    ("refused", RateLimited("Slower."), True),
    ("refused", None, False),
    ("conflicted", None, False),
    ("saved", None, False),
])  # fmt: skip
def test_what_would_happen_to_next_one_stops_all(ending: Ending, error: ApiError | None, stops: bool) -> None:
    assert stops_all(Outcome(KETTLE, ending, error=error)) is stops


class Teapot(Kettle, frozen=True, kw_only=True):
    """Another kind of plan of the same set."""


@pytest.mark.parametrize(("error", "sent"), [
    (PaymentNeeded("Not in the plan."), ["one", "pot"]),
    (MissingScope("Not with this key."), ["one", "pot"]),
    (NotSignedIn("Who are you?"), ["one"]),
])  # fmt: skip
async def test_refused_kind_leaves_other_kinds_to_be_sent(
    room: Room, error: ApiError, sent: list[str]
) -> None:
    room.kitchen.faults = [error]
    outcomes = await room.boil(make_kettle("one"), make_kettle("two"), Teapot(key="pot"))
    assert [outcome.plan.key for outcome in outcomes] == sent
    assert room.kitchen.requests == [f"send {key}" for key in sent]


async def test_new_kind_is_recovered_and_undone_by_its_entries(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "kettle", KettleEntries(room.kitchen))
    client: Any = SimpleNamespace(project=HERE.project)
    (outcome,) = await room.boil()
    (entry,) = next_undo(room.journal.entries(), HERE)
    assert (entry.id, undo_words([entry])) == (outcome.journal_id, "let kettle cool")
    context = UndoContext(client, room.clock, entries=room.journal.entries())
    (part,) = await parts_left(entry, context.entries, client)
    prepared = expect(await kind_of(part.entry.kind).prepare_undo(part.entry, context), Planned)
    back = expect(prepared.plans[0], Kettle)
    room.kitchen.faults.append(Unanswered("No answer."))
    unknown = await room.writing.save(approve(back), undoes=part.undoes.id)
    assert (unknown.ending, undoable(room.journal.entries(), HERE)) == ("unknown", [entry])
    room.kitchen.now = back.degrees
    (recovery,) = await recover_all(room.journal, client, HERE)
    assert recovery.verdict == "applied"
    assert next_undo(room.journal.entries(), HERE) == ()
    assert await kind_of(part.entry.kind).prepare_undo(part.entry, context) is None

"""The interface of a kind of record to the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from flagtui.api.clock import Clock, SystemClock
from flagtui.changes.journal import Journal, JournalUnwritable, Numbered, Stored
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.proposal import Outcome, P, R

if TYPE_CHECKING:
    from flagtui.api.whole_records import ChangeRequests


class WriteContext(msgspec.Struct, frozen=True):
    """The journal, user, clock and limits of the writes of one front end."""

    journal: Journal
    signature: Signature = msgspec.field(default_factory=Signature)
    clock: Clock = msgspec.field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None
    """Shows progress while the response is missing."""
    wait: float | None = None
    """Seconds to wait for a lost response, a requested pause or an approval.

    None waits for each as long as it usually takes, and for no approval.
    """
    requests: ChangeRequests | None = None
    """Reads what became of a request for approval."""
    on_lost: Callable[[int], None] = lambda _changes: None
    """Receives the number of changes whose response was lost, before their outcome is looked up."""

    def is_watched(self, outcome: Outcome[P, R]) -> bool:
        """Return whether to look up the outcome: unknown ones, and with `wait` pending approvals."""
        return outcome.ending == "unknown" or (outcome.ending == "awaiting approval" and bool(self.wait))

    async def close_entry(self, begun: str, outcome: Outcome[P, R], adapter: Adapter[P, R]) -> Outcome[P, R]:
        """Close the journal entry with the id `begun`; a failure becomes the note of the outcome.

        The remarks of a saved revert name the fields that it cannot set again.
        """
        if outcome.is_saved and (left := outcome.plan.unrestored):
            outcome = replace(outcome, remarks=(*outcome.remarks, left))
        if not begun:
            return outcome
        record, why, note = adapter.stored_record(outcome), outcome.note or outcome.reason, ""
        finish = partial(self.journal.finish, begun, outcome.ending, record, why)
        try:
            request = None if outcome.error is None else outcome.request
            await asyncio.to_thread(finish, outcome.server_values, request)
        except JournalUnwritable as fault:
            # The entry stays open, and the next start recovers it.
            note = f"the outcome could not be recorded: {fault}"
        return replace(outcome, journal_id=begun, note=note)


class Adapter(Protocol[P, R]):
    """Rules of one kind of record. The pipeline sends each plan once."""

    is_all_or_nothing: bool = False
    """Whether one conflict found before the first request keeps all plans from being sent."""

    is_approved_whole: bool = True
    """Whether a request for approval has the whole change."""

    def journal_entry(self, plan: P) -> Entry:
        """Return the entry for the journal; the pipeline adds the author, time and reason."""

    def is_compared(self, plan: P) -> bool:
        """Return whether the server itself refuses the plan when its record has changed."""
        return True

    async def read(self, plan: P) -> R | None:
        """Read the current record; None for a new record that does not exist yet. Raises ApiError."""

    def conflict(self, plan: P, now: R) -> Outcome[P, R] | None:
        """Return the conflict of the plan with the current record; None without one."""

    async def send(self, plan: P) -> Outcome[P, R]:
        """Send one request and compare the response with the plan. Raises ApiError."""

    async def find(self, plan: P) -> R | None:
        """Find the record of a request whose response was lost. Raises ApiError."""
        return await self.read(plan)

    def judge(self, plan: P, seen: R | None) -> Outcome[P, R] | None:
        """Return the outcome when this record shows that the plan was applied, else None."""

    def is_as_before(self, plan: P, seen: R | None) -> bool:
        """Return whether this record shows that the plan was not applied, after the watch ended."""
        return True

    def stored_record(self, outcome: Outcome[P, R]) -> Stored | None:
        """Return the number and version for the journal; None when they are unknown."""
        # A record that was created again has another number.
        return Numbered(getattr(outcome.record, "id", outcome.plan.id))

    def groups(self, plans: Sequence[P]) -> Iterable[Sequence[P]]:
        """Return the plans in the order of sending, grouped by request."""
        return [(plan,) for plan in plans]

    async def send_group(self, plans: Sequence[P]) -> Sequence[Outcome[P, R]]:
        """Send a group, in one request where the kind has a bulk request. Raises ApiError."""
        return [await self.send(plan) for plan in plans]

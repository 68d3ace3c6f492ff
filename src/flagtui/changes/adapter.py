"""What the pipeline asks of a kind of record, and what every request needs around it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import NotFound
from flagtui.changes.journal import Journal, Stored
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.outcome import Outcome, P, R


def _silent(_words: str) -> None:
    """For those who do not watch."""


@dataclass(frozen=True)
class WriteContext:
    """What every request needs around it."""

    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = _silent
    """Hears what is known while an answer is missing."""
    wait: float | None = None
    """Seconds for which to wait for what the server has not settled: an answer that is missing, a pause it
    asks for, an approval. None waits as long as each of them usually takes, and for no approval."""


class Adapter(Protocol[P, R]):
    """What is peculiar to a kind of record. A plan is sent once, whatever these do."""

    def remembered(self, plan: P) -> Entry:
        """What the journal keeps of it before it leaves; who wrote it, when and why is added."""

    def read_at(self, plan: P) -> float:
        """Unix seconds at which the record was read for the plan; 0 for one that is not there yet."""

    def is_compared(self, plan: P) -> bool:
        """Whether the server refuses the plan by itself when its record was changed since."""
        return True

    async def read(self, plan: P) -> R | None:
        """The record as it is now; None for what the plan makes, while it is not there. Raises ApiError."""

    def conflict(self, plan: P, now: R) -> Outcome[P, R] | None:
        """What was changed since the plan was made, where it touches the plan."""

    async def send(self, plan: P) -> Outcome[P, R]:
        """The one request, and the answer held against the plan. Raises ApiError."""

    async def find(self, plan: P) -> R | None:
        """What a request without an answer made or changed, as far as it is there. Raises ApiError."""
        return await self.read(plan)

    def judge(self, plan: P, seen: R | None) -> Outcome[P, R] | None:
        """Whether a record that was read tells that the plan was done; None while it does not."""

    def is_as_before(self, plan: P, seen: R | None) -> bool:
        """Whether a record tells that the plan was not done, once the server does it no more."""
        return True

    def gone(self, plan: P, error: NotFound) -> Outcome[P, R]:
        """The record of a plan without an answer is not there any more."""
        next = "it may have been deleted for good"
        return Outcome(plan, "failed", None, "it is not there any more", next, error)

    def stored(self, outcome: Outcome[P, R]) -> Stored | None:
        """Number and version for the journal, where they are known now."""
        return None

    def groups(self, plans: Sequence[P]) -> Iterable[Sequence[P]]:
        """The plans in the order in which they are sent; those that go in one request together."""
        return [(plan,) for plan in plans]

    async def send_group(self, plans: Sequence[P]) -> Sequence[Outcome[P, R]]:
        """A group of several: one request, where the kind has one for many. Raises ApiError."""
        return [await self.send(plan) for plan in plans]

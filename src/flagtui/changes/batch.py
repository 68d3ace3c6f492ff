"""All that one approval covers, one after the other: an outcome each, a stop where going on is careless."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Generic

from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal_entries import Ending, TakenBack
from flagtui.changes.outcome import Outcome, P, R
from flagtui.changes.pipeline import stops_all, write
from flagtui.changes.unanswered import watch


@dataclass(frozen=True)
class Ended(Generic[P, R]):
    """What one approval came to."""

    outcomes: tuple[Outcome[P, R], ...] = ()
    unsent: tuple[P, ...] = ()
    """Plans that were not sent because of how another one ended."""
    is_stopped: bool = False
    """The person left the rest unsent."""

    @property
    def is_saved(self) -> bool:
        """Everything was."""
        return not self.unsent and all(outcome.is_saved for outcome in self.outcomes)

    @property
    def saved_ids(self) -> frozenset[int | str]:
        """Records that are as they were meant to be; a new one goes by the number of its plan."""
        return frozenset(outcome.plan.id for outcome in self.outcomes if outcome.is_saved)


@dataclass
class Batch(Generic[P, R]):
    """One approval on its way, of one plan or of many. Raises for an approval that was used before."""

    approved: Approved[P]
    adapter: Adapter[P, R]
    context: WriteContext
    undoes: Mapping[str, TakenBack] = field(default_factory=dict)
    """By the key of a plan: the journal entry that it takes back."""
    outcomes: list[Outcome[P, R]] = field(default_factory=list)
    """In the order they ended."""

    def __post_init__(self) -> None:
        spend(self.approved)

    @property
    def unsent(self) -> tuple[P, ...]:
        """What was not sent, because of what happened to another one."""
        ended = {id(outcome.plan) for outcome in self.outcomes}
        return tuple(plan for plan in self.approved.plans if id(plan) not in ended)

    @property
    def _watched(self) -> tuple[Ending, ...]:
        return ("unknown", "awaiting approval") if self.context.wait else ("unknown",)

    @property
    def watched_keys(self) -> tuple[str, ...]:
        """What `settle` will look for."""
        return tuple(one.plan.key for one in self.outcomes if one.ending in self._watched)

    async def run(self) -> AsyncIterator[Outcome[P, R]]:
        """How each plan ended, as it ends; stops early where the same would happen to the rest."""
        for group in self.adapter.groups(self.approved.plans):
            every = await write(self.approved, group, self.adapter, self.context, self.undoes)
            self.outcomes += every
            for outcome in every:
                yield outcome
            if any(map(stops_all, every)):
                return

    async def settle(self) -> AsyncIterator[Outcome[P, R]]:
        """Watches what ended as unknown until it is known, or a minute has gone by; as the context says.

        Approvals are waited for where the context says how long.
        """
        places = [place for place, one in enumerate(self.outcomes) if one.ending in self._watched]
        watching = [watch(self.outcomes[place], self.adapter, self.context) for place in places]
        for place, outcome in zip(places, await asyncio.gather(*watching), strict=True):
            self.outcomes[place] = outcome
            yield outcome

"""From plans to what became of them: one question, its answer, the requests; on a screen or in lines."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol

from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.guard import Approved, Around, GuardRefused, Question, guard
from flagtui.changes.journal_entries import TakenBack
from flagtui.changes.pipeline import Batch, Ended
from flagtui.changes.proposal import Outcome, P, R
from flagtui.config.guard_rules import GuardRules


@dataclass(frozen=True)
class WriteRequest(Generic[P, R]):
    """Plans that are asked about together, and what writing them needs."""

    plans: Sequence[P]
    adapter: Adapter[P, R]
    rules: GuardRules
    context: WriteContext
    around: Around = field(default_factory=Around)
    undoes: Mapping[str, TakenBack] = field(default_factory=dict)
    """By the key of a plan: the journal entry that it takes back."""


class Interface(Protocol[P, R]):
    """The person of whom a change is asked, and to whom it is told: at a screen or at a command line."""

    def refuse(self, refused: GuardRefused) -> None:
        """Tell why there is no question."""

    async def agree(self, question: Question[P]) -> Approved[P] | None:
        """The approval; None when nothing was agreed to, which was told."""

    async def see_through(self, saving: Coroutine[Any, Any, Ended[P, R]]) -> Ended[P, R]:
        """Run it to its end, whatever is closed or pressed meanwhile."""

    def showing(self, plans: Sequence[P]) -> AbstractContextManager[None]:
        """Show the plans as on their way until the block is left."""

    async def hear(self, outcome: Outcome[P, R]) -> bool:
        """How one plan ended so far; False leaves the rest unsent."""

    def watching(self, batch: Batch[P, R]) -> AbstractContextManager[None]:
        """Tell how all ended so far, and that some are looked for until the block is left."""

    async def hear_settled(self, outcome: Outcome[P, R]) -> None:
        """What became of a plan without an answer."""


async def ask_and_write(request: WriteRequest[P, R], interface: Interface[P, R]) -> Ended[P, R] | None:
    """None when nothing was agreed to.

    What a journal that cannot be written kept from being sent is asked about again, to go without it.
    """
    question = guard(request.plans, request.rules, request.around)
    if isinstance(question, GuardRefused):
        interface.refuse(question)
        return None
    approved = await interface.agree(question)
    if approved is None:
        return None
    ended = await interface.see_through(_write(approved, request, interface))
    why = next((outcome.reason for outcome in ended.outcomes if outcome.is_without_journal), "")
    if not why:
        return ended
    done = tuple(outcome for outcome in ended.outcomes if not outcome.is_without_journal)
    left = [plan for plan in approved.plans if not any(plan is one.plan for one in done)]
    around = replace(request.around, without_journal=why)
    again = await ask_and_write(replace(request, plans=left, around=around), interface)
    if again is None:
        return ended
    return Ended((*done, *again.outcomes), again.unsent, is_stopped=again.is_stopped)


async def _write(
    approved: Approved[P], request: WriteRequest[P, R], interface: Interface[P, R]
) -> Ended[P, R]:
    batch = Batch(approved, request.adapter, request.context, request.undoes)
    with interface.showing(approved.plans):
        async for outcome in batch.run():
            if not await interface.hear(outcome):
                return Ended(tuple(batch.outcomes), batch.unsent, is_stopped=True)
    with interface.watching(batch):
        async for outcome in batch.settle():
            await interface.hear_settled(outcome)
    return Ended(tuple(batch.outcomes), batch.unsent)

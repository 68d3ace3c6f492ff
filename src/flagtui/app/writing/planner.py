"""What a kind of change does before the question and after the answer; the rest is the same for all."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic

from typing_extensions import TypeVar

from flagtui.api.errors import ApiError
from flagtui.app.writing.optimistic_rows import OptimisticRows
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.outcome import P, R
from flagtui.changes.proposal import LeftOut
from flagtui.text.outcomes import explain_blocked, explain_error
from flagtui.text.styled import Notice

if TYPE_CHECKING:
    from flagtui.app.state.app_state import AppState
    from flagtui.changes.adapter import Adapter
    from flagtui.changes.journal_entries import Signature, TakenBack
    from flagtui.changes.outcome import Outcome
    from flagtui.store.load_progress import RecordId
    from flagtui.store.workspace import Kind, Workspace

AT_ONCE: Final = 8
"""Records read again at the same time for one question."""
T = TypeVar("T")
Q = TypeVar("Q", default=Any)
"""What was asked for: an intent, a new record, an entry to be taken back."""


@dataclass(frozen=True)
class PlannedStep(Generic[Q, P]):
    """One plan, and what was asked for."""

    asked: Q
    plan: P
    undoes: TakenBack | None = None


@dataclass(frozen=True)
class Planned(Generic[Q, P]):
    """The plans that can be asked about together, and why the others cannot."""

    steps: Sequence[PlannedStep[Q, P]] = ()
    left_out: Sequence[LeftOut] = ()
    """Of many."""
    notice: Notice | None = None
    """Why there is no plan, of one alone."""
    refused: ApiError | None = None
    """What kept a record from being read, where another key would help."""
    is_so_already: bool = False
    """Of one alone: nothing has to be sent."""
    late: asyncio.Task[P] | None = None
    """Of one alone: the same plan with what the server had not told yet."""


@dataclass(frozen=True)
class NotPlanned:
    """One record that cannot be changed, or need not be."""

    id: RecordId
    key: str
    why: Blocked | ApiError | str
    """Words for what it is already."""
    alone: str = ""
    """What is said where that is so of one alone."""

    @property
    def left_out(self) -> LeftOut:
        """As one of many."""
        match self.why:
            case str(words):
                return LeftOut(self.id, self.key, words)
            case Blocked(reason=reason, next=next):
                return LeftOut(self.id, self.key, reason, next)
            case error:
                return LeftOut(self.id, self.key, error.what.rstrip("."), error.next.rstrip("."))

    @property
    def planned(self) -> Planned[Any, Any]:
        """As what was asked for alone."""
        match self.why:
            case str():
                return Planned(notice=Notice(self.alone), is_so_already=True)
            case Blocked() as blocked:
                return Planned(notice=explain_blocked(blocked, self.key))
            case error:
                return Planned(notice=explain_error(error, self.key), refused=error)


async def each(asked: Sequence[Q], read: Callable[[Q], Awaitable[T]]) -> list[tuple[Q, T]]:
    """What is read for each, a few at a time, in their order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(request: Q) -> T:
        async with turn:
            return await read(request)

    return list(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))


def together(found: Sequence[tuple[Q, P | NotPlanned]]) -> Planned[Q, P]:
    """The plans that were found, and why there are no others."""
    out = [what for _, what in found if isinstance(what, NotPlanned)]
    if len(found) == 1 and out:
        return out[0].planned
    steps = [PlannedStep(one, plan) for one, plan in found if not isinstance(plan, NotPlanned)]
    refused = next((one.why for one in out if isinstance(one.why, ApiError)), None)
    return Planned(steps, [one.left_out for one in out], refused=refused)


@dataclass
class Planner(Generic[Q, P, R]):
    """Reads and plans one kind of change in one project."""

    app_state: AppState
    workspace: Workspace
    place: str = ""
    """Where it happens, when that is not the project on screen."""
    kind: Kind = "flags"
    """The list that shows it."""

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self.workspace)

    @abstractmethod
    async def plan(self, asked: Sequence[Q]) -> Planned[Q, P]:
        """Each record read again, and the plan on it."""

    @abstractmethod
    def name_of(self, asked: Sequence[Q]) -> str:
        """What is read for the question, as it is called in the list. Raw."""

    @abstractmethod
    def adapter(self) -> Adapter[P, R]: ...

    def rows(self) -> OptimisticRows[P, R]:
        return OptimisticRows()

    def record_of(self, plan: P) -> RecordId:
        """The record in the list that was chosen for it."""
        return plan.id

    def made(self, outcome: Outcome[P, R]) -> RecordId | None:
        """The record that is in the list now and was not before."""
        return None

"""What a kind of change does before the question and after the answer; the rest is the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol

from typing_extensions import TypeVar

from flagtui.changes.outcome import P, R

if TYPE_CHECKING:
    import asyncio

    from flagtui.api.errors import ApiError
    from flagtui.app.writing.optimistic_rows import OptimisticRows
    from flagtui.changes.adapter import Adapter
    from flagtui.changes.journal_entries import Signature, TakenBack
    from flagtui.changes.left_out import LeftOut
    from flagtui.changes.outcome import Outcome
    from flagtui.store.load_progress import RecordId
    from flagtui.store.workspace import Kind, Workspace
    from flagtui.text.notices import Notice

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


class Planner(Protocol[Q, P, R]):
    """Reads and plans one kind of change in one project."""

    @property
    def kind(self) -> Kind:
        """The list that shows it."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def place(self) -> str:
        """Where it happens, when that is not the project on screen."""

    @property
    def signature(self) -> Signature: ...

    async def plan(self, asked: Sequence[Q]) -> Planned[Q, P]:
        """Each record read again, and the plan on it."""

    def name_of(self, asked: Sequence[Q]) -> str:
        """What is read for the question, as it is called in the list. Raw."""

    def adapter(self) -> Adapter[P, R]: ...
    def rows(self) -> OptimisticRows[P, R]: ...

    def record_of(self, plan: P) -> RecordId:
        """The record in the list that was chosen for it."""

    def made(self, outcome: Outcome[P, R]) -> RecordId | None:
        """The record that is in the list now and was not before."""

"""From what was asked for to plans: every record read again, and what is meant held against it.

A front end plans nothing itself: it gives a `PlanContext`, which knows what is loaded already, to the
`Planner` of a kind of record.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic

from typing_extensions import TypeVar

from flagtui.api import Client
from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError
from flagtui.changes.adapter import Adapter
from flagtui.changes.blocked import Blocked
from flagtui.changes.journal_entries import Signature, UndoTarget
from flagtui.changes.proposal import P, R, Skipped
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.optimistic_rows import OptimisticRows
    from flagtui.store.kinds import Kind
    from flagtui.store.load_progress import RecordId
    from flagtui.store.workspace import Workspace

AT_ONCE: Final = 8
"""Records read at the same time for one question."""
SOON: Final = 1.0
"""Seconds a question waits for what it could do without; what comes later is added to it."""
PATIENCE: Final = 2.5
"""Seconds a question waits for each optional answer; a kill switch must not wait longer."""
Q = TypeVar("Q", default=Any)
"""What was asked for: an intent, a new record, an entry of the journal to be taken back."""
T = TypeVar("T")


@dataclass
class PlanContext:
    """One project as planning needs it. A front end tells in its own class what it has loaded already."""

    client: Client
    clock: Clock
    people: Mapping[int, str] = field(default_factory=dict)
    """E-mails of people by number, as far as they are known."""
    adds_later: bool = False
    """Whether the question can add what the server says after it was asked."""
    uncounted: str = ""
    """Why nothing around a record is asked for, as `--yes` agrees beforehand; empty where it is."""

    @property
    def known_flags(self) -> Sequence[FlagRow] | None:
        """The flags of the project where they are loaded; None where they would have to be read."""
        return None

    async def me(self) -> User | None:
        """Who the key belongs to; None where it may not say so."""
        return None

    async def names(self, *records: Mapping[str, JSON]) -> Names:
        """What groups and cohorts are called that these records name."""
        return NO_NAMES

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        """Every flag of the project, those that are archived as well where asked for. Raises ApiError."""
        return self.known_flags or ()

    async def read_flag(self, id: int) -> Flag:
        """The flag as it is now. Raises ApiError."""
        return await self.client.flags.get(id)

    async def read_experiment(self, id: int) -> Experiment:
        """The experiment as it is now. Raises ApiError."""
        return await self.client.experiments.get(id)

    async def read_event(self, id: str) -> EventDefinition:
        """The definition as it is now. Raises ApiError."""
        return await self.client.event_definitions.get(id)

    def name(self, kind: Kind, id: RecordId) -> str:
        """What a record is called that cannot be read. Raw."""
        return f"{kind.removesuffix('s')} {id}"

    def forget(self, kind: Kind, id: RecordId) -> None:
        """Takes a record that is gone out of what is loaded."""


@dataclass(frozen=True)
class Planned(Generic[Q, P]):
    """The plans that are asked about together, and why the other records stay as they are."""

    adapter: Adapter[P, Any] | None
    """How the plans are sent; None where there is none."""
    plans: Sequence[P] = ()
    requests: Sequence[Q] = ()
    """What each plan was made for, in the order of the plans."""
    skipped: Sequence[Skipped] = ()
    late: asyncio.Task[P] | None = None
    """Of one plan alone: the same with what the server had not answered yet."""
    undoes: Mapping[str, UndoTarget] = field(default_factory=dict)
    """By the key of a plan: the journal entry that it takes back."""
    place: str = ""
    """Where it happens when that is another project."""
    project: int | None = None
    """The number of that project, where the context is not of it already."""
    signature: Signature | None = None
    """Of the project in which it is taken back; None is that of the context."""

    @property
    def refused(self) -> ApiError | None:
        """What kept a record from being read."""
        return next((one.error for one in self.skipped if one.error is not None), None)


@dataclass
class Planner(Generic[Q, P, R]):
    """Reads and plans one kind of change in one project."""

    context: PlanContext
    fresh: dict[RecordId, R] = field(default_factory=dict)
    """Records that were read for the request itself; each is good for one plan."""

    @property
    def kind(self) -> Kind:
        """The list in which its records are."""
        return "flags"

    @property
    def noun(self) -> str:
        """What is counted while several records are read."""
        return self.kind.removesuffix("s")

    def make_rows(self, workspace: Workspace) -> OptimisticRows[P, R]:
        """Return the rows of a list that show one approval; by default none."""
        # Loaded here: the command line has no lists.
        from flagtui.changes.optimistic_rows import OptimisticRows

        return OptimisticRows(workspace, self.context.clock.time())

    @abstractmethod
    async def plan(self, requests: Sequence[Q]) -> Planned[Q, P]:
        """Each record read again, and the plan on it."""

    @abstractmethod
    def name(self, request: Q) -> str:
        """What is read for the question, as it is called in the list. Raw."""


async def read_each(requests: Sequence[Q], read: Callable[[Q], Awaitable[T]]) -> list[tuple[Q, T]]:
    """What is read for each, a few at a time, in their order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def read_in_turn(request: Q) -> T:
        async with turn:
            return await read(request)

    return list(zip(requests, await asyncio.gather(*map(read_in_turn, requests)), strict=True))


def collect(adapter: Adapter[P, Any] | None, results: Iterable[tuple[Q, P | Skipped]]) -> Planned[Q, P]:
    """The plans among the results, and why there are no others."""
    every = list(results)
    planned = [(request, plan) for request, plan in every if not isinstance(plan, Skipped)]
    return Planned(
        adapter,
        [plan for _, plan in planned],
        [request for request, _ in planned],
        [skipped for _, skipped in every if isinstance(skipped, Skipped)],
    )


def skip(id: RecordId, key: str, why: Blocked | ApiError) -> Skipped:
    """A record that cannot be changed as it is, or could not be read."""
    if isinstance(why, Blocked):
        return Skipped(id, key, why.reason, why.next)
    return Skipped(id, key, why.what.rstrip("."), why.next.rstrip("."), why)


def skip_no_op(id: RecordId, key: str, reason: str, alone: str = "") -> Skipped:
    """A record that is as wanted already; `alone` is the sentence when nothing else was asked for."""
    return Skipped(id, key, reason, is_no_op=True, alone=alone)

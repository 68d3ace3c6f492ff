"""Plan requested changes on the current records, the same for every kind.

Front ends plan nothing: they pass a `PlanContext` with the loaded records to the `Planner` of a kind.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic

import msgspec
from typing_extensions import TypeVar

from flagtui.api import Client
from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.adapter import Adapter
from flagtui.changes.journal_entries import Signature, UndoTarget
from flagtui.changes.proposal import P, PlanId, Purpose, R
from flagtui.changes.skipped import Skipped
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.overrides.override_plan import OverrideMirror
    from flagtui.models.code_uses import CodeUses
    from flagtui.store.kinds import Kind
    from flagtui.store.load_progress import RecordId

AT_ONCE: Final = 8
"""Records read at the same time for one question."""
SOON: Final = 1.0
"""Seconds a question waits for optional answers; late ones are added to it."""
PATIENCE: Final = 2.5
"""Seconds a question waits for each optional answer; a kill switch must not wait longer."""
Q = TypeVar("Q", default=Any)
"""A request: an intent, a new record, an entry of the journal to undo."""
ReadT = TypeVar("ReadT")
PlannedRecord = TypeVar("PlannedRecord", Flag, EventDefinition, Experiment)


@dataclass
class PlanContext:
    """One project for planning. Front ends override it with their loaded records."""

    client: Client
    clock: Clock
    people: Mapping[int, str] = field(default_factory=dict)
    """E-mails of the people in the records, by number, where no lists are loaded."""
    adds_later: bool = False
    """Whether the question can show late responses."""
    uncounted: str = ""
    """Why no context is read, as with `--yes`; empty when it is read."""
    is_explained: bool = True
    """Whether a question or a dry run shows what the plans bring about."""
    may_add_flags: bool = True
    """Whether a plan may change flags that were not named; only where a question names them first."""
    mirror: OverrideMirror | None = None
    """The mirror whose overrides are changed in place of flags."""

    @property
    def is_current(self) -> bool:
        """Whether records are as the server has them, without changes that are staged."""
        return True

    def known_people(self) -> Mapping[int, str]:
        """Return the known e-mails of people by number; few changes need them."""
        return self.people

    @property
    def known_flags(self) -> Sequence[FlagRow] | None:
        """The loaded flags of the project; None when they are not loaded."""
        return None

    def code_uses(self, key: str) -> CodeUses | None:
        """Return the uses of a flag in code, as of the last scan; None without a scan."""
        return None

    async def me(self) -> User | None:
        """Return the user of the key; None without access to it."""
        return None

    async def names(self, *records: Mapping[str, JSON]) -> Names:
        """Return names of the groups and cohorts that these records refer to."""
        return NO_NAMES

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        """Return every flag of the project, with archived ones if requested. Raises ApiError."""
        return self.known_flags or ()

    async def listed_flags(self) -> Sequence[dict[str, JSON]]:
        """Return the JSON of the listed flags; none where the front end lists rows only. Raises ApiError."""
        return ()

    async def read_flag(self, id: int) -> Flag:
        """Read the current flag. Raises ApiError."""
        return await self.client.flags.get(id)

    async def read_experiment(self, id: int) -> Experiment:
        """Read the current experiment. Raises ApiError."""
        return await self.client.experiments.get(id)

    async def has_event(self, name: str) -> bool:
        """Return whether an event of this name was sent, as far as the key may read events."""
        try:
            await self.client.event_definitions.by_name(name)
        except NotFound:
            return False
        except ApiError:
            # The server decides, and reports which it does not know.
            return True
        return True

    async def read_event(self, id: str) -> EventDefinition:
        """Read the current definition. Raises ApiError."""
        return await self.client.event_definitions.get(id)

    def name(self, kind: Kind, id: RecordId) -> str:
        """Return the name of a record that cannot be read. Raw."""
        return f"{kind.removesuffix('s')} {id}"

    def forget(self, kind: Kind, id: RecordId) -> None:
        """Remove a record that no longer exists from the loaded ones."""


class Planned(msgspec.Struct, Generic[Q, P], frozen=True):
    """The plans of one question, the skipped records, and the rest of its text."""

    adapter: Adapter[P, Any] | None
    """Sends the plans; None without plans."""
    plans: Sequence[P] = ()
    requests: Sequence[Q] = ()
    """The request of each plan, in the order of the plans."""
    skipped: Sequence[Skipped] = ()
    """Records that were chosen too and stay unchanged."""
    late: asyncio.Task[P] | None = None
    """For a single plan: the same plan with the late responses."""
    undoes: Mapping[PlanId, UndoTarget] = {}
    """The journal entry that each plan undoes."""
    place: str = ""
    """The name of the project when it is another one."""
    project: int | None = None
    """The number of that project, unless it is that of the context."""
    signature: Signature | None = None
    """The signature of the project of the undo; None is that of the context."""
    purpose: Purpose | None = None
    without_journal: str = ""
    """Why the journal cannot be written; agreeing is agreeing to go without it."""
    batch: str = ""
    """The journal group of the changes, such as the id of a change set; empty for one of their own."""
    note: str = ""
    """A sentence about all plans together."""

    @property
    def refused(self) -> ApiError | None:
        """The error of a record that could not be read."""
        return next((skip.error for skip in self.skipped if skip.error is not None), None)


@dataclass
class Planner(Generic[Q, P, R]):
    """Reads and plans changes of one kind in one project."""

    context: PlanContext
    fresh: dict[RecordId, R] = field(default_factory=dict)
    """Records that were just read; each is used for one plan."""
    kind: Kind = field(default="flags", init=False)
    """The list of its records."""
    noun: str = field(default="flag", init=False)
    """The noun for counting records that are being read."""
    is_local: bool = field(default=False, init=False)
    """Whether its changes stay on this machine, whatever the profile allows."""
    is_listed: bool = field(default=True, init=False)
    """Whether the list of its kind shows the changes."""

    @abstractmethod
    async def plan(self, requests: Sequence[Q]) -> Planned[Q, P]:
        """Read each record again and plan its change."""

    @abstractmethod
    def name(self, request: Q) -> str:
        """Return the name of the requested record. Raw."""


async def read_each(requests: Sequence[Q], read: Callable[[Q], Awaitable[ReadT]]) -> list[tuple[Q, ReadT]]:
    """Read each requested record, `AT_ONCE` at a time, and return the results in order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def read_in_turn(request: Q) -> ReadT:
        async with turn:
            result = await read(request)
            if len(requests) > AT_ONCE:
                # A service in this process responds without a pause in which keys are handled.
                await asyncio.sleep(0)
            return result

    return list(zip(requests, await asyncio.gather(*map(read_in_turn, requests)), strict=True))


def collect(adapter: Adapter[P, Any] | None, results: Iterable[tuple[Q, P | Skipped]]) -> Planned[Q, P]:
    """Sort results into plans and skipped records."""
    every = list(results)
    planned = [(request, plan) for request, plan in every if not isinstance(plan, Skipped)]
    return Planned(
        adapter,
        [plan for _, plan in planned],
        [request for request, _ in planned],
        [skipped for _, skipped in every if isinstance(skipped, Skipped)],
    )

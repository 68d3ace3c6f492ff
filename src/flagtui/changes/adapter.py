"""What the pipeline, recovery and undo ask of a kind of record, and what they give it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from flagtui.api import Client
from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import NotFound
from flagtui.changes.blocked import Blocked
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import Clash
from flagtui.changes.journal import Journal, Stored
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.proposal import Outcome, P, Proposal, R
from flagtui.changes.verbs import verb
from flagtui.models.account import User
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.optimistic_rows import OptimisticRows
    from flagtui.store.workspace import Workspace


@dataclass(frozen=True)
class WriteContext:
    """What every request needs around it."""

    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None
    """Hears what is known while an answer is missing."""
    wait: float | None = None
    """Seconds for which to wait for what the server has not settled: an answer that is missing, a pause it
    asks for, an approval. None waits as long as each of them usually takes, and for no approval."""


class Adapter(Protocol[P, R]):
    """What is peculiar to a kind of record. A plan is sent once, whatever these do."""

    def journal_entry(self, plan: P) -> Entry:
        """What the journal keeps of it before it leaves; who wrote it, when and why is added."""

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


RecoveryVerdict = Literal["applied", "not applied", "changed since", "gone", "not known"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What today's record says about an entry of the journal that has no ending."""

    entry: Entry
    verdict: RecoveryVerdict
    record: Stored | None = None
    server_values: Mapping[str, JSON] = field(default_factory=dict)
    """Values the server chose, which taking it back has to know."""

    @property
    def is_known(self) -> bool:
        return self.verdict in ("applied", "not applied")

    @property
    def words(self) -> str:
        """The state, not the cause: who did it cannot be known from the record alone."""
        version = self.record.version if self.record is not None else None
        at = f" at version {version}" if version is not None else ""
        key, asked = self.entry.key, f"“{self.entry.verb}”"
        said: dict[RecoveryVerdict, str] = {
            "applied": f"{key}: {asked} was done{at}",
            "not applied": f"{key}: {asked} was not done; it is as it was{at}",
            "changed since": f"{key} was changed since{at}: whether {asked} was done cannot be told",
            "gone": f"{key} is not there any more",
            "not known": f"{key}: whether {asked} was done is still not known",
        }
        return said[self.verdict]


@dataclass(frozen=True)
class UndoContext:
    """What taking back is planned with, in the project the change was made from."""

    client: Client
    signature: Signature
    clock: Clock
    me: User | None = None
    entries: Sequence[Entry] = ()
    """All of the journal: they tell what else this person did."""
    rows: Sequence[FlagRow] | None = None
    """The flags of the project where they are known; else what is needed of them is read."""
    names: Names = NO_NAMES
    together: frozenset[int] = frozenset()
    """Numbers of the flags that are taken back at the same time."""
    adds_later: bool = False
    """Whether the question can tell more after it was asked."""


@dataclass(frozen=True)
class PreparedUndo:
    """One part that could be taken back now."""

    part: Entry
    plan: Proposal
    adapter: Adapter[Any, Any]
    signature: Signature
    place: str = ""
    """Where it happens when that is another project."""
    project: int | None = None
    """The number of that project."""
    late: asyncio.Task[Any] | None = None
    """The same plan with what the server had not told yet."""


class EntryKind(Protocol):
    """Recovery and undo of one kind of record."""

    noun: str = "change"
    """What is counted when several are taken back."""

    def make_rows(self, workspace: Workspace, now: float) -> OptimisticRows[Any, Any]:
        """Return the rows of a list that show the undo; by default none. `now` is in Unix seconds."""
        from flagtui.changes.optimistic_rows import OptimisticRows

        return OptimisticRows(workspace, now)

    def sort(self, plans: Sequence[Any]) -> Sequence[Any]:
        """Return the plans of one question in the order in which the server accepts them."""
        return plans

    def why_not(self, entry: Entry) -> Blocked | None:
        """Why a saved change cannot be undone at all, whatever the record is like today."""
        return None

    def undo_words(self, entry: Entry) -> str:
        """What undoing does, `it` being the record: `turn it on again`."""
        return verb(entry.verb).undo

    def creation(self, entry: Entry) -> Entry | None:
        """The entry by which later changes of what it made are found; None where it made nothing."""
        return entry if entry.verb == "create" else None

    def parts(self, entry: Entry) -> tuple[Entry, ...]:
        """What has to be taken back one after the other."""
        return (entry,)

    async def is_reverted(self, part: Entry, client: Client) -> bool:
        """Whether one of several parts is as before already. Raises `ApiError`."""
        return False

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        """One part held against today; None when it is as it was already. Raises `ApiError`."""

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        """Holds an entry without an ending against the server. Raises `ApiError`.

        `not_there` is the truth of a change that is not there.
        """


def with_later_changes(entry: Entry, made: Entry, entries: Iterable[Entry]) -> Entry:
    """What this person made, as this person left it: their own later changes count as theirs.

    `made` is the entry by which the later ones are found.
    """
    after, version = dict(entry.after), entry.saved_version
    for later in _later(made, entries):
        after |= later.after
        version = later.saved_version or version
    return replace(entry, after=after, saved_version=version)


def mark_own_conflicts(clashes: Iterable[Clash], entry: Entry, entries: Iterable[Entry]) -> tuple[Clash, ...]:
    """The clashes of undoing this entry; what this person changed later is marked as their own."""
    left: dict[str, JSON] = {}
    for later in _later(entry, entries):
        left |= later.after
    return tuple(replace(clash, is_own=_is_left(left, clash)) for clash in clashes)


def _later(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """What the same person did with the same record after it, oldest first."""
    place = _record_of(entry)
    return [
        later
        for later in sorted(entries, key=attrgetter("at"))
        if later.ending == "saved"
        and later.at >= entry.at
        and later.id != entry.id
        and _record_of(later) == place
    ]


def _record_of(entry: Entry) -> tuple[str, int, str, str, str]:
    here = entry.signature
    return entry.kind, entry.record, entry.uuid, here.host, here.project


def _is_left(left: JSON, clash: Clash) -> bool:
    """Whether what is there now is what was left there. Masked values are never taken for known."""
    try:
        for step in clash.path:
            at: Any = step
            left = left[at]
    except (KeyError, IndexError, TypeError):
        return False
    return means_same(left, clash.theirs, clash.path)

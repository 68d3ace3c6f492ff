"""The interface of a kind of record to the pipeline, recovery and undo."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from flagtui.api import Client
from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import NotFound
from flagtui.changes.journal import Journal, Stored
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.proposal import Outcome, P, Proposal, R
from flagtui.changes.revert_refusals import NOT_LOGGED
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import verb
from flagtui.models.account import User
from flagtui.models.activity import Activity
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.overrides.override_plan import OverrideMirror


@dataclass(frozen=True)
class WriteContext:
    """The journal, user, clock and limits of the writes of one front end."""

    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None
    """Shows progress while the response is missing."""
    wait: float | None = None
    """Seconds to wait for a lost response, a requested pause or an approval.

    None waits for each as long as it usually takes, and for no approval.
    """
    on_lost: Callable[[int], None] = lambda _changes: None
    """Receives the number of changes whose response was lost, before their outcome is looked up."""


class Adapter(Protocol[P, R]):
    """Rules of one kind of record. The pipeline sends each plan once."""

    def journal_entry(self, plan: P) -> Entry:
        """Return the entry for the journal; the pipeline adds the author, time and reason."""

    def is_compared(self, plan: P) -> bool:
        """Return whether the server itself refuses the plan when its record has changed."""
        return True

    async def read(self, plan: P) -> R | None:
        """Read the current record; None for a new record that does not exist yet. Raises ApiError."""

    def conflict(self, plan: P, now: R) -> Outcome[P, R] | None:
        """Return the conflict of the plan with the current record; None without one."""

    async def check_all(self, plans: Sequence[P], now: float) -> Sequence[Outcome[P, R]]:
        """Return the conflicts that keep all plans from being sent; `now` is in Unix seconds.

        By default none: a plan that conflicts does not hold up the others.
        """
        return ()

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

    def outcome_when_gone(self, plan: P, error: NotFound) -> Outcome[P, R]:
        """Return the outcome of a plan without a response whose record no longer exists."""
        next = "it may have been deleted for good"
        return Outcome(plan, "failed", None, "it no longer exists", next, error)

    def stored_record(self, outcome: Outcome[P, R]) -> Stored | None:
        """Return the number and version for the journal; None when they are unknown."""
        return None

    def groups(self, plans: Sequence[P]) -> Iterable[Sequence[P]]:
        """Return the plans in the order of sending, grouped by request."""
        return [(plan,) for plan in plans]

    async def send_group(self, plans: Sequence[P]) -> Sequence[Outcome[P, R]]:
        """Send a group, in one request where the kind has a bulk request. Raises ApiError."""
        return [await self.send(plan) for plan in plans]


RecoveryVerdict = Literal["applied", "not applied", "changed since", "gone", "not known"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """The verdict on an open entry of the journal, from the current record."""

    entry: Entry
    verdict: RecoveryVerdict
    record: Stored | None = None
    server_values: Mapping[str, JSON] = field(default_factory=dict)
    """Values chosen by the server that the undo needs."""

    @property
    def is_known(self) -> bool:
        return self.verdict in ("applied", "not applied")

    @property
    def words(self) -> str:
        """The state as a sentence, without the cause: a record does not name the author of a value."""
        version = self.record.version if self.record is not None else None
        at = f" at version {version}" if version is not None else ""
        key, change = self.entry.key, f"“{self.entry.verb}”"
        outcomes: dict[RecoveryVerdict, str] = {
            "applied": f"{key}: {change} was done{at}",
            "not applied": f"{key}: {change} was not applied; it is unchanged{at}",
            "changed since": f"{key} was changed since{at}: could not confirm whether {change} was applied",
            "gone": f"{key} no longer exists",
            "not known": f"{key}: whether {change} was done is still not known",
        }
        return outcomes[self.verdict]


@dataclass(frozen=True)
class UndoContext:
    """The context of an undo, in the project in which the change was made."""

    client: Client
    signature: Signature
    clock: Clock
    me: User | None = None
    entries: Sequence[Entry] = ()
    """All of the journal, to recognize later changes by this user."""
    rows: Sequence[FlagRow] | None = None
    """The flags of the project; None reads the needed ones."""
    names: Names = NO_NAMES
    together: frozenset[int] = frozenset()
    """Numbers of the flags undone at the same time."""
    adds_later: bool = False
    """Whether the question can show late responses."""
    mirror: OverrideMirror | None = None
    """The mirror whose overrides are changed in place of flags."""


@dataclass(frozen=True)
class PreparedUndo:
    """The planned undo of one part of a change."""

    plan: Proposal
    adapter: Adapter[Any, Any]
    signature: Signature
    place: str = ""
    """The name of the project when it is another one."""
    project: int | None = None
    """The number of that project."""
    late: asyncio.Task[Any] | None = None
    """The same plan with the late responses."""


class EntryKind(Protocol):
    """Rules of recovery and undo of one kind of record."""

    noun: str = "change"
    """The noun for counting several undone changes."""
    is_local: bool = False
    """Whether its changes stay on this machine, whatever the profile allows."""

    def sort(self, plans: Sequence[Any]) -> Sequence[Any]:
        """Return the plans of one question in the order in which the server accepts them."""
        return plans

    def why_not(self, entry: Entry) -> Blocked | None:
        """Return why a saved change cannot be undone, whatever the current record; else None."""
        return None

    def from_log(self, entry: Activity) -> Entry | Blocked:
        """Return a change in the activity, by any user, as one to undo; blocked where the log lacks it."""
        return NOT_LOGGED

    def undo_words(self, entry: Entry) -> str:
        """Describe the undo, with `it` for the record: `turn it on again`."""
        return verb(entry.verb).undo

    def creation(self, entry: Entry) -> Entry | None:
        """Return the entry that later changes of the created record match; None when none was created."""
        return entry if entry.verb == "create" else None

    def parts(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the parts to undo one after the other."""
        return (entry,)

    async def is_reverted(self, part: Entry, client: Client) -> bool:
        """Return whether a part has its previous values already. Raises `ApiError`."""
        return False

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        """Plan the undo of one part on the current record; None for a no-op. Raises `ApiError`."""

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        """Compare an entry without an ending with the server. Raises `ApiError`.

        `if_absent` is the verdict on a change that the record does not have.
        """

    async def look_in_mirror(
        self, entry: Entry, mirror: OverrideMirror, if_absent: RecoveryVerdict
    ) -> Recovery:
        """Compare an entry without an ending with the mirror it was sent to. Raises `ApiError`."""
        return Recovery(entry, "not known")

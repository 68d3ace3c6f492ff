"""What a change in the journal can still become, as far as its kind of record decides that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flagtui.changes.verbs import verb
from flagtui.models.names import NO_NAMES, Names

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from flagtui.api import Client
    from flagtui.api.clock import Clock
    from flagtui.changes.adapter import Adapter
    from flagtui.changes.flags.flag_refusals import Blocked
    from flagtui.changes.journal_entries import Entry, Signature
    from flagtui.changes.proposal import Proposal
    from flagtui.changes.unanswered import LookedUp, Truth
    from flagtui.models.person import User
    from flagtui.models.rows import FlagRow


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

    async def is_back(self, part: Entry, client: Client) -> bool:
        """Whether one of several parts is as before already. Raises `ApiError`."""
        return False

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        """One part held against today; None when it is as it was already. Raises `ApiError`."""

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        """Holds an entry without an ending against the server. Raises `ApiError`.

        `not_there` is the truth of a change that is not there.
        """

"""Rules of recovery and undo of one kind of record in the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from flagtui.api import Client
from flagtui.api.clock import Clock
from flagtui.changes.journal import Stored
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.revert_refusals import NOT_LOGGED
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import Verb, verb
from flagtui.models.account import User
from flagtui.models.activity import Activity
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.overrides.override_plan import OverrideMirror

PlannedUndo = Planned[Any, Any] | Blocked | None
"""The plan of one part, why it cannot be undone, or None for a no-op."""
RecoveryVerdict = Literal["applied", "not applied", "changed since", "gone", "not known"]


class Recovery(msgspec.Struct, frozen=True):
    """The verdict on an open entry of the journal, from the current record."""

    entry: Entry
    verdict: RecoveryVerdict
    record: Stored | None = None
    server_values: Mapping[str, JSON] = {}
    """Values chosen by the server that the undo needs."""
    refusal: str = ""
    """Why a change that waited for approval is not applied. Raw."""

    @property
    def is_known(self) -> bool:
        return self.verdict in ("applied", "not applied")

    @property
    def words(self) -> str:
        """The state as a sentence, without the cause: a record does not name the author of a value."""
        version = self.record.version if self.record is not None else None
        at = f" at version {version}" if version is not None else ""
        key, change = self.entry.key, f"“{self.entry.verb}”"
        if self.refusal:
            return f"{key}: {change} was not applied: {self.refusal}"
        outcomes: dict[RecoveryVerdict, str] = {
            "applied": f"{key}: {change} was done{at}",
            "not applied": f"{key}: {change} was not applied; it is unchanged{at}",
            "changed since": f"{key} was changed since{at}: could not confirm whether {change} was applied",
            "gone": f"{key} no longer exists",
            "not known": f"{key}: whether {change} was done is still not known",
        }
        return outcomes[self.verdict]


class UndoContext(msgspec.Struct, frozen=True):
    """The context of an undo, in the project in which the change was made."""

    client: Client
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
    people: Mapping[int, str] = {}
    """E-mails of the known people by number."""


class EntryKind(Protocol):
    """Rules of recovery and undo of one kind of record."""

    noun: str = "change"
    """The noun for counting several undone changes."""
    verbs: Mapping[str, Verb] = {}
    """The words of changes that only this kind has, by verb."""
    is_local: bool = False
    """Whether its changes stay on this machine, whatever the profile allows."""
    is_approved_whole: bool = True
    """Whether a request for approval has the whole change."""

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
        return (self.verbs.get(entry.verb) or verb(entry.verb)).undo

    def creation(self, entry: Entry) -> Entry | None:
        """Return the entry that later changes of the created record match; None when none was created."""
        return entry if entry.verb == "create" else None

    def parts(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the parts to undo one after the other."""
        return (entry,)

    async def is_reverted(self, part: Entry, client: Client) -> bool:
        """Return whether a part has its previous values already. Raises `ApiError`."""
        return False

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
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

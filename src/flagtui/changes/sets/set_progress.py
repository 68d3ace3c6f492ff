"""The progress of a set in the journal: applied changes, and those whose outcome is open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.changes.adapter import WriteContext
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.journal_entries import Entry, undone_now
from flagtui.changes.recovery import recover_all
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.unanswered import WATCH_EVERY, WATCH_FOR

Identity = tuple[str, int | str]
MARGIN: Final = 1.0
"""Seconds after `WATCH_FOR` at which a request was certainly not applied."""


class SetProgress(msgspec.Struct, frozen=True):
    """The changes of a set that were sent in an earlier run."""

    saved: Sequence[Entry]
    """Saved and not undone now, newest first; of changes that left the set, too."""
    applied: Mapping[Identity, Entry]
    """The newest of them for each record, by the kind and id in the set."""
    open: Sequence[Entry]
    """Sent perhaps, with an outcome that is still unknown."""
    journal: Sequence[Entry] = ()
    """Every change of this user, of other sets and of none too."""
    pending: Sequence[Entry] = ()
    """The open ones that the server may still apply, or whose record cannot be read."""

    @property
    def new_ids(self) -> dict[str, int]:
        """The numbers of created flags, by their names in the set."""
        return {
            record: entry.record
            for (_kind, record), entry in self.applied.items()
            if isinstance(record, str) and record.startswith(NEW_FLAG)
        }

    def is_applied(self, change: StagedChange) -> bool:
        """Return whether this very change was applied, not an earlier one of the same record."""
        entry = self.applied.get(change.identity)
        return entry is not None and not _is_staged_after(change, entry)

    def left_of(self, change_set: ChangeSet) -> list[StagedChange]:
        """Return the changes that are not applied yet."""
        return [change for change in change_set.changes if not self.is_applied(change)]

    def applied_of(self, change_set: ChangeSet) -> list[StagedChange]:
        """Return the changes that are applied."""
        return [change for change in change_set.changes if self.is_applied(change)]


def progress_of(change_set: ChangeSet, entries: Iterable[Entry]) -> SetProgress:
    """Return what became of the set; `entries` is all of the journal."""
    every = sorted(entries, key=attrgetter("at"), reverse=True)
    undone = undone_now(every)
    own = [entry for entry in every if entry.batch == change_set.id]
    saved = [entry for entry in own if entry.ending == "saved" and entry.id not in undone]
    applied = {_identity(entry): entry for entry in reversed(saved)}
    return SetProgress(saved, applied, [entry for entry in own if entry.is_open], every)


async def settle_open(change_set: ChangeSet, client: Client, context: WriteContext) -> SetProgress:
    """Look up the outcomes of an earlier run until they are known, at most a minute after its last request.

    Raises JournalUnwritable.
    """
    journal, clock = context.journal, context.clock
    ends = clock.monotonic() + (WATCH_FOR + MARGIN if context.wait is None else context.wait)
    while True:
        progress = progress_of(change_set, await asyncio.to_thread(journal.entries))
        if not progress.open:
            return progress
        recoveries = await recover_all(journal, client, context.signature)
        pending = {entry.id for entry in progress.open}
        pending &= {recovery.entry.id for recovery in recoveries if recovery.verdict == "not known"}
        began = max((entry.at for entry in progress.open if entry.id in pending), default=0.0)
        # After the clock was set back, the request is later than now.
        left = min(began + WATCH_FOR + MARGIN - journal.clock(), ends - clock.monotonic())
        if not pending or left <= 0:
            after = progress_of(change_set, await asyncio.to_thread(journal.entries))
            return replace(after, pending=[entry for entry in after.open if entry.id in pending])
        names = ", ".join(entry.key for entry in progress.open if entry.id in pending)
        context.tell(f"checking whether the change of {names} was applied, for {left:.0f} s at most")
        await clock.sleep(min(WATCH_EVERY, left))


def _is_staged_after(change: StagedChange, entry: Entry) -> bool:
    """Return whether the change was staged on the record as the entry left it.

    A set goes on after a refusal, and a record of it can be staged again.
    """
    if change.is_new:
        return False
    if change.version is not None and entry.version is not None:
        return change.version > entry.version
    shared = change.values.keys() & entry.after.keys()
    return any(not means_same(change.values[name], entry.after[name], (name,)) for name in shared)


def _identity(entry: Entry) -> Identity:
    if entry.verb == "create":
        return entry.kind, f"{NEW_FLAG}{entry.key}"
    return entry.kind, entry.uuid or entry.record


AfterRefusal = Literal["stop", "undo", "continue"]
AFTER_REFUSAL: Final[tuple[AfterRefusal, ...]] = get_args(AfterRefusal)


def choices_after_refusal(applied: int, left: int) -> tuple[AfterRefusal, ...]:
    """Return what can follow a refusal: there may be nothing to undo, or nothing left to send."""
    possible: dict[AfterRefusal, bool] = {"stop": True, "undo": applied > 0, "continue": left > 0}
    return tuple(choice for choice in AFTER_REFUSAL if possible[choice])

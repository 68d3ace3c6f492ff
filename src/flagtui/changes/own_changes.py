"""Recognize in the journal what this user changed later, with any program on this machine."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import Author, FieldConflict
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.models.account import User
from flagtui.models.json_value import JSON

MOST_READ: Final = 100
"""Entries of the activity in which changes of others are looked for."""


class OwnChanges(msgspec.Struct, frozen=True):
    """The saved changes of this user in one project, oldest first."""

    entries: Sequence[Entry] = ()

    @classmethod
    def of(cls, entries: Iterable[Entry], here: Signature) -> "OwnChanges":
        """Return those of the project of the signature; `entries` is all of the journal."""
        place = (here.host, here.project)
        saved = (entry for entry in entries if entry.ending == "saved")
        own = (entry for entry in saved if (entry.signature.host, entry.signature.project) == place)
        return cls(sorted(own, key=attrgetter("at")))

    def of_record(self, kind: str, record: int | str, version: int | None, at: float) -> "OwnChanges":
        """Return those of one record after this version, of one without versions after the Unix time `at`."""
        own = (entry for entry in self.entries if (entry.kind, entry.uuid or entry.record) == (kind, record))
        later = [entry for entry in own if _is_later(entry, version, at)]
        return OwnChanges(later)

    def of_batch(self, batch: str) -> "OwnChanges":
        """Return those that were confirmed together under this id, and their undos and redos."""
        ids: set[str] = set()
        for entry in self.entries:
            if entry.batch == batch or entry.undoes in ids or entry.part_of in ids:
                ids.add(entry.id)
        return OwnChanges([entry for entry in self.entries if entry.id in ids])

    def mark(self, conflicts: Iterable[FieldConflict]) -> tuple[FieldConflict, ...]:
        """Return the conflicts; the values that these changes left are marked as those of this user."""
        return _mark_own(conflicts, self.entries)

    def has_made_all(self, after: int, until: int) -> bool:
        """Return whether each version of a record after `after` up to `until` is by this user."""
        made = {entry.saved_version for entry in self.entries}
        return after < until and made.issuperset(range(after + 1, until + 1))


def author_of(user: User | None, me: User | None) -> Author:
    """Return which author a user of the server is; logs name users by e-mail alone."""
    if user is None or me is None:
        return ""
    is_me = user.id == me.id if user.id and me.id else bool(me.email) and user.email == me.email
    return "you" if is_me else "others"


def _is_later(entry: Entry, version: int | None, at: float) -> bool:
    return entry.at >= at if version is None else (entry.saved_version or 0) > version


def with_later_changes(entry: Entry, made: Entry, entries: Iterable[Entry]) -> Entry:
    """Return the entry with the later changes of this user to the created record.

    `made` is the entry that the later ones match.
    """
    after, version = dict(entry.after), entry.saved_version
    for later in _later(made, entries):
        after |= later.after
        version = later.saved_version or version
    return replace(entry, after=after, saved_version=version)


def mark_own_conflicts(
    conflicts: Iterable[FieldConflict], entry: Entry, entries: Iterable[Entry]
) -> tuple[FieldConflict, ...]:
    """Return the conflicts of undoing this entry; later values of this user are marked as their own."""
    return _mark_own(conflicts, _later(entry, entries))


def _mark_own(conflicts: Iterable[FieldConflict], later: Iterable[Entry]) -> tuple[FieldConflict, ...]:
    left: dict[str, JSON] = {}
    for entry in later:
        left |= entry.after
    return tuple(replace(each, by="you") if _is_left(left, each) else each for each in conflicts)


def _later(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """Return later saved changes of this user to the same record, oldest first."""
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


def _is_left(left: JSON, conflict: FieldConflict) -> bool:
    """Return whether the current value is the one left by this user; masked values never match."""
    try:
        for step in conflict.path:
            at: Any = step
            left = left[at]
    except (KeyError, IndexError, TypeError):
        return False
    return means_same(left, conflict.theirs, conflict.path)

"""What the same person did with a record after a change: told apart from what others did."""

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from flagtui.changes.difference import Clash
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.journal_entries import Entry
from flagtui.models.json_value import JSON


def as_left(entry: Entry, made: Entry, entries: Iterable[Entry]) -> Entry:
    """What this person made, as this person left it: their own later changes count as theirs.

    `made` is the entry by which the later ones are found.
    """
    after, version = dict(entry.after), entry.saved_version
    for later in _later(made, entries):
        after |= later.after
        version = later.saved_version or version
    return replace(entry, after=after, saved_version=version)


def told_apart(clashes: Iterable[Clash], entry: Entry, entries: Iterable[Entry]) -> tuple[Clash, ...]:
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

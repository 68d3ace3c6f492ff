"""A journalled change of any kind taken back: part by part read again, and planned like any other change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from flagtui.changes.journal_entries import TakenBack
from flagtui.changes.kinds import kind_of
from flagtui.changes.own_changes import as_left

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import PreparedUndo, UndoContext
    from flagtui.changes.flags.flag_refusals import Blocked
    from flagtui.changes.journal_entries import Entry


@dataclass(frozen=True)
class Part:
    """A change, or the part of one that has to be taken back by itself."""

    entry: Entry
    undoes: TakenBack


async def parts_left(entry: Entry, entries: Sequence[Entry], client: Client) -> tuple[Part, ...]:
    """What has to be taken back one after the other, the last at least. Raises `ApiError`.

    `entries` is all of the journal. Nothing is left of the entry after the last one.
    """
    kind = kind_of(entry.kind)
    if (made := kind.creation(entry)) is not None:
        entry = as_left(entry, made, entries)
    found = kind.parts(entry)
    if len(found) > 1:
        left = [part for part in found if not await kind_of(part.kind).is_back(part, client)]
        found = tuple(left) or found[-1:]
    return tuple(Part(part, TakenBack(entry.id, part is found[-1])) for part in found)


def asked_together(parts: Sequence[Sequence[Part]]) -> list[list[Part]]:
    """What is asked about in one question: the changes of one kind that each have one part."""
    if any(len(each) > 1 for each in parts):
        return [[part] for each in parts for part in each]
    every = [part for each in parts for part in each]
    return [list(group) for _kind, group in groupby(every, key=lambda part: part.entry.kind)]


async def prepare_undo(part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
    """One part held against today; None when it is as it was already. Raises `ApiError`."""
    return await kind_of(part.kind).prepare_undo(part, context)

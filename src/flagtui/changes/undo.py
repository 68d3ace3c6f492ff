"""Select changes to undo or redo, of any kind, and split them into parts and questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeVar
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.changes.entry_kind import EntryKind
from flagtui.changes.journal_entries import Entry, Signature, UndoTarget, ever_undone, reverted_by
from flagtui.changes.overrides.override_plan import KIND as OVERRIDE
from flagtui.changes.overrides.override_save import OverrideEntries
from flagtui.changes.own_changes import with_later_changes
from flagtui.changes.proposal import Purpose
from flagtui.changes.related.related_entries import RELATED, LastingEntries
from flagtui.changes.shared.shared_save import SHARED
from flagtui.changes.skipped import Blocked
from flagtui.models.json_value import as_id
from flagtui.store.kinds import KINDS as RECORD_KINDS
from flagtui.store.kinds import load

C = TypeVar("C")
KINDS: Final[dict[str, EntryKind]] = {
    **{kind.entry: load(kind.entries_at)() for kind in RECORD_KINDS.values()},
    OVERRIDE: OverrideEntries(),
    **RELATED,
    **SHARED,
}
_UNKNOWN: Final = LastingEntries("this program does not know the previous value", "")


def kind_of(entry_kind: str) -> EntryKind:
    """Return the rules for entries of this kind; entries of newer versions cannot be undone."""
    return KINDS.get(entry_kind, _UNKNOWN)


SURPRISING: Final = 3_600.0
"""Seconds after which the question of `u` shows the age of the change."""
_IT: Final = re.compile(r"\bit\b")
_ITS: Final = re.compile(r"\bits (\w+)")
_DRAFT: Final = re.compile(r"\bit a draft\b")


def undoable(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    """Return the changes of this project that can be undone, newest first."""
    every = list(entries)
    gone = ever_undone(every)
    return [entry for entry in every if why_not(entry, here) is None and entry.id not in gone]


def next_undo(entries: Iterable[Entry], here: Signature, passed: Collection[str] = ()) -> tuple[Entry, ...]:
    """Return the newest change here, of any kind, with those confirmed together with it.

    Undone changes are not offered again, redone ones are. A change that cannot be undone is returned too, so
    that the user sees the reason. `passed` has ids of changes whose undo would be a no-op.
    """
    left = [entry for entry in entries if entry.id not in passed or entry.undoes]
    return _newest(left, here, is_redo=False)


def unsettled_change(entries: Iterable[Entry], here: Signature, newest: Sequence[Entry]) -> Entry | None:
    """Return a change here that `newest`, from `next_undo`, lacks because its outcome is not known.

    That is so while it waits for approval, too. It was sent after them, or confirmed together with them.
    """
    first, batches = (
        max((entry.at for entry in newest), default=0.0),
        {entry.batch for entry in newest} - {""},
    )
    unsettled = (entry for entry in entries if entry.is_open or entry.ending == "awaiting approval")
    later = (entry for entry in unsettled if entry.at >= first or entry.batch in batches)
    return next((entry for entry in later if entry.signature.reaches(here)), None)


def next_redo(entries: Iterable[Entry], here: Signature) -> tuple[Entry, ...]:
    """Return the last undone changes for a redo; none when other changes came later."""
    return _newest(entries, here, is_redo=True)


def _newest(entries: Iterable[Entry], here: Signature, *, is_redo: bool) -> tuple[Entry, ...]:
    """Return the newest change that is left to undo or to redo, with those that go together with it."""
    newest_first = sorted(entries, key=attrgetter("at"), reverse=True)
    gone = ever_undone(newest_first)
    saved = [entry for entry in newest_first if entry.ending == "saved" and entry.signature.reaches(here)]
    left = [entry for entry in saved if entry.id not in gone and (entry.direction == "undo") is is_redo]
    if not left:
        return ()
    first = left[0]
    if is_redo and any(not entry.direction and entry.at > first.at for entry in saved):
        return ()
    if first.batch:
        return tuple(entry for entry in left if entry.batch == first.batch)
    if not first.direction:
        return (first,)
    # Parts of one change were undone separately.
    by_id = {entry.id: entry for entry in newest_first}
    original = reverted_by(first, by_id)[-1]
    return tuple(entry for entry in left if reverted_by(entry, by_id)[-1:] == [original])


def undo_words(entries: Sequence[Entry], *, is_redo: bool = False) -> str:
    """Return `turn new-nav on again`, `turn 17 flags on again`, `set the old rollout of new-nav`."""
    entry, count = entries[0], len(entries)
    if len({(each.kind, kind_of(each.kind).undo_words(each)) for each in entries}) > 1:
        return f"{count:,} changes"
    what = entry.key if count == 1 else f"{count:,} {kind_of(entry.kind).noun}s"
    words = kind_of(entry.kind).undo_words(entry)
    if (its := _ITS.search(words)) is not None:
        name = f"{its[1]}s" if count > 1 and its[1] == "flag" else its[1]
        words = f"{words[: its.start()]}the {name} of it{words[its.end() :]}"
    if count > 1:
        words = _DRAFT.sub("it drafts", words)
    if is_redo and not _IT.search(words):
        return f"change {what} again"
    return _IT.sub(lambda _found: what, words, count=1) if _IT.search(words) else f"{words} of {what}"


def purpose_of(changes: Sequence[Entry], *, is_redo: bool, now: float | None) -> Purpose:
    """Return the purpose of an undo or redo.

    `now`, in Unix seconds, is given for the newest change, which the user may have forgotten: the question
    shows its age then.
    """
    first, words = changes[0].at, undo_words(changes, is_redo=is_redo)
    is_long_ago = now is not None and now - first > SURPRISING
    return Purpose("Redo" if is_redo else "Undo", words, first if is_long_ago else None)


def why_not(entry: Entry, here: Signature) -> Blocked | None:
    """Return why this entry cannot be undone, whatever the current record; else None."""
    if entry.signature.host != here.host:
        return Blocked("elsewhere", "it was made on another server", "open the profile of that server first")
    if not entry.signature.reaches(here):
        return Blocked("elsewhere", "it was made in another project", "switch to that project first")
    if entry.ending == "awaiting approval":
        return Blocked("not saved", "it waits for approval, so there is nothing to undo yet")
    if entry.is_open:
        return Blocked("not saved", "whether it was applied is not known", "look at the record")
    if entry.ending != "saved":
        return Blocked("not saved", f"it ended as {entry.ending}, so there is nothing to undo")
    return kind_of(entry.kind).why_not(entry)


class Part(msgspec.Struct, frozen=True):
    """A change, or a part of one that is undone separately."""

    entry: Entry
    undoes: UndoTarget
    left: tuple[str, ...] = ()
    """For a revert: changed fields that cannot be set again. Raw."""


async def parts_left(entry: Entry, entries: Sequence[Entry], client: Client) -> tuple[Part, ...]:
    """Return the parts to undo one after the other, at least the last. Raises `ApiError`.

    `entries` is all of the journal. The last part completes the undo of the entry.
    """
    kind, project = kind_of(entry.kind), entry.signature.project
    if project and project != str(client.project):
        client = client.for_project(project)
    if (made := kind.creation(entry)) is not None:
        entry = with_later_changes(entry, made, entries)
    parts = kind.parts(entry)
    if len(parts) > 1:
        left = [part for part in parts if not await kind_of(part.kind).is_reverted(part, client)]
        parts = tuple(left) or parts[-1:]
    return tuple(Part(part, UndoTarget(entry.id, part is parts[-1])) for part in parts)


def distinct_records(changes: Sequence[C], record: Callable[[C], object]) -> list[list[C]]:
    """Split changes, in order, into batches in which no record occurs twice.

    Two changes of one record cannot be planned together: the second undo starts from the result of the first.
    """
    batches: list[list[C]] = []
    records: set[object] = set()
    for change in changes:
        if not batches or record(change) in records:
            batches.append([])
            records.clear()
        batches[-1].append(change)
        records.add(record(change))
    return batches


def _place_of(part: Part) -> tuple[str, str, int | None]:
    """Return the kind of the record and its projects: a copy is in another one than its original."""
    entry = part.entry
    return entry.kind, entry.signature.project, as_id(entry.after.get("project"))


async def questions_of(
    changes: Sequence[Entry], entries: Sequence[Entry], client: Client, purpose: Purpose
) -> list[tuple[list[Part], Purpose]]:
    """Return the parts of each question for undoing these changes. Raises `ApiError`.

    Parts of one kind in one project share a question, if each change has one part or all are the same step of
    many records. `entries` is all of the journal.
    """
    parts = [await parts_left(entry, entries, client) for entry in changes]
    every = [part for each in parts for part in each]
    order = [_place_of(part) for part in max(parts, key=len)]
    is_one_step = len({entry.verb for entry in changes}) == 1 and {*map(_place_of, every)} == {*order}
    if len(order) == 1 or (is_one_step and len({*order}) == len(order)):
        # The first part of every change comes before the second of any, as within one change.
        ordered = every if len(order) == 1 else sorted(every, key=lambda part: order.index(_place_of(part)))
        groups = [
            batch
            for _place, group in groupby(ordered, key=_place_of)
            for batch in distinct_records([*group], lambda part: part.entry.uuid or part.entry.record)
        ]
    else:
        groups = [[part] for part in every]
    if len(groups) == 1:
        is_rest = any(
            each[0].entry.kind != entry.kind and len(kind_of(entry.kind).parts(entry)) > 1
            for entry, each in zip(changes, parts, strict=True)
        )
        return [(groups[0], replace(purpose, part="the rest") if is_rest else purpose)]
    total, batch = len(groups), uuid4().hex
    counted = (replace(purpose, part=f"{place:,} of {total:,}", batch=batch) for place in range(1, total + 1))
    return list(zip(groups, counted, strict=True))


def find_skipped(parts: Sequence[Part], ids: Collection[int | str]) -> set[str]:
    """Return the ids of the changes whose part was skipped: their other parts are not asked about either.

    `ids` has the records whose part was carried out; none if nothing had to be done.
    """
    if not ids or len(ids) == len(parts):
        return set()
    return {part.undoes.id for part in parts if (part.entry.uuid or part.entry.record) not in ids}

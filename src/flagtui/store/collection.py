"""All records of one kind as we believe them now: what the server said last, edits in flight painted over."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import msgspec

from flagtui.store.running_load import RecordId, RunningLoad


class Identified(Protocol):
    """A row knows its record."""

    @property
    def id(self) -> Any: ...


Row = TypeVar("Row", bound=Identified)

_ROW_NAMES: Final = {"evaluation_runtime": "runtime"}
"""Fields a row calls differently than the record does."""


def paint_row(row: Row, changes: Mapping[str, object]) -> Row:
    """The row with a record's changes on it, as far as it shows those fields."""
    if not isinstance(row, msgspec.Struct):
        return row
    named = {_ROW_NAMES.get(name, name): value for name, value in changes.items()}
    shown = {name: named[name] for name in row.__struct_fields__ if name in named}
    frozen = {name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
    return msgspec.structs.replace(row, **frozen)


class Collection(Generic[Row]):
    """Rows by record id. Nothing here waits, and nothing but a finished load or `remove` takes a row away."""

    def __init__(self, paint: Callable[[Row, Mapping[str, object]], Row] = paint_row) -> None:
        self._paint = paint
        self._said: list[Row] = []
        self._place: dict[RecordId, int] = {}
        self._gone: dict[RecordId, Row] = {}
        self._edits: dict[RecordId, list[Mapping[str, object]]] = {}
        self._painted: dict[RecordId, Row] = {}
        self._changed: dict[RecordId, int] = {}
        self._load: RunningLoad | None = None
        self._rows: tuple[Row, ...] | None = ()
        self._watchers: list[Callable[[], None]] = []
        self.version = 0
        """Counts up whenever anything that can be seen changes."""
        self.total: int | None = None
        """How many the server says there are; None before the first page."""
        self.unreadable: frozenset[RecordId] = frozenset()
        """Records of the last load that could not become rows."""
        self.is_complete = False
        """True once a load has seen everything."""
        self.loaded_at: float | None = None
        """When that was, or when recalled rows were new; Unix seconds."""
        self._looked_at = 0

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row, edits in flight painted over. The same object until something changes."""
        if self._rows is None:
            rows = list(self._said)
            for record_id in self._edits.keys() & self._place.keys():
                rows[self._place[record_id]] = self._shown(record_id)
            self._rows = tuple(rows)
        return self._rows

    def __len__(self) -> int:
        return len(self._said)

    def get(self, record_id: RecordId) -> Row | None:
        """The row as it is shown."""
        return self._shown(record_id) if record_id in self._place else None

    def said(self, record_id: RecordId) -> Row | None:
        """The row as the server last said, without edits in flight."""
        place = self._place.get(record_id)
        return None if place is None else self._said[place]

    @property
    def said_rows(self) -> tuple[Row, ...]:
        """Every row as the server last said."""
        return tuple(self._said)

    @property
    def pending(self) -> frozenset[RecordId]:
        """Records with an edit on its way."""
        return frozenset(self._edits)

    def changed_since(self, version: int) -> frozenset[RecordId]:
        """Records known at that version of which the server has said something different since."""
        changed = set()
        for record_id in reversed(self._changed):
            if self._changed[record_id] <= version:
                break
            changed.add(record_id)
        return frozenset(changed)

    def take_changed(self) -> frozenset[RecordId]:
        """What `changed_since` says about the last time this was asked."""
        changed, self._looked_at = self.changed_since(self._looked_at), self.version
        return changed

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Calls `told` after every change; the answer stops that."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told) if told in self._watchers else None

    def put(self, row: Row) -> bool:
        """Takes what the server just said about one record; False when we know something newer."""
        return self.put_all((row,)) == 1

    def put_all(self, rows: Iterable[Row]) -> int:
        """The same for several, told as one change. Gives how many were taken."""
        taken = [(row.id, self._take(row, is_page=False)) for row in rows]
        believed = [record_id for record_id, worth in taken if worth != "old"]
        if self._load:
            self._load.put.update(believed)
        if any(worth == "news" for _, worth in taken):
            self._tell()
        return len(believed)

    def remove(self, record_id: RecordId) -> None:
        """Forgets a record that is gone. A page asked for earlier cannot bring it back."""
        place = self._place.get(record_id)
        if place is None:
            return
        self._gone[record_id] = self._said[place]
        if self._load:
            self._load.lose(record_id, place)
        self._keep([row.id != record_id for row in self._said])
        self._tell()

    @contextmanager
    def showing(self, record_id: RecordId, changes: Mapping[str, object]) -> Iterator[None]:
        """Paints an edit over its row until the block is left. Leaving it is the rollback."""
        edit = dict(changes)
        self._edits.setdefault(record_id, []).append(edit)
        self._repaint(record_id)
        try:
            yield
        finally:
            left = [other for other in self._edits[record_id] if other is not edit]
            if left:
                self._edits[record_id] = left
            else:
                del self._edits[record_id]
            self._repaint(record_id)

    def recall(self, rows: Iterable[Row], at: float) -> None:
        """Shows rows from an earlier run until a load replaces them. Rows known already stay."""
        self.loaded_at = self.loaded_at or at
        for row in rows:
            if row.id not in self._place:
                self._append(row)
        self._tell()

    def begin_load(self, *, is_whole: bool = True) -> None:
        """From here on, pages are of one load. An unfinished one is given up, its rows stay.

        `is_whole` is False for a list beside the main one, such as the archived records.
        """
        self._load = RunningLoad(len(self._said), is_whole=is_whole)
        self._gone.clear()

    def add_page(self, rows: Iterable[Row], total: int, unreadable: Iterable[RecordId] = ()) -> None:
        """Takes one page of the load that was begun."""
        load = self._load
        if load is None:
            raise RuntimeError("add_page without begin_load")
        for row in rows:
            self._take(row, is_page=True)
            load.see(row.id, self._place.get(row.id))
        load.unreadable.update(unreadable)
        load.total = max(total, load.total)
        if load.is_whole:
            self.total = load.total
        self._tell()

    def finish_load(self, covers: Callable[[Row], bool] = lambda _row: True, at: float | None = None) -> None:
        """Ends the load, now or `at`, and drops rows it covers but has not seen.

        When fewer records came than the server counted, none is dropped.
        """
        load = self._load
        if load is None:
            raise RuntimeError("finish_load without begin_load")
        if load.is_all:
            known = (load.put, self._edits)
            places = zip(self._said, load.seen, strict=True)
            self._keep(
                [
                    is_seen > 0 or any(row.id in ids for ids in known) or not covers(row)
                    for row, is_seen in places
                ]
            )
        self._load = None
        if load.is_whole:
            self.unreadable = frozenset(load.unreadable)
            self.is_complete = True
            self.loaded_at = time.time() if at is None else at
        self._tell()

    def abandon_load(self) -> None:
        """Ends a load that failed or was given up. What it brought stays."""
        self._load = None

    def _take(self, row: Row, *, is_page: bool) -> Literal["old", "known", "news"]:
        record_id = row.id
        gone = self._gone.get(record_id)
        if gone is not None and not _is_newer(row, gone):
            return "old"
        self._gone.pop(record_id, None)
        place = self._place.get(record_id)
        if place is None:
            self._append(row)
            return "news"
        known = self._said[place]
        is_overtaken = is_page and self._load is not None and record_id in self._load.put
        if _is_newer(known, row) or (is_overtaken and not _is_newer(row, known)):
            return "old"
        if row == known:
            # The object stays the one it is, so that a finder sees at a glance what is new.
            return "known"
        self._said[place] = row
        self._painted.pop(record_id, None)
        self._changed.pop(record_id, None)
        self._changed[record_id] = self.version + 1
        return "news"

    def _append(self, row: Row) -> None:
        self._place[row.id] = len(self._said)
        self._said.append(row)
        if self._load:
            self._load.add_place()

    def _keep(self, is_kept: Sequence[bool]) -> None:
        kept = list(compress(self._said, is_kept))
        if len(kept) == len(self._said):
            return
        self._said = kept
        if self._load:
            self._load.keep_places(is_kept)
        self._place = {row.id: place for place, row in enumerate(kept)}
        self._painted = {each: row for each, row in self._painted.items() if each in self._place}
        self._changed = {each: at for each, at in self._changed.items() if each in self._place}

    def _shown(self, record_id: RecordId) -> Row:
        row = self._said[self._place[record_id]]
        if record_id not in self._edits:
            return row
        if record_id not in self._painted:
            for edit in self._edits[record_id]:
                row = self._paint(row, edit)
            self._painted[record_id] = row
        return self._painted[record_id]

    def _repaint(self, record_id: RecordId) -> None:
        self._painted.pop(record_id, None)
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._rows = None
        for told in tuple(self._watchers):
            told()


def _is_newer(row: object, other: object) -> bool:
    """By version where both have one and they differ, else by the last change; False if not known."""
    for name in ("version", "updated_at"):
        mine, theirs = getattr(row, name, None), getattr(other, name, None)
        if mine is not None and theirs is not None and mine != theirs:
            return bool(mine > theirs)
    return False

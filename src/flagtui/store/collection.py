"""All records of one kind as they are believed to be: the server's last values plus optimistic edits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any, Generic, Literal, Protocol, TypeVar

from flagtui.store.load_progress import RecordId, RunningLoad
from flagtui.store.optimistic_edits import OptimisticEdits


class Identified(Protocol):
    """A row knows its record."""

    @property
    def id(self) -> Any: ...


Row = TypeVar("Row", bound=Identified)

Moment = int
"""A place in the order in which answers arrive."""
Worth = Literal["old", "known", "news"]


class Collection(Generic[Row]):
    """Rows by record id. Nothing here waits, and nothing but a finished load or `remove` takes a row away."""

    def __init__(self) -> None:
        self._said: list[Row] = []
        self._place: dict[RecordId, int] = {}
        self._gone: dict[RecordId, tuple[Row, Moment]] = {}
        self._edits: OptimisticEdits[Row] = OptimisticEdits()
        self._changed: dict[RecordId, int] = {}
        self._load: RunningLoad | None = None
        self._rows: tuple[Row, ...] | None = ()
        self._watchers: list[Callable[[], None]] = []
        self.version = 0
        """Counts up whenever anything that can be seen changes."""
        self.total: int | None = None
        """How many the server says there are; None before the first page."""
        self.is_complete = False
        """True once a load has seen everything."""
        self._now: Moment = 0
        self._paged_at: Moment = 0
        """When the last page arrived: no row without a moment of its own came later."""
        self._arrived: dict[RecordId, Moment] = {}
        """When single records arrived."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row, with optimistic edits applied. The same object until something changes."""
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

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Calls `told` after every change; the answer stops that."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told) if told in self._watchers else None

    @property
    def moment(self) -> Moment:
        """When a request that begins now began, for `put` to tell which of two answers is the later one."""
        return self._now

    def put(self, row: Row, asked: Moment | None = None) -> bool:
        """Takes what the server said about one record; False when what is known is newer.

        An answer asked for after the known one had arrived replaces it, whatever its version: a restored
        backup counts lower. Where the two overlap, or `asked` is not given, the version decides.
        """
        return self.put_all((row,), asked) == 1

    def put_all(self, rows: Iterable[Row], asked: Moment | None = None) -> int:
        """The same for several, told as one change. Gives how many were taken."""
        taken = [(row.id, self._take(row, asked)) for row in rows]
        believed = [record_id for record_id, worth in taken if worth != "old"]
        self._now += 1
        self._arrived.update(dict.fromkeys(believed, self._now))
        if self._load:
            self._load.put.update(believed)
        if any(worth == "news" for _, worth in taken):
            self._notify()
        return len(believed)

    def remove(self, record_id: RecordId) -> None:
        """Forgets a record that is gone. A page asked for earlier cannot bring it back."""
        place = self._place.get(record_id)
        if place is None:
            return
        self._now += 1
        self._gone[record_id] = (self._said[place], self._now)
        self._arrived.pop(record_id, None)
        if self._load:
            self._load.lose(record_id, place)
        self._keep([row.id != record_id for row in self._said])
        self._notify()

    @contextmanager
    def showing(self, record_id: RecordId, changes: Mapping[str, object]) -> Iterator[None]:
        """Paints an edit over its row until the block is left. Leaving it is the rollback."""
        edit = dict(changes)
        self._edits.begin(record_id, edit)
        self._notify()
        try:
            yield
        finally:
            self._edits.end(record_id, edit)
            self._notify()

    def recall(self, rows: Iterable[Row]) -> None:
        """Shows rows from an earlier run until a load replaces them. Rows known already stay."""
        for row in rows:
            if row.id not in self._place:
                self._append(row)
        self._notify()

    def begin_load(self, *, is_whole: bool = True) -> RunningLoad:
        """From here on, pages are of one load. An unfinished one is given up, its rows stay.

        `is_whole` is False for a list beside the main one, such as the archived records.
        """
        self._load = RunningLoad(len(self._said), is_whole=is_whole)
        self._gone.clear()
        return self._load

    def is_open(self, load: RunningLoad | None) -> bool:
        """Whether this load was neither finished nor given up, so that its missing pages can still come."""
        return load is not None and load is self._load

    def add_page(self, rows: Iterable[Row], total: int, unreadable: Iterable[RecordId] = ()) -> None:
        """Takes one page of the load that was begun."""
        load = self._load
        if load is None:
            raise RuntimeError("add_page without begin_load")
        for row in rows:
            self._take_from_page(row, load)
            load.see(row.id, self._place.get(row.id))
        self._now += 1
        self._paged_at = self._now
        load.unreadable.update(unreadable)
        load.total = max(total, load.total)
        if load.is_whole:
            self.total = load.total
        self._notify()

    def finish_load(self, covers: Callable[[Row], bool] = lambda _row: True, *, is_cut: bool = False) -> None:
        """End the load and drop the rows it covers but has not seen.

        When fewer records came than the server counted, or `is_cut` says that reading stopped before the end,
        none is dropped; a list that is cut is not complete.
        """
        load = self._load
        if load is None:
            raise RuntimeError("finish_load without begin_load")
        if load.is_all and not is_cut:
            known = (load.put, self._edits)
            places = zip(self._said, load.seen, strict=True)
            self._keep(
                [
                    is_seen > 0 or any(row.id in ids for ids in known) or not covers(row)
                    for row, is_seen in places
                ]
            )
        self._load = None
        self._arrived = {each: self._arrived[each] for each in load.put & self._arrived.keys()}
        if load.is_whole:
            self.is_complete = not is_cut
        self._notify()

    def abandon_load(self) -> None:
        """Ends a load that failed or was given up. What it brought stays."""
        self._load = None

    def _take(self, row: Row, asked: Moment | None) -> Worth:
        gone, gone_at = self._gone.get(row.id, (None, 0))
        if gone is not None and not _is_later(asked, gone_at) and not _is_newer(row, gone):
            return "old"
        place = self._place.get(row.id)
        if place is None:
            return self._set(row, place)
        is_later = _is_later(asked, self._arrived.get(row.id, self._paged_at))
        return "old" if not is_later and _is_newer(self._said[place], row) else self._set(row, place)

    def _take_from_page(self, row: Row, load: RunningLoad) -> Worth:
        """Pages are asked for after the load began; only what came since then can be newer."""
        gone, _ = self._gone.get(row.id, (None, 0))
        place = self._place.get(row.id)
        if gone is not None and not _is_newer(row, gone):
            return "old"
        if place is not None:
            known = self._said[place]
            if row.id in load.put and not _is_newer(row, known):
                return "old"
            if load.has_seen(place) and _is_newer(known, row):
                return "old"
        return self._set(row, place)

    def _set(self, row: Row, place: int | None) -> Worth:
        self._gone.pop(row.id, None)
        if place is None:
            self._append(row)
            return "news"
        if row == self._said[place]:
            # The object stays the one it is, so that a finder sees at a glance what is new.
            return "known"
        self._said[place] = row
        self._changed.pop(row.id, None)
        self._changed[row.id] = self.version + 1
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
        self._changed = {each: at for each, at in self._changed.items() if each in self._place}

    def _shown(self, record_id: RecordId) -> Row:
        return self._edits.applied_to(record_id, self._said[self._place[record_id]])

    def _notify(self) -> None:
        self.version += 1
        self._rows = None
        for told in tuple(self._watchers):
            told()


def _is_later(asked: Moment | None, arrived: Moment) -> bool:
    """Whether the request surely began after the other answer was here."""
    return asked is not None and asked >= arrived


def _is_newer(row: object, other: object) -> bool:
    """By version where both have one and they differ, else by the last change; False if not known."""
    for name in ("version", "updated_at"):
        mine, theirs = getattr(row, name, None), getattr(other, name, None)
        if mine is not None and theirs is not None and mine != theirs:
            return bool(mine > theirs)
    return False

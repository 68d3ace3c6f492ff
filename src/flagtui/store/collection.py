"""All records of one kind: the server's last values plus staged and optimistic edits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress, takewhile
from typing import Any, Generic, Literal, Protocol, TypeVar

from flagtui.models.rows import StagedRow
from flagtui.store.load_progress import RecordId, RunningLoad
from flagtui.store.optimistic_edits import OptimisticEdits, StagedEdit, StagedEdits
from flagtui.watched import Watched


class Identified(Protocol):
    """A row with the id of its record."""

    @property
    def id(self) -> Any: ...


IdRow = TypeVar("IdRow", bound=Identified)

Moment = int
"""A position in the order in which responses arrive."""
Worth = Literal["old", "known", "news"]


class Collection(Watched, Generic[IdRow]):
    """Rows by record id. Nothing here waits; only a finished load or `remove` removes a row."""

    def __init__(self) -> None:
        super().__init__()
        self._server_rows: list[IdRow] = []
        self._place: dict[RecordId, int] = {}
        self._gone: dict[RecordId, tuple[IdRow, Moment]] = {}
        self._edits: OptimisticEdits[IdRow] = OptimisticEdits()
        self._staged: StagedEdits[IdRow] = StagedEdits()
        self._changed: dict[RecordId, int] = {}
        self._load: RunningLoad | None = None
        self._rows: tuple[IdRow, ...] | None = ()
        self.version = 0
        """Increases with every visible change."""
        self.total: int | None = None
        """The server's number of records; None before the first page."""
        self.is_complete = False
        """Whether a load has seen every record."""
        self.moment: Moment = 0
        """The moment of a request that starts now; `put` compares responses by it."""
        self._paged_at: Moment = 0
        """When the last page arrived: rows without a moment of their own came no later."""
        self._arrived: dict[RecordId, Moment] = {}
        """When single records arrived."""

    @property
    def rows(self) -> tuple[IdRow, ...]:
        """Return every row with staged and optimistic edits; the same object until something changes."""
        if self._rows is None:
            rows = list(self._server_rows)
            for record_id in (self._edits.keys() | self._staged) & self._place.keys():
                rows[self._place[record_id]] = self._shown_row(record_id)
            self._rows = tuple(rows)
        return self._rows

    def __len__(self) -> int:
        return len(self._server_rows)

    def get(self, record_id: RecordId) -> IdRow | None:
        """Return the row as displayed."""
        return self._shown_row(record_id) if record_id in self._place else None

    def server_row(self, record_id: RecordId) -> IdRow | None:
        """Return the row as the server last sent it, without edits in flight."""
        place = self._place.get(record_id)
        return None if place is None else self._server_rows[place]

    @property
    def server_rows(self) -> tuple[IdRow, ...]:
        """Return every row as the server last sent it."""
        return tuple(self._server_rows)

    @property
    def pending(self) -> frozenset[RecordId]:
        """Return the records with an edit in flight."""
        return frozenset(self._edits)

    def stage(self, edits: Mapping[RecordId, StagedEdit]) -> None:
        """Show these staged changes on their rows, in place of earlier ones."""
        if self._staged.replace(edits):
            self._notify()

    @property
    def staged(self) -> Mapping[RecordId, StagedRow]:
        """Return the listed records with a staged change, each with its base."""
        return self._staged.compare(self.server_row)

    def changed_since(self, version: int) -> frozenset[RecordId]:
        """Return the records known at that version for which the server has sent other values since."""
        newest_first = reversed(self._changed)
        return frozenset(takewhile(lambda record_id: self._changed[record_id] > version, newest_first))

    def put(self, row: IdRow, sent_at: Moment | None = None, *, is_own: bool = False) -> bool:
        """Store a record, not marked as changed if `is_own`; return False if the stored one is newer.

        A response to a request sent after the stored one arrived replaces it, whatever its version: a
        restored backup counts lower. If the two overlap, or `sent_at` is missing, the version decides.
        """
        return self.put_all((row,), sent_at, is_own=is_own) == 1

    def put_all(self, rows: Iterable[IdRow], sent_at: Moment | None = None, *, is_own: bool = False) -> int:
        """Store several records as one change; return how many were stored."""
        taken = [(row.id, self._take(row, sent_at)) for row in rows]
        believed = [record_id for record_id, worth in taken if worth != "old"]
        if is_own:
            self._changed = {each: at for each, at in self._changed.items() if each not in believed}
        self.moment += 1
        self._arrived.update(dict.fromkeys(believed, self.moment))
        if self._load:
            self._load.put.update(believed)
        if any(worth == "news" for _, worth in taken):
            self._notify()
        return len(believed)

    def remove(self, record_id: RecordId) -> None:
        """Remove a deleted record. A page requested earlier cannot bring it back."""
        place = self._place.get(record_id)
        if place is None:
            return
        self.moment += 1
        self._gone[record_id] = (self._server_rows[place], self.moment)
        self._arrived.pop(record_id, None)
        if self._load:
            self._load.lose(record_id, place)
        self._keep([row.id != record_id for row in self._server_rows])
        self._notify()

    @contextmanager
    def showing(self, record_id: RecordId, changes: Mapping[str, object]) -> Iterator[None]:
        """Show an edit on its row until the block ends. Leaving the block is the rollback."""
        edit = dict(changes)
        self._edits.begin(record_id, edit)
        self._notify()
        try:
            yield
        finally:
            self._edits.end(record_id, edit)
            self._notify()

    def recall(self, rows: Iterable[IdRow]) -> None:
        """Show rows of an earlier run until a load replaces them; rows already here stay."""
        for row in rows:
            if row.id not in self._place:
                self._append(row)
        self._notify()

    def begin_load(self, *, is_whole: bool = True) -> RunningLoad:
        """Begin a load: the following pages belong to it. An unfinished load is abandoned, its rows stay.

        `is_whole` is False for a list beside the main one, such as the archived records.
        """
        self._load = RunningLoad(len(self._server_rows), is_whole=is_whole)
        self._gone.clear()
        return self._load

    def is_open(self, load: RunningLoad | None) -> bool:
        """Return whether the load is neither finished nor abandoned, so that more pages can come."""
        return load is not None and load is self._load

    def add_page(self, rows: Iterable[IdRow], total: int, unreadable: Iterable[RecordId] = ()) -> None:
        """Store one page of the current load."""
        load = self._load
        if load is None:
            raise RuntimeError("add_page without begin_load")
        for row in rows:
            self._take_from_page(row, load)
            load.see(row.id, self._place.get(row.id))
        self.moment += 1
        self._paged_at = self.moment
        load.unreadable.update(unreadable)
        load.total = max(total, load.total)
        if load.is_whole:
            self.total = load.total
        self._notify()

    def finish_load(self, covers: Callable[[IdRow], bool] = lambda _: True, *, is_cut: bool = False) -> None:
        """End the load and drop the rows it covers but has not seen.

        If fewer records arrived than the server counted, or `is_cut` reports that reading stopped before the
        end, none is dropped; a list that is cut is not complete.
        """
        load = self._load
        if load is None:
            raise RuntimeError("finish_load without begin_load")
        if load.is_all and not is_cut:
            kept_ids = (load.put, self._edits)
            places = zip(self._server_rows, load.seen, strict=True)
            self._keep(
                [
                    is_seen > 0 or any(row.id in ids for ids in kept_ids) or not covers(row)
                    for row, is_seen in places
                ]
            )
        self._load = None
        self._arrived = {each: self._arrived[each] for each in load.put & self._arrived.keys()}
        if load.is_whole:
            self.is_complete = not is_cut
        self._notify()

    def abandon_load(self) -> None:
        """End a load that failed or was cancelled. Its rows stay."""
        self._load = None

    def _take(self, row: IdRow, sent_at: Moment | None) -> Worth:
        gone, gone_at = self._gone.get(row.id, (None, 0))
        if gone is not None and not _is_later(sent_at, gone_at) and not _is_newer(row, gone):
            return "old"
        place = self._place.get(row.id)
        if place is None:
            return self._set(row, place)
        is_later = _is_later(sent_at, self._arrived.get(row.id, self._paged_at))
        return "old" if not is_later and _is_newer(self._server_rows[place], row) else self._set(row, place)

    def _take_from_page(self, row: IdRow, load: RunningLoad) -> Worth:
        """Store a row of a page; only records that arrived since its load began can be newer."""
        gone, _ = self._gone.get(row.id, (None, 0))
        place = self._place.get(row.id)
        if gone is not None and not _is_newer(row, gone):
            return "old"
        if place is not None:
            stored = self._server_rows[place]
            if row.id in load.put and not _is_newer(row, stored):
                return "old"
            if load.has_seen(place) and _is_newer(stored, row):
                return "old"
        return self._set(row, place)

    def _set(self, row: IdRow, place: int | None) -> Worth:
        self._gone.pop(row.id, None)
        if place is None:
            self._append(row)
            return "news"
        if row == self._server_rows[place]:
            # The object stays the same, so that a finder recognises new rows by identity.
            return "known"
        self._server_rows[place] = row
        self._changed.pop(row.id, None)
        self._changed[row.id] = self.version + 1
        return "news"

    def _append(self, row: IdRow) -> None:
        self._place[row.id] = len(self._server_rows)
        self._server_rows.append(row)
        if self._load:
            self._load.add_place()

    def _keep(self, is_kept: Sequence[bool]) -> None:
        kept = list(compress(self._server_rows, is_kept))
        if len(kept) == len(self._server_rows):
            return
        self._server_rows = kept
        if self._load:
            self._load.keep_places(is_kept)
        self._place = {row.id: place for place, row in enumerate(kept)}
        self._changed = {each: at for each, at in self._changed.items() if each in self._place}

    def _shown_row(self, record_id: RecordId) -> IdRow:
        row = self._staged.applied_to(record_id, self._server_rows[self._place[record_id]])
        return self._edits.applied_to(record_id, row)

    def _notify(self) -> None:
        self.version += 1
        self._rows = None
        self.notify_watchers()


def _is_later(sent_at: Moment | None, arrived: Moment) -> bool:
    """Return whether the request certainly began after the other response arrived."""
    return sent_at is not None and sent_at >= arrived


def _is_newer(row: object, other: object) -> bool:
    """Return whether the row is newer: by version if both have one and they differ, else by last change."""
    for name in ("version", "updated_at"):
        mine, theirs = getattr(row, name, None), getattr(other, name, None)
        if mine is not None and theirs is not None and mine != theirs:
            return bool(mine > theirs)
    return False

"""The progress of a load: its states, and the rows of its pages."""

from collections.abc import Iterable
from itertools import compress

from msgspec import Struct

from flagtui.api.errors import ApiError

RecordId = int | str
"""A UUID for event definitions, a number for other records."""


class Empty(Struct, frozen=True):
    """The state before the first request."""


class Recalled(Struct, frozen=True):
    """The rows are from an earlier run."""


class Running(Struct, frozen=True):
    """Pages are arriving."""

    done: int
    """Number of records loaded so far."""
    total: int | None
    """None until the first page reports it."""
    is_asked: bool = False
    """Whether the user requested it and wants to see its progress."""


class Loaded(Struct, frozen=True):
    """The state of a complete list."""


class LoadFailed(Struct, frozen=True):
    """The load failed. Earlier rows, and those that did arrive, are still shown."""

    error: ApiError
    at: float
    """Time in Unix seconds."""


State = Empty | Recalled | Running | Loaded | LoadFailed


class RunningLoad:
    """The rows of a collection that a load has seen, by place: ids would cost forty times as much."""

    def __init__(self, places: int, *, is_whole: bool) -> None:
        self.is_whole = is_whole
        self.total = 0
        """The server's number of records."""
        self.put: set[RecordId] = set()
        """Records that arrived another way meanwhile; they are newer than any page."""
        self.unreadable: set[RecordId] = set()
        self.seen = bytearray(places)
        """For each place 1 when a page had its row."""
        self._seen_elsewhere: set[RecordId] = set()
        """Seen records without a place, or that have lost it."""

    @property
    def is_all(self) -> bool:
        """Return whether as many came as the server counted; deletions during the load reduce the number."""
        return self.seen.count(1) + len(self._seen_elsewhere) + len(self.unreadable) >= self.total

    def has_seen(self, place: int) -> bool:
        """Return whether a page had the row at this place."""
        return self.seen[place] > 0

    def see(self, record_id: RecordId, place: int | None) -> None:
        """Record that a page had this record."""
        if place is None:
            self._seen_elsewhere.add(record_id)
        else:
            self.seen[place] = 1
            self._seen_elsewhere.discard(record_id)

    def lose(self, record_id: RecordId, place: int) -> None:
        """Record that the record is about to lose its place."""
        if self.seen[place]:
            self._seen_elsewhere.add(record_id)

    def add_place(self) -> None:
        """Add one place at the end."""
        self.seen.append(0)

    def keep_places(self, is_kept: Iterable[bool]) -> None:
        """Drop the places of removed records; later ones move up."""
        self.seen = bytearray(compress(self.seen, is_kept))

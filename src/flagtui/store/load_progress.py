"""How far a load is: its states, and what its pages have had so far."""

from collections.abc import Iterable, Sequence
from itertools import compress

from msgspec import Struct

from flagtui.api.errors import ApiError

RecordId = int | str
"""Event definitions are known by a UUID, everything else by a number."""


class Empty(Struct, frozen=True):
    """Nothing was asked for yet."""


class Recalled(Struct, frozen=True):
    """The rows are from an earlier run."""


class Running(Struct, frozen=True):
    """Pages are arriving."""

    done: int
    """Records this load has brought."""
    total: int | None
    """None until the first page says it."""
    is_asked: bool = False
    """The person asked for it and wants to see how far it is."""


class Loaded(Struct, frozen=True):
    """Everything arrived."""


class LoadFailed(Struct, frozen=True):
    """It broke off. Rows from before, and those that did arrive, are still shown."""

    error: ApiError
    at: float
    """When, in Unix seconds."""


State = Empty | Recalled | Running | Loaded | LoadFailed


class RunningLoad:
    """Which rows of a collection a load has seen, by their place: ids would cost forty times as much."""

    def __init__(self, places: int, *, is_whole: bool) -> None:
        self.is_whole = is_whole
        self.total = 0
        """How many the server says there are."""
        self.put: set[RecordId] = set()
        """Records that came another way meanwhile; they are newer than any page."""
        self.unreadable: set[RecordId] = set()
        self._seen = bytearray(places)
        self._seen_elsewhere: set[RecordId] = set()
        """Records some page had that have no place, or have lost it."""

    @property
    def is_all(self) -> bool:
        """As many came as the server counted; fewer come when records are deleted during the load."""
        return self._seen.count(1) + len(self._seen_elsewhere) + len(self.unreadable) >= self.total

    @property
    def seen(self) -> Sequence[int]:
        """For each place 1 when a page had its row."""
        return self._seen

    def has_seen(self, place: int) -> bool:
        """Whether a page had the row at this place."""
        return self._seen[place] > 0

    def see(self, record_id: RecordId, place: int | None) -> None:
        """A page had this record."""
        if place is None:
            self._seen_elsewhere.add(record_id)
        else:
            self._seen[place] = 1
            self._seen_elsewhere.discard(record_id)

    def lose(self, record_id: RecordId, place: int) -> None:
        """The record is about to lose its place."""
        if self._seen[place]:
            self._seen_elsewhere.add(record_id)

    def add_place(self) -> None:
        """One row more."""
        self._seen.append(0)

    def keep_places(self, is_kept: Iterable[bool]) -> None:
        """Drops the places of removed records; later ones move up."""
        self._seen = bytearray(compress(self._seen, is_kept))

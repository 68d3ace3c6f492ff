"""The records a person marked, by id, so that sorting, filtering and refreshing do not touch them."""

from collections.abc import Iterable, Sequence

from flagtui.app.widgets.column_layout import RecordId


class Marks:
    """A set of ids that remembers where the last mark was put, for marking a range from there."""

    def __init__(self) -> None:
        self.ids: frozenset[RecordId] = frozenset()
        self._last: RecordId | None = None

    def flip(self, record: RecordId) -> None:
        """Mark the record, or unmark it."""
        self._last = record
        self.ids = self.ids ^ {record}

    def reach(self, shown: Sequence[RecordId], place: int) -> None:
        """Mark from the last mark to `place` in the order shown; only `place` when that mark is not shown."""
        start = shown.index(self._last) if self._last in shown else place
        low, high = sorted((start, place))
        self._last = shown[place]
        self.ids = self.ids | frozenset(shown[low : high + 1])

    def take(self, records: Iterable[RecordId]) -> None:
        """Mark all of these; unmark them when all are marked already."""
        asked = frozenset(records)
        self.ids = self.ids - asked if asked <= self.ids else self.ids | asked

    def drop(self, records: Iterable[RecordId]) -> None:
        """Unmark these."""
        self.ids = self.ids.difference(records)

    def clear(self) -> None:
        self.ids = frozenset()
        self._last = None

    def keep(self, known: Iterable[RecordId]) -> bool:
        """Forget marks on records that are gone; true when there were any."""
        if not self.ids:
            return False
        kept = self.ids.intersection(known)
        lost = len(kept) < len(self.ids)
        self.ids = kept
        return lost

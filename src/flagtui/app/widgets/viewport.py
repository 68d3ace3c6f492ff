"""The visible rows of a long list, the cursor and the marks."""

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from flagtui.app.widgets.column_layout import RecordId


class Viewport(msgspec.Struct):
    """`place` and `top` count rows from 0; `place` is -1 exactly when there is no row."""

    count: int = 0
    height: int = 0
    top: int = 0
    place: int = -1
    rule: int = 0
    """How many rows stand above a dividing line, which takes a line of the screen when rows of both sides are
    in sight; 0 for none."""
    _resized: tuple[int, int] = (0, 0)
    """The top before the last changes of the height, and after them."""

    @property
    def line(self) -> int:
        """The screen line of the cursor, from the top of the rows."""
        line = self.place - self.top
        return line + (0 <= self.rule_line <= line)

    @property
    def rule_line(self) -> int:
        """The screen line of the dividing line; -1 while it is not in sight."""
        line = self.rule - self.top
        return line if 0 < self.rule < self.count and 0 < line < self.height else -1

    @property
    def rows_in_sight(self) -> range:
        """The places of the rows on screen."""
        room = self.height - (self.rule_line >= 0)
        return range(self.top, min(self.count, self.top + room))

    def place_at(self, line: int) -> int | None:
        """Return the place of the row on a screen line; None for a line without a row."""
        rule_line = self.rule_line
        if line == rule_line or line < 0:
            return None
        place = self.top + line - (0 <= rule_line < line)
        return place if place < self.count else None

    @property
    def thumb(self) -> range:
        """The screen lines of the thumb of a scroll bar; none while all rows are in sight."""
        if not 0 < self.height < self.count:
            return range(0)
        length = max(1, self.height * self.height // self.count)
        start = round(self.top * (self.height - length) / (self.count - self.height))
        return range(min(start, self.height - length), min(start + length, self.height))

    def move_to(self, place: int, *, jump: bool = False) -> None:
        """Put the cursor there and scroll as little as shows it; `jump` scrolls half a page instead."""
        self.place = self._row(place)
        if self.height <= 0:
            # Not on screen yet: the first height scrolls as little as shows the cursor.
            return
        above = self.place < self.top
        if above or self.place not in self.rows_in_sight:
            if jump:
                goal = self.place - self.height // 2
            else:
                goal = self.place if above else self._last_top(self.place)
            self.top = self._top(goal)

    def page(self, rows: int) -> None:
        """Move the cursor and the visible rows by the same number."""
        self.place = self._row(self.place + rows)
        self.top = self._top(self.top + rows)
        self.move_to(self.place)

    def scroll(self, rows: int) -> None:
        """Scroll; the cursor stays on its row while that is visible, else at the edge."""
        self.top = self._top(self.top + rows)
        seen = self.rows_in_sight
        self.place = self._row(min(max(self.place, seen.start), max(seen.stop - 1, 0)))

    def resize(self, height: int) -> None:
        """Keep the cursor in sight in another height; the former height brings back the former rows."""
        before, after = self._resized
        if self.top != after:
            before = self.top
        self.height = max(0, height)
        self.top = self._top(before)
        self.move_to(self.place)
        self._resized = before, self.top

    def replace(self, count: int, place: int, line: int, rule: int = 0) -> None:
        """Take another number of rows, the cursor at `place` and, where possible, on this screen line."""
        self.count, self.rule = count, rule
        self.place = self._row(place)
        if self.height > 0:
            top = self.place - line
            self.top = self._top(top + (top < rule <= self.place))
        self.move_to(self.place)

    def _last_top(self, place: int) -> int:
        """Return the topmost row when this row is the lowest on screen."""
        top = place - self.height + 1
        return top + (0 < self.rule < self.count and top < self.rule <= place)

    def _row(self, place: int) -> int:
        return max(min(place, self.count - 1), 0) if self.count else -1

    def _top(self, top: int) -> int:
        # Without room for a row there is nothing to keep in sight.
        last = self._last_top(self.count - 1) if self.height > 0 else self.count
        return max(0, min(top, last))


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
        """Mark all of these."""
        self.ids |= frozenset(records)

    def drop(self, records: Iterable[RecordId]) -> None:
        """Unmark these."""
        self.ids = self.ids.difference(records)

    def clear(self) -> None:
        self.ids = frozenset()
        self._last = None

    def keep(self, existing: Iterable[RecordId]) -> bool:
        """Forget marks on records that are gone; true when there were any."""
        if not self.ids:
            return False
        kept = self.ids.intersection(existing)
        lost = len(kept) < len(self.ids)
        self.ids = kept
        return lost


def find_nearest(before: Sequence[RecordId], place: int, now: Sequence[RecordId]) -> int:
    """Return the place in `now` of the nearest record left of those after `place`, else of those above it.

    Without any, it is the same place.
    """
    places = {record: at for at, record in enumerate(now)}
    nearest = chain(before[place + 1 :], reversed(before[:place]))
    return next((places[record] for record in nearest if record in places), place)

"""Which rows of a long list are on screen, and which of them the cursor is on. Knows nothing of drawing."""

from dataclasses import dataclass


@dataclass
class Viewport:
    """`place` and `top` count rows from 0; `place` is -1 exactly when there is no row."""

    count: int = 0
    height: int = 0
    top: int = 0
    place: int = -1

    @property
    def line(self) -> int:
        """The screen line of the cursor, from the top of the rows."""
        return self.place - self.top

    def move_to(self, place: int, *, jump: bool = False) -> None:
        """Put the cursor there and scroll as little as shows it; `jump` scrolls half a page instead."""
        self.place = self._row(place)
        above = self.place < self.top
        if above or self.place >= self.top + self.height:
            if jump:
                goal = self.place - self.height // 2
            else:
                goal = self.place if above else self.place - self.height + 1
            self.top = self._top(goal)

    def page(self, rows: int) -> None:
        """Move the cursor and what is shown by the same number of rows."""
        self.place = self._row(self.place + rows)
        self.top = self._top(self.top + rows)
        self.move_to(self.place)

    def scroll(self, rows: int) -> None:
        """Move what is shown; the cursor stays on its row while that is in sight, else at the edge."""
        self.top = self._top(self.top + rows)
        self.place = self._row(min(max(self.place, self.top), self.top + self.height - 1))

    def resize(self, height: int) -> None:
        """Keep the cursor in sight in another height."""
        self.height = max(0, height)
        self.top = self._top(self.top)
        self.move_to(self.place)

    def replace(self, count: int, place: int, line: int) -> None:
        """Take another number of rows, the cursor at `place` and, where possible, on this screen line."""
        self.count = count
        self.place = self._row(place)
        self.top = self._top(self.place - line)
        self.move_to(self.place)

    def _row(self, place: int) -> int:
        return max(min(place, self.count - 1), 0) if self.count else -1

    def _top(self, top: int) -> int:
        return max(0, min(top, self.count - self.height))

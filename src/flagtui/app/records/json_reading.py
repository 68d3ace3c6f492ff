"""JSON laid out as lines, a part at a time: a record can have hundreds of thousands of them."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import overload

from flagtui.models.json_value import JSON
from flagtui.text.differences import UNFOLDED, JsonRow, Path, json_rows
from flagtui.text.formats import count
from flagtui.text.styled import Piece


class JsonReading:
    """The lines of a value as far as they were read, and which of them have the words that are looked for."""

    def __init__(
        self,
        value: JSON = None,
        folded: Collection[Path] = UNFOLDED,
        words: str = "",
        keep: Path | None = None,
    ) -> None:
        self.rows: list[JsonRow] = []
        self.words = words
        """Folded to one case; empty looks for nothing."""
        self.matches: list[int] = []
        """Places of the lines that have the words."""
        self.place: int | None = None
        """Where the path to keep is; None before it was read, or without one."""
        self.is_whole = value is None
        self._keep = keep
        self._left = json_rows(value, frozenset(folded))

    def read(self, number: int) -> None:
        """Lay out so many lines more."""
        if self.is_whole:
            return
        rows = self.rows
        before = len(rows)
        rows.extend(islice(self._left, number))
        self.is_whole = len(rows) < before + number
        if self.place is None and self._keep is not None:
            kept = (place for place in range(before, len(rows)) if rows[place].path == self._keep)
            self.place = next(kept, None)
        if self.words:
            lines = range(before, len(rows))
            self.matches += [place for place in lines if self.words in rows[place].text.casefold()]

    @property
    def count_words(self) -> str:
        """Return how many lines were read, or have the words: `1 line has it so far`."""
        number = len(self.matches if self.words else self.rows)
        has = (" has it" if number == 1 else " have it") if self.words else ""
        return f"{count(number, 'line')}{has}{'' if self.is_whole else ' so far'}"

    def has_line(self, place: int) -> bool:
        """Return whether the line to keep was read: the line of a path, of a place, or all lines."""
        if self.is_whole:
            return True
        return len(self.rows) > place if self._keep is None else self.place is not None


class JsonLines(Sequence[Sequence[Piece]]):
    """The lines as they are drawn: pieces are built for visible lines only."""

    def __init__(self, reading: JsonReading) -> None:
        self._reading = reading

    def __len__(self) -> int:
        return len(self._reading.rows)

    @overload
    def __getitem__(self, place: int) -> Sequence[Piece]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Sequence[Piece]]: ...
    def __getitem__(self, place: int | slice) -> Sequence[Piece] | Sequence[Sequence[Piece]]:
        rows = self._reading.rows[place]
        return [self._underline(row) for row in rows] if isinstance(rows, list) else self._underline(rows)

    def _underline(self, row: JsonRow) -> Sequence[Piece]:
        words = self._reading.words
        if not words or words not in row.text.casefold():
            return row.pieces
        return [(text, f"{style} underline" if text.strip() else style) for text, style in row.pieces]

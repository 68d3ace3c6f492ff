"""Encode the wanted screen as the bytes to send: changed cells, and moves of lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import ne
from typing import NamedTuple

from rich.segment import Segment

from flagtui.app.terminal.screen_cells import (
    SECOND_HALF,
    Cell,
    CellMaker,
    Pen,
    Pens,
    Row,
    link_change,
    mend_halves,
    moves_surely,
)

FEWEST_LINES = 4
"""With fewer lines that moved, painting them is as cheap."""


class Shift(NamedTuple):
    """Scroll the lines from `top` to `bottom` up by `by` lines, or down if negative."""

    top: int
    bottom: int
    by: int


def find_shift(old: Sequence[Row], new: Mapping[int, Row]) -> Shift | None:
    """Return the shift that leaves fewer cells to paint than there are now, if there is one."""
    changed = {y: row for y, row in new.items() if row != old[y]}
    if len(changed) < FEWEST_LINES:
        return None
    where = {_left_text(row): y for y, row in reversed([*enumerate(old)])}
    distances = {y: where[left] - y for y, row in changed.items() if (left := _left_text(row)) in where}
    votes = Counter(distances.values())
    del votes[0]
    by, moved = votes.most_common(1)[0] if votes else (0, 0)
    if moved < FEWEST_LINES:
        return None
    lines = [y for y, distance in distances.items() if distance == by]
    shift = Shift(min(lines[0], lines[0] + by), max(lines[-1], lines[-1] + by), by)
    return shift if _cost_after(shift, old, new) < _cost_before(shift, old, new) else None


def _left_text(row: Row) -> str:
    """Return the left half of a line as a key: a pane beside a list does not scroll with it."""
    return "".join([cell[0] for cell in row[: len(row) // 2] if cell is not None])


def _cost_before(shift: Shift, old: Sequence[Row], new: Mapping[int, Row]) -> int:
    return sum(_differing(old[y], new[y]) for y in range(shift.top, shift.bottom + 1) if y in new)


def _cost_after(shift: Shift, old: Sequence[Row], new: Mapping[int, Row]) -> int:
    cost = 0
    for y in range(shift.top, shift.bottom + 1):
        target = new.get(y, old[y])
        source = y + shift.by
        is_moved = shift.top <= source <= shift.bottom
        cost += _differing(old[source], target) if is_moved else len(target)
    return cost


def _differing(row: Row, other: Row) -> int:
    """Count the cells that differ."""
    return 0 if row == other else sum(map(ne, row, other))


RESET = "\x1b[0m"
ERASE_TO_END = "\x1b[K"
SKIPPED_CELLS = 4
"""Unchanged cells between changed ones are written again up to this many; moving over more is shorter."""
LONG_BLANK = 12
"""Blanks within a line from which on erasing them and moving over them is shorter."""
ERASED_CELLS = 4
"""Blanks at the end of a line from which on erasing them is shorter than writing them."""


class Patch(NamedTuple):
    """Segments for one line, from cell `x` on."""

    y: int
    x: int
    segments: Iterable[Segment]


class Encoder:
    """Remembers the terminal's screen. `erases`: whether it erases in the current background colour."""

    def __init__(self, pens: Pens, *, erases: bool = True) -> None:
        self._pens = pens
        self._cells = CellMaker(pens)
        self._erases = erases
        self._shown: list[Row] = []
        self._pen = pens.default

    def forget(self) -> None:
        """Forget the terminal's screen."""
        self._shown = []

    def encode(self, width: int, height: int, patches: Iterable[Patch]) -> str:
        """Return the output that makes the terminal show the patches; empty when it does already."""
        if len(self._shown) != height or (height and len(self._shown[0]) != width):
            self._shown = [[None] * width for _ in range(height)]
        new = dict(sorted(self._apply(patches).items()))
        sent: list[str] = []
        shift = find_shift(self._shown, new)
        if shift is not None:
            sent.append(self._scroll(shift, new))
        self._pen = self._pens.default
        for y in sorted(new):
            if new[y] != self._shown[y]:
                sent.extend(self._line(y, self._shown[y], new[y]))
                self._shown[y] = new[y]
        return "".join([*sent, self._end()]) if sent else ""

    def shown_lines(self) -> Sequence[Row]:
        """Return the lines that the terminal shows now; later output does not change them."""
        return tuple(self._shown)

    def whole_frame(self, rows: Sequence[Row]) -> tuple[str, str]:
        """Return output that draws these rows on a blank terminal, and the last style codes of line one.

        Both are empty when not every cell is known.
        """
        last = rows[0][-1] if rows and rows[0] else None
        if last is None or any(None in row for row in rows):
            return "", ""
        self._pen = self._pens.default
        sent = [part for y, row in enumerate(rows) for part in self._line(y, [None] * len(row), row)]
        return "".join([*sent, self._end()]), ";".join(filter(None, (last[1].colour, last[1].background)))

    def _end(self) -> str:
        """Return the codes that end a link, so that it never extends into other output."""
        return link_change(self._pen.link, "") + RESET

    def _apply(self, patches: Iterable[Patch]) -> dict[int, Row]:
        new: dict[int, Row] = {}
        for y, x, segments in patches:
            if 0 <= y < len(self._shown):
                row = new.get(y)
                if row is None:
                    row = new[y] = self._shown[y].copy()
                self._cells.lay(row, x, segments)
        for row in new.values():
            mend_halves(row)
        return new

    def _scroll(self, shift: Shift, new: dict[int, Row]) -> str:
        """Let the terminal move the lines; the ones it exposes are of unknown content."""
        top, bottom, by = shift
        moved = self._shown[top : bottom + 1]
        gap: list[Row] = [[None] * len(moved[0]) for _ in range(abs(by))]
        for y in range(top, bottom + 1):
            new.setdefault(y, self._shown[y])
        self._shown[top : bottom + 1] = [*moved[by:], *gap] if by > 0 else [*gap, *moved[:by]]
        step = f"\x1b[{bottom + 1};1H" + "\n" * by if by > 0 else f"\x1b[{top + 1};1H" + "\x1bM" * -by
        return f"{RESET}\x1b[{top + 1};{bottom + 1}r{step}\x1b[r"

    def _line(self, y: int, old: Row, new: Row) -> Iterator[str]:
        """Yield runs of changed cells, each addressed and written with as few pen changes as possible."""
        changed = [x for x, (was, now) in enumerate(zip(old, new, strict=True)) if was != now]
        end = self._erased_from(new, changed)
        at = -1
        for start, stop in _runs(new, [x for x in changed if x < end]):
            yield f"\x1b[{y + 1};{start + 1}H" if at < 0 else f"\x1b[{start - at}C"
            yield from self._write(new, start, stop)
            at = stop
        if end < len(new):
            yield "" if at == end else f"\x1b[{y + 1};{end + 1}H"
            if (blank := new[end]) is not None:
                yield from self._use_background(blank[1])
            yield ERASE_TO_END

    def _write(self, new: Row, start: int, stop: int) -> Iterator[str]:
        addressed = True
        x = start
        while x < stop:
            cell = new[x]
            x += 1
            if cell is None or cell[0] == SECOND_HALF:
                continue
            text, pen = cell
            if not addressed:
                yield f"\x1b[{x}G"
            if text == " ":
                blanks = self._blanks(new, x - 1, stop)
                if blanks >= LONG_BLANK:
                    yield from self._use_background(pen)
                    yield f"\x1b[{blanks}X\x1b[{blanks}C"
                    x += blanks - 1
                    addressed = True
                    continue
            if not (text == " " and self._pen.on_blank is pen):
                yield self._pens.change(self._pen, pen)
                self._pen = pen
            yield text
            addressed = moves_surely(text)
        if not addressed and stop < len(new):
            yield f"\x1b[{stop + 1}G"

    def _blanks(self, new: Row, x: int, stop: int) -> int:
        """Count the cells from here on that can be erased at once."""
        cell = new[x]
        if x + LONG_BLANK > stop or new[x + LONG_BLANK - 1] != cell or not self._is_erasable(cell):
            return 0
        end = x + 1
        while end < stop and new[end] == cell:
            end += 1
        return end - x

    def _is_erasable(self, cell: Cell | None) -> bool:
        """Return whether erasing leaves this: a blank with a background that the terminal erases in."""
        is_blank = cell is not None and cell[0] == " " and cell[1].is_plain
        return is_blank and cell is not None and (self._erases or not cell[1].background)

    def _use_background(self, pen: Pen) -> Iterator[str]:
        """Make sure that erasing leaves the background of this pen."""
        if not (self._pen.is_plain and self._pen.background == pen.background):
            yield self._pens.change(self._pen, pen)
            self._pen = pen

    def _erased_from(self, new: Row, changed: list[int]) -> int:
        """Return the first changed cell of a blank end worth erasing; the line's width without one."""
        last = new[-1]
        if not self._is_erasable(last):
            return len(new)
        tail = len(new) - 1
        while tail and new[tail - 1] == last:
            tail -= 1
        in_tail = [x for x in changed if x >= tail]
        return in_tail[0] if len(in_tail) > ERASED_CELLS else len(new)


def _runs(new: Row, changed: list[int]) -> Iterator[tuple[int, int]]:
    """Yield changed cells as runs, joined over a few unchanged ones, with whole wide characters."""
    start = stop = -1
    for x in changed:
        if x == stop:
            stop += 1
            continue
        first = x - 1 if _is_half(new, x) else x
        if stop >= 0 and first - stop <= SKIPPED_CELLS and None not in new[stop:first]:
            stop = max(stop, x + 1)
            continue
        if stop >= 0:
            yield start, stop + _is_half(new, stop)
        start, stop = first, x + 1
    if stop >= 0:
        yield start, stop + _is_half(new, stop)


def _is_half(row: Row, x: int) -> bool:
    return x < len(row) and (cell := row[x]) is not None and cell[0] == SECOND_HALF

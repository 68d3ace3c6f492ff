"""Rows under headings that fit the terminal."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Final, NamedTuple
from unicodedata import category, east_asian_width

from flagtui.cli.plumbing.output.lines import wrap_line
from flagtui.safe_text import boundary, is_flag_letter, safe_text, split_joined
from flagtui.text.styled import link_text

GAP: Final = 2
INDENT: Final = 2
LEAST: Final = 6
"""Cells a column keeps however narrow the terminal is."""
READABLE: Final = 14
"""Cells a column keeps where names have room beside it."""
NAME: Final = 24
"""Cells of names for which other columns are cut to fewer than `READABLE`."""
_WIDEST: Final = 400
"""Characters of one value that are looked at."""
_NUMBER: Final = re.compile(r"[≤±+−-]*[\d,.]+( %)?|now|\+?\d+(m|h|d|mo|y)|today|never|(in )?\d+ (d|mo|y)")
"""What is aligned at the right: a number, a share, an age."""
_HEADING, _END = "\x1b[2m", "\x1b[0m"


class Narrowing(NamedTuple):
    """The places of columns that give way in a narrow terminal."""

    long: Sequence[int] = ()
    """On lines of their own below each row."""
    spare: Sequence[int] = ()
    """Hidden where the others would not be readable beside them."""


BY_WIDTH: Final = Narrowing()
"""Columns are only cut."""


def table_lines(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    *,
    has_colour: bool = False,
    links: Sequence[str] = (),
    narrow: Narrowing = BY_WIDTH,
) -> Iterator[str]:
    """Yield lines of at most `width` cells; None cuts nothing. Every cell is made safe to draw.

    The first cell of a row, which names the record, is never cut: a name that leaves too little room has a
    line of its own, and the columns of the other lines are as wide as without it.

    The first cell of each row leads to its link, where there is one. What does not fit goes without the
    columns that are empty in every row, then as `narrow` has it.
    """
    cells = [[safe_text(cell, _WIDEST) for cell in row] for row in (headings, *rows)]
    columns = list(zip(*cells, strict=True))
    beside, below = _arrange(columns, narrow.long, width)
    if width is not None and _least_width([columns[place] for place in beside]) > width:
        beside = [place for place in beside if place not in narrow.spare]
    widths = [max(map(cell_width, columns[place])) for place in beside]
    numbers = {place for place in beside if all(map(_NUMBER.fullmatch, filter(None, columns[place][1:])))}
    if width is not None:
        widths = fit_widths([_name_width(columns[0], widths[1:], width), *widths[1:]], width)

    def rest_of(row: Sequence[str]) -> str:
        places = zip(beside[1:], widths[1:], strict=True)
        padded = (_pad(row[place], wide, at_right=place in numbers) for place, wide in places)
        return (" " * GAP).join(padded).rstrip()

    heading, *records = cells
    line = _join_name(heading[0], rest_of(heading), widths[0])
    yield f"{_HEADING}{line}{_END}" if has_colour and line else line
    for row, link in zip(records, chain(links, repeat("")), strict=False):
        name, rest = row[0], rest_of(row)
        line = _join_name(name, rest, widths[0])
        if rest and width is not None and cell_width(line) > width:
            yield link_text(name, link)
            yield _join_name("", rest, widths[0])
        else:
            yield f"{link_text(name, link)}{line[len(name) :]}".rstrip()
        for place in below:
            if row[place]:
                yield from wrap_line(f"{'':{INDENT}}{row[place]}", width or _WIDEST).split("\n")


def _arrange(
    columns: Sequence[Sequence[str]], long: Sequence[int], width: int | None
) -> tuple[list[int], list[int]]:
    """Return the places of the columns that are side by side, and of those below each row."""
    places = list(range(len(columns)))
    if _is_wider(columns, width):
        places = [place for place in places if place == 0 or any(columns[place][1:])]
    if not _is_wider([columns[place] for place in places], width):
        return places, []
    return [place for place in places if place not in long], [place for place in places if place in long]


def _is_wider(columns: Sequence[Sequence[str]], width: int | None) -> bool:
    needed = sum(max(map(cell_width, column)) for column in columns) + GAP * (len(columns) - 1)
    return width is not None and needed > width


def _least_width(columns: Sequence[Sequence[str]]) -> int:
    """Return the cells of a line whose columns are readable, if cut at all."""
    name, *others = (max(map(cell_width, column)) for column in columns)
    return min(name, NAME) + sum(GAP + min(wide, READABLE) for wide in others)


def _join_name(name: str, rest: str, width: int) -> str:
    """Return the line of a name in a column of this width, which does not cut it, and the other cells."""
    return f"{name}{' ' * (width - cell_width(name))}{' ' * GAP}{rest}".rstrip()


def _name_width(names: Sequence[str], others: Sequence[int], width: int) -> int:
    """Return the cells of the widest name with which a line can fit beside other columns, cut if need be."""
    kept = range(READABLE, LEAST - 1, -1)
    rooms = [width - sum(GAP + min(wide, most) for wide in others) for most in kept]
    room = next((room for room in rooms if room >= NAME), rooms[-1])
    heading, *wide = map(cell_width, names)
    return max([heading, *(each for each in wide if each <= room)])


def fit_widths(widths: Sequence[int], width: int) -> list[int]:
    """Narrow the widest columns until all fit; the first, which names the record, last."""
    fit = list(widths)
    over = sum(fit) + GAP * (len(fit) - 1) - width
    for first in (1, 0):
        while over > 0 and max(fit[first:], default=0) > LEAST:
            widest = max(fit[first:])
            next_widest = max([LEAST, *(wide for wide in fit[first:] if wide < widest)])
            step = min(over, widest - next_widest) if fit[first:].count(widest) == 1 else 1
            fit[fit.index(widest, first)] -= step
            over -= step
    return fit


def cell_width(text: str) -> int:
    """Return the cells in which a terminal draws safe text."""
    if text.isascii():
        return len(text)
    return sum(
        _joined_width(part) if is_joined else sum(map(_letter_width, part))
        for part, is_joined in split_joined(text)
    )


def _letter_width(letter: str) -> int:
    """Return the cells of a single letter: a mark is drawn on the letter before it."""
    if category(letter).startswith("M"):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def _joined_width(part: str) -> int:
    """Return the cells of a character of several code points, such as an emoji with its tone or a flag."""
    if "\ufe0f" in part or is_flag_letter(part[0]):
        return 2
    return max(map(_letter_width, part))


def _pad(text: str, width: int, *, at_right: bool) -> str:
    wide = cell_width(text)
    if wide <= width:
        blanks = " " * (width - wide)
        return blanks + text if at_right else text + blanks
    end, room = 0, width - 1
    for letter in text:
        if (room := room - _letter_width(letter)) < 0:
            break
        end += 1
    kept = text[: boundary(text, end)]
    return kept + "…" + " " * (width - 1 - cell_width(kept))

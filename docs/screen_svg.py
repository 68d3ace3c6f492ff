"""Screens of a terminal as SVG: one as a picture, several one after the other as a moving picture."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, groupby
from typing import Any

ACROSS, DOWN, SIZE = 8.4, 18.0, 14
"""Pixels of one cell, and of its letters."""
BAR = 34
"""Pixels above the screen, for what is being done."""
FONT = "Menlo,Consolas,'DejaVu Sans Mono',monospace"
GROUND, TEXT, FAINT = "#0d1117", "#e6edf3", "#8b949e"
BASIC = {
    "black": "#0d1117", "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "blue": "#79c0ff",
    "magenta": "#d2a8ff", "cyan": "#a5d6ff", "white": "#e6edf3",
}  # fmt: skip

_WORDS = re.compile(r"\S+(?: \S+)*")

Look = tuple[str, str, bool]
"""Colour, background, whether bold."""
Line = tuple[tuple[str, Look], ...]
"""Runs of text of one look."""
Frame = tuple[Line, ...]


@dataclass(frozen=True)
class Scene:
    """What is on the screen for some seconds, and the words above it."""

    frame: Frame
    words: str
    seconds: float


def frame_of(screen: Any) -> Frame:
    """What an emulated terminal (`pyte.Screen`) shows."""
    return tuple(_line(screen.buffer[y], screen.columns) for y in range(screen.lines))


def _line(cells: Mapping[int, Any], width: int) -> Line:
    looks: list[tuple[str, Look]] = []
    for x in range(width):
        look = _look(cells[x])
        if cells[x].data == " " and looks and looks[-1][1][1] == look[1]:
            # What a blank is written in is not seen, and would cut every sentence into words.
            look = looks[-1][1]
        looks.append((cells[x].data, look))
    return tuple(
        ("".join(text for text, _ in run), look) for look, run in groupby(looks, key=lambda one: one[1])
    )


def _look(cell: Any) -> Look:
    colour, ground = _colour(cell.fg, TEXT), _colour(cell.bg, GROUND)
    if cell.reverse:
        colour, ground = ground, colour
    return colour, ground, cell.bold


def _colour(name: str, usual: str) -> str:
    if name == "default":
        return usual
    return BASIC.get(name.removeprefix("bright"), f"#{name}")


def picture(scene: Scene) -> str:
    """One screen."""
    return moving_picture([scene])


def moving_picture(scenes: Sequence[Scene]) -> str:
    """All of them, over and over; a line that stays is drawn once. Without movement the longest is seen."""
    still = max(range(len(scenes)), key=lambda place: scenes[place].seconds)
    width = sum(len(text) for text, _ in scenes[0].frame[0]) * ACROSS + 2 * SIZE
    height = len(scenes[0].frame) * DOWN + BAR + SIZE
    classes: dict[str, str] = {}
    drawn = [*_lines(scenes, still, classes), *_captions(scenes, still)]
    total = sum(scene.seconds for scene in scenes)
    times = "".join(_times(scenes, total, "\n".join(drawn)))
    style = "".join(f".{name}{{{css}}}" for css, name in classes.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">\n'
        f"<style>text{{font:{SIZE}px {FONT};white-space:pre}}rect{{shape-rendering:crispEdges}}"
        f"{style}{times}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _lines(scenes: Sequence[Scene], still: int, classes: dict[str, str]) -> Iterator[str]:
    for y in range(len(scenes[0].frame)):
        for line, run in groupby(enumerate(scenes), key=lambda one, y=y: one[1].frame[y]):  # type: ignore[misc]
            places = [place for place, _ in run]
            if any(text.strip() or look[1] != GROUND for text, look in line):
                shown = "".join(_pieces(line, BAR + y * DOWN, classes))
                yield _group(shown, places[0], places[-1], len(scenes), still)


def _captions(scenes: Sequence[Scene], still: int) -> Iterator[str]:
    for words, run in groupby(enumerate(scenes), key=lambda one: one[1].words):
        places = [place for place, _ in run]
        shown = f'<text x="{SIZE}" y="22" fill="{FAINT}">{escape(words)}</text>'
        yield _group(shown, places[0], places[-1], len(scenes), still)


def _pieces(line: Line, top: float, classes: dict[str, str]) -> Iterator[str]:
    x = float(SIZE)
    for text, (colour, ground, bold) in line:
        wide = len(text) * ACROSS
        if ground != GROUND:
            yield f'<rect x="{x:g}" y="{top:g}" width="{wide:g}" height="{DOWN:g}" fill="{ground}"/>'
        css = f"fill:{colour}" + (";font-weight:bold" if bold else "")
        # A reader may draw several blanks as one, so what they divide is placed by itself.
        for words in _WORDS.finditer(text):
            name = classes.setdefault(css, f"c{len(classes)}")
            yield (
                f'<text class="{name}" x="{x + words.start() * ACROSS:.5g}" y="{top + 13.5:g}" '
                f'textLength="{len(words[0]) * ACROSS:.5g}">{escape(words[0])}</text>'
            )
        x += wide


def _group(shown: str, first: int, last: int, count: int, still: int) -> str:
    """Something that is there from one scene to another."""
    if first == 0 and last == count - 1:
        return f"<g>{shown}</g>"
    hidden = "" if first <= still <= last else ' visibility="hidden"'
    return f'<g class="t{first}-{last}"{hidden}>{shown}</g>'


def _times(scenes: Sequence[Scene], total: float, drawn: str) -> Iterator[str]:
    """The moments between which each span that was drawn is shown."""
    ends = accumulate((scene.seconds for scene in scenes), initial=0.0)
    begins = [end / total * 100 for end in ends]
    for first in range(len(scenes)):
        for last in range(first, len(scenes)):
            name, start, end = f"t{first}-{last}", begins[first], begins[last + 1]
            if f'class="{name}"' not in drawn:
                continue
            before = "0%{visibility:hidden}" if first else ""
            after = f"{end:.4g}%{{visibility:hidden}}" if last < len(scenes) - 1 else ""
            yield (
                f"@keyframes {name}{{{before}{start:.4g}%{{visibility:visible}}{after}}}"
                f".{name}{{animation:{name} {total:g}s step-end infinite}}"
            )

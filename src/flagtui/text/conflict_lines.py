"""Draw the three sides of a value that was changed since: the original, the current and the requested one."""

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from flagtui.changes.difference import FieldConflict, taken_apart
from flagtui.safe_text import safe_text
from flagtui.text.place_words import place_words, side_words
from flagtui.text.styled import Piece

PARTS: Final = 12
"""The most parts of one conflict shown; the rest is counted."""
LONGEST: Final = 20_000
"""Characters of one value that are shown, wrapped; the rest is counted."""
_PERCENT: Final = re.compile(r"(?<=\d) %")
_JOINT: Final = "\x1f"
"""In place of a space that is not broken; safe text has no control characters."""
Sides = tuple[str, str, str]
THEIRS: Final[Sides] = ("was", "theirs", "yours")
OWN: Final[Sides] = ("was", "now", "new")
STAGED: Final[Sides] = ("was", "now", "staged")


def conflict_lines(
    conflict: FieldConflict, noun: str, width: int, sides: Sides | None = None
) -> Iterator[list[Piece]]:
    """Yield the original, current and requested value of each conflicting field of a record."""
    parts = taken_apart(conflict)
    where = parts[0].path if len(parts) == 1 else conflict.path
    who = "you" if conflict.is_own else "another user"
    for place, text in enumerate(wrap_safe(f"{who} changed {place_words(where, noun)} since", width - 4)):
        yield [("  ! " if place == 0 else "    ", "bold $error"), (text, "$error")]
    for part in parts[:PARTS]:
        if part.path != where:
            yield [("    ", ""), (safe_text(place_words(part.path, noun), max(20, width - 4)), "$text-muted")]
        labels = sides or (OWN if conflict.is_own else THEIRS)
        for side, value in zip(labels, (part.seen, part.theirs, part.mine), strict=True):
            text = side_words(part.path, value, noun)
            for place, shown in enumerate(wrap_safe(text, width - 14)):
                yield [(f"    {side if place == 0 else '':<8}", "$text-muted"), (shown or "nothing", "")]
    if len(parts) > PARTS:
        yield [(f"    … {len(parts) - PARTS:,} more differences", "$text-muted")]


def wrap_safe(text: str, room: int, longest: int = LONGEST) -> list[str]:
    """Return the text in safe lines of at most `room` characters; a number stays with its percent sign."""
    joined = _PERCENT.sub(f"{_JOINT}%", safe_text(text, longest))
    lines = wrap(joined, max(20, room), break_on_hyphens=False)
    return [line.replace(_JOINT, " ") for line in lines] or [""]

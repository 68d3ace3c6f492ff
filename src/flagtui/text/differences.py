"""Two states of a record side by side: what moved, in words, with the place and both values below."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.changes.difference import MISSING, difference
from flagtui.changes.flags.flag_words import hidden, in_words
from flagtui.models.json_value import JSON
from flagtui.models.names import NO_NAMES, Names
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.styled import Piece

LINES: Final = 12
"""Lines of one value that are shown."""
PATHS: Final = 60
"""Places that are shown."""
UNTOLD: Final = (
    "version",
    "updated_at",
    "last_modified_by",
    "version_timestamp",
    "modified_by",
    "is_historical",
)
"""Fields that move with every change and say nothing about it."""


def diff_lines(
    before: Mapping[str, JSON],
    after: Mapping[str, JSON],
    *,
    is_secret: bool = False,
    nothing: str = "nothing that is written down",
    names: Names = NO_NAMES,
) -> Iterator[list[Piece]]:
    """Place by place: the words, the path, what was and what is."""
    known = [
        line for line in difference(dict(before), dict(after)) if line.path[:1] not in {(n,) for n in UNTOLD}
    ]
    if not known:
        yield [(nothing, "$text-muted")]
    for line in known[:PATHS]:
        shown = hidden(line) if is_secret else line
        yield [(safe_text(in_words(shown, before, after, names), 200), "")]
        yield [("  ", ""), (safe_text(line.where, 160), "$text-muted")]
        yield from _value("  - ", shown.before, "$error")
        yield from _value("  + ", shown.after, "$success")
        yield []
    if len(known) > PATHS:
        yield [(f"… {len(known) - PATHS} more places", "$faint")]


def _value(sign: str, value: JSON, style: str) -> Iterator[list[Piece]]:
    if value is MISSING:
        return
    text = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict | list) else None)
    for line in safe_lines(text, 4_000, LINES):
        yield [(sign, style), (line, style)]
        sign = " " * len(sign)

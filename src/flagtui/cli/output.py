"""What commands print: safe lines, aligned tables, and JSON in plain ASCII."""

import json
from collections.abc import Sequence
from typing import Any

from flagtui.safe_text import safe_text

WIDEST = 60
"""Characters of a table's cell; what is longer is cut."""


def say(line: str) -> None:
    """Prints one line, made safe to draw."""
    print(safe_text(line, 2_000), flush=True)


def say_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under headings, each column as wide as its widest cell."""
    cells = [[safe_text(cell, WIDEST) for cell in row] for row in (headings, *rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(headings))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def say_json(value: Any) -> None:
    """For programs. Nothing in it is outside of ASCII, so a terminal has nothing to obey."""
    print(json.dumps(value, ensure_ascii=True, indent=2))

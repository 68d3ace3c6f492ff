"""A click on a key that a dialog names at its lower edge."""

from typing import Final

from rich.cells import cell_len
from textual.widget import Widget

from flagtui.app.commands.command import SIGNS

BETWEEN: Final = " · "
END: Final = 3
"""Cells from the end of the text to the right end of the edge."""
NAMES: Final = {sign: name for name, sign in SIGNS.items()} | {name: name for name in ("space", "tab")}


def key_at(box: Widget | None, x: int, y: int) -> str:
    """The key named in that cell of the screen, as Textual calls it; empty where none is."""
    text = box.border_subtitle if box is not None else None
    if box is None or not text or y != box.region.bottom - 1:
        return ""
    at = x - (box.region.right - END - cell_len(text))
    for part in text.split(BETWEEN):
        if 0 <= at < cell_len(part):
            sign = part.partition(" ")[0]
            is_key = len(sign) == 1 or sign.startswith("ctrl+")
            return NAMES.get(sign, sign if is_key else "")
        at -= cell_len(part) + len(BETWEEN)
    return ""

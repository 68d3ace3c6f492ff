"""The characters that carry meaning, and the replacement of each where the locale cannot show it."""

import locale
import sys
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct


class Glyphs(Struct, frozen=True):
    """Signs of one cell each, so that columns stay in place in either set."""

    on: str
    off: str
    stale: str
    archived: str
    deleted: str
    pending: str
    changed: str
    staged: str
    outdated: str
    scheduled: str
    mark: str
    bar: str
    track: str
    ellipsis: str
    ascending: str
    descending: str
    thumb: str


LinkKind = Literal["synced", "loading", "retrying", "offline", "read-only", "signed-out"]
"""How current the rows on screen are."""
LINK_SIGNS: Final[Mapping[LinkKind, str]] = {
    "synced": "●",
    "loading": "◌",
    "retrying": "◔",
    "offline": "▲",
    "read-only": "■",
    "signed-out": "⚠",
}
"""At the right end of the header."""

UNICODE: Final = Glyphs("●", "○", "◌", "▫", "×", "↻", "•", "Δ", "!", "◷", "▌", "━", "─", "…", "↑", "↓", "┃")
ASCII: Final = Glyphs("*", "o", "~", "a", "x", "%", "+", "&", "!", "@", "|", "=", ".", ">", "^", "v", "|")


def glyphs_for(encoding: str) -> Glyphs:
    """Return the fullest set the encoding can write."""
    return UNICODE if encoding.lower().replace("-", "").startswith("utf") else ASCII


def terminal_glyphs() -> Glyphs:
    """Return those for the encoding of the screen; Textual paints on standard error."""
    stream = sys.__stderr__
    return glyphs_for((stream.encoding if stream else None) or locale.getpreferredencoding(False))

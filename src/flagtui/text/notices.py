"""What is told in passing, and words with their style, as every screen and the command line draw them."""

from typing import Literal

from msgspec import Struct

Tone = Literal["information", "warning", "error"]


class Notice(Struct, frozen=True):
    """What happened, what is true now, what to do next; shown for a few seconds."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0


Look = Literal["plain", "strong", "muted", "faint", "good", "warn", "bad", "info", "special", "track"]
"""What a piece means; the colour for it is the style sheet's business."""


Piece = tuple[str, str]
"""Safe text and its style; no text of a server may get here unless `safe_text` made it."""

"""Words with their style, as every screen and the command line draw them."""

from typing import Literal

Look = Literal["plain", "strong", "muted", "faint", "good", "warn", "bad", "info", "special", "track"]
"""What a piece means; the colour for it is the style sheet's business."""


Piece = tuple[str, str]
"""Safe text and its style; no text of a server may get here unless `safe_text` made it."""

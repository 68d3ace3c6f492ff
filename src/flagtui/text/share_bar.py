"""The bar of a share: a rollout, a part of the users, a vote, a time."""

from flagtui.text.formats import filled_cells
from flagtui.text.styled import Piece


def share_bar(share: float, width: int, style: str) -> tuple[Piece, Piece]:
    """Draw `━━━━───`, readable without colours. `share` is from 0 to 1, `width` in cells."""
    filled = filled_cells(share, width)
    return ("━" * filled, style), ("─" * (width - filled), "$track")

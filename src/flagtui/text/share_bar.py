"""The bar of a share: a rollout, a variant, what is done."""

from flagtui.text.styled import Piece


def filled_cells(share: float, width: int) -> int:
    """Return how many of a bar's `width` cells are filled; none only if `share` is 0, all only if it is 1."""
    if 0 < share < 1:
        return min(max(round(width * share), 1), width - 1)
    return width if share >= 1 else 0


def share_bar(share: float, width: int, style: str) -> tuple[Piece, Piece]:
    """Draw `━━━━───`, readable without colours. `share` is from 0 to 1, `width` in cells."""
    filled = filled_cells(share, width)
    return ("━" * filled, style), ("─" * (width - filled), "$track")

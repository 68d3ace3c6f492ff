"""Shares of variants, in percent."""

from typing import Final

SUM_TOLERANCE: Final = 0.01


def even_shares(count: int) -> list[int]:
    """Return whole shares that add up to 100, as equal as possible."""
    share, left = divmod(100, count)
    return [share + (place < left) for place in range(count)]

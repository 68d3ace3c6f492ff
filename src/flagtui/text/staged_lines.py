"""Draw the staged change of the record on its page."""

from collections.abc import Iterator
from typing import Final

from flagtui.models.staged_words import StagedWords
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

TITLE: Final = "STAGED      "
MOST: Final = 8
"""The most values shown here; the list of staged changes shows all."""


def staged_lines(staged: StagedWords | None, mark: str) -> Iterator[list[Piece]]:
    """Yield each staged value, old and new, behind the mark of staged rows; nothing without any."""
    if staged is None:
        return
    for place, words in enumerate(staged.lines[:MOST]):
        title = TITLE if place == 0 else " " * len(TITLE)
        yield [(title, "$text-muted"), (f"{mark} ", "$primary"), (safe_text(words, 200), "$primary")]
    if (more := len(staged.lines) - MOST) > 0:
        yield [(" " * len(TITLE), ""), (f"… {more:,} more: & shows them all", "$faint")]
    if staged.is_outdated:
        yield [("another user changed it since: in &, A shows both sides, z unstages it", "$warning")]
    yield []

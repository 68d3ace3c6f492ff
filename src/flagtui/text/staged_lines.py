"""Draw the staged change of the record on its page."""

from collections.abc import Iterator
from typing import Final

from flagtui.models.staged_words import StagedWords
from flagtui.safe_text import safe_text
from flagtui.text.set_words import listed_words, outdated_words
from flagtui.text.styled import Piece

TITLE: Final = "STAGED      "
MOST: Final = 8
"""The most values shown here; the list of staged changes shows all."""


def staged_lines(staged: StagedWords | None, mark: str) -> Iterator[list[Piece]]:
    """Yield each staged value, old and new, behind the mark of staged rows; nothing without any."""
    if staged is None:
        return
    style = "$warning" if staged.is_outdated else "$primary"
    for place, words in enumerate(staged.lines[:MOST]):
        title = TITLE if place == 0 else " " * len(TITLE)
        yield [(title, "$text-muted"), (f"{mark} ", style), (safe_text(words, 200), style)]
    if (more := len(staged.lines) - MOST) > 0:
        yield [(" " * len(TITLE), ""), (f"… {more:,} more: {listed_words()}", "$faint")]
    if staged.is_outdated:
        for words in ("not shown below, because the record changed since", outdated_words()):
            yield [(" " * len(TITLE), ""), (words, "$text-muted")]
    yield []

"""Draw what has changed since a change was staged, and what to do about it. Texts are raw until drawn."""

from collections.abc import Iterator
from typing import Final

from flagtui.changes.difference import taken_apart
from flagtui.changes.sets.change_set import StagedChange
from flagtui.changes.sets.outdated import OutdatedChange
from flagtui.safe_text import safe_text
from flagtui.text.conflict_lines import STAGED, conflict_lines, place_words, side_words
from flagtui.text.key_signs import key_sign
from flagtui.text.long_lists import wrap_safe
from flagtui.text.styled import Piece

NAMED: Final = 2
"""Current values that a row names."""


def current_words(seen: OutdatedChange) -> list[str]:
    """Return the current value of each conflict: `90 %`, with its place when there are several.

    It is a word for a deleted record, and for one that has the values of the change.
    """
    if seen.is_deleted:
        return ["deleted"]
    if seen.has_values:
        return ["as staged"]
    parts = [part for conflict in seen.conflicts for part in taken_apart(conflict)]
    values = [
        (part.path, side_words(part.path, part.theirs, seen.change.kind) or "nothing") for part in parts
    ]
    if len(values) == 1:
        return [values[0][1]]
    named = [f"{place_words(path, seen.change.kind)} {words}" for path, words in values[:NAMED]]
    return [*named, f"{len(values) - NAMED:,} more"] if len(values) > NAMED else named


def outdated_lines(change: StagedChange, seen: OutdatedChange | None, width: int) -> Iterator[list[Piece]]:
    """Yield the three sides of each value that both changed; `seen` is None until the record was read."""
    words = "changed since it was staged" if seen is None else seen.words
    for text in wrap_safe(words, width):
        yield [(text, "$warning")]
    for conflict in () if seen is None else seen.conflicts:
        yield from conflict_lines(conflict, change.kind, width, STAGED)
    for text in wrap_safe(_next_step(seen), width):
        yield [(safe_text(text), "$text-muted")]


def _next_step(seen: OutdatedChange | None) -> str:
    edit, drop, apply = map(key_sign, ("staged.edit", "staged.drop", "staged.apply"))
    if seen is not None and seen.is_deleted:
        return f"restore the record first, or unstage the change with {drop}"
    if seen is not None and seen.has_values:
        return f"{drop} unstages it"
    return f"{edit} stages it again on the current record, {drop} unstages it, {apply} asks about both sides"

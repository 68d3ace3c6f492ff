"""Columns of the journal."""

from typing import Final

from flagtui import local_time
from flagtui.app.widgets.column_layout import (
    Cell,
    Column,
    Slot,
    age_cell,
    text_cell,
    version_cell,
    words_cell,
)
from flagtui.changes.journal_entries import Entry
from flagtui.text.styled import Look

_LOOKS: Final[dict[str, Look]] = {
    "saved": "good",
    "conflicted": "warn",
    "awaiting approval": "warn",
    "refused": "muted",
    "failed": "muted",
}
_SHORT: Final = {"awaiting approval": "waiting"}


def ending_words(entry: Entry) -> str:
    """Return the outcome in a word or two."""
    return "not known" if entry.is_open else entry.ending


def draw_ending(entry: Entry, slot: Slot) -> Cell:
    """Draw the outcome, in fewer letters where there is no room for all."""
    words = ending_words(entry)
    is_whole = len(words) <= slot.width
    return ((words if is_whole else _SHORT.get(words, words), _LOOKS.get(entry.ending, "bad")),)


def _moment(entry: Entry) -> str:
    return local_time.second(entry.at)


def _words(entry: Entry) -> str:
    return entry.reason or " · ".join(entry.words)


def _place(entry: Entry) -> str:
    return entry.signature.profile or entry.signature.project


JOURNAL_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("at", "WHEN", age_cell("at"), 6, align="right"),
    Column("key", "KEY", text_cell("key", "strong"), 20, grow=1, most=48, gap=2),
    # `undo: turn off` is whole everywhere, `undo: change targeting` from 80 cells; the profile, which repeats
    # itself, goes first.
    Column("verb", "CHANGE", words_cell(lambda entry: entry.change, "plain"), 14, grow=8, most=24),
    Column("ending", "ENDED", draw_ending, 10, grow=4, most=17),
    Column("place", "WHERE", words_cell(_place), 8, from_width=54, sortable=False),
    Column("words", "WHAT AND WHY", words_cell(_words), 16, grow=4, from_width=90, sortable=False),
)

MORE_JOURNAL_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("moment", "EXACTLY", words_cell(_moment, "faint"), 23, sortable=False),
    Column("kind", "KIND", words_cell(lambda entry: entry.kind.replace("_", " ")), 16, sortable=False),
    Column("version", "VERSION", version_cell("saved_version"), 7, align="right", sortable=False),
)

"""How a past change of this person is drawn as one row."""

from typing import Final

from flagtui.app.widgets.column_layout import Cell, Column, Slot
from flagtui.changes.journal_entries import Entry
from flagtui.safe_text import safe_text
from flagtui.text.formats import age
from flagtui.text.styled import Look

_LOOKS: Final[dict[str, Look]] = {
    "saved": "good",
    "conflicted": "warn",
    "awaiting approval": "warn",
    "refused": "muted",
    "failed": "muted",
}


def ending_words(entry: Entry) -> str:
    """How it ended, in a word or two."""
    return "not known" if entry.is_open else entry.ending


def draw_age(entry: Entry, slot: Slot) -> Cell:
    return ((age(entry.at, slot.now), "faint"),)


def draw_key(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.key), "strong"),)


def draw_verb(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(f"{'undo: ' if entry.undoes else ''}{entry.verb}"), "plain"),)


def draw_ending(entry: Entry, slot: Slot) -> Cell:
    return ((ending_words(entry), _LOOKS.get(entry.ending, "bad")),)


def draw_place(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.signature.profile or entry.signature.project), "muted"),)


def draw_words(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.reason or " · ".join(entry.words)), "muted"),)


JOURNAL_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("at", "WHEN", draw_age, 5, align="right", sortable=False),
    Column("key", "KEY", draw_key, 15, grow=4, most=48, gap=2, sortable=False),
    Column("verb", "CHANGE", draw_verb, 12, grow=2, most=24, sortable=False),
    Column("ending", "ENDED", draw_ending, 10, sortable=False),
    Column("place", "WHERE", draw_place, 8, from_width=54, sortable=False),
    Column("words", "WHAT AND WHY", draw_words, 16, grow=4, from_width=90, sortable=False),
)

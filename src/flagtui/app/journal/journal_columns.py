"""How a past change of this person is drawn as one row."""

from collections.abc import Callable
from typing import Final

from flagtui import local_time
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import Cell, Column, Slot, age_cell, text_cell, version_cell
from flagtui.changes.journal_entries import WITHOUT_NUMBER, Entry
from flagtui.safe_text import safe_text
from flagtui.store.query.term_readers import AGES, age_of
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, choice
from flagtui.store.sort_orders import Listing, Order, Sort
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


def draw_verb(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(f"{'undo: ' if entry.undoes else ''}{entry.verb}"), "plain"),)


def draw_ending(entry: Entry, slot: Slot) -> Cell:
    return ((ending_words(entry), _LOOKS.get(entry.ending, "bad")),)


def draw_place(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.signature.profile or entry.signature.project), "muted"),)


def draw_words(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.reason or " · ".join(entry.words)), "muted"),)


def draw_moment(entry: Entry, slot: Slot) -> Cell:
    return ((local_time.second(entry.at), "faint"),)


def draw_kind(entry: Entry, slot: Slot) -> Cell:
    return ((safe_text(entry.kind.replace("_", " "), 20), "muted"),)


JOURNAL_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("at", "WHEN", age_cell("at"), 5, align="right"),
    Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=48, gap=2),
    Column("verb", "CHANGE", draw_verb, 12, grow=2, most=24),
    Column("ending", "ENDED", draw_ending, 10),
    Column("place", "WHERE", draw_place, 8, from_width=54, sortable=False),
    Column("words", "WHAT AND WHY", draw_words, 16, grow=4, from_width=90, sortable=False),
)

MORE_JOURNAL_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("moment", "EXACTLY", draw_moment, 23, sortable=False),
    Column("kind", "KIND", draw_kind, 16, sortable=False),
    Column("version", "VERSION", version_cell("saved_version"), 7, align="right", sortable=False),
)
"""What else a person can choose."""

KINDS: Final = {"flag": "flags", "experiment": "experiments", WITHOUT_NUMBER: "events"}
"""By kind of entry: what such a record is called in the search line."""
_STATES: Final[dict[str, Callable[[Entry], bool]]] = {
    "saved": lambda entry: entry.ending == "saved",
    "unknown": lambda entry: entry.is_open,
    "conflicted": lambda entry: entry.ending == "conflicted",
    "refused": lambda entry: entry.ending in ("refused", "awaiting approval"),
    "failed": lambda entry: entry.ending == "failed",
    "undo": lambda entry: bool(entry.undoes),
}


def _is_kind(word: str) -> Callable[[Entry], bool]:
    return lambda entry: KINDS.get(entry.kind, "others") == word


_KINDS: Final = {word: _is_kind(word) for word in (*KINDS.values(), "others")}
_QUALIFIERS: Final = (
    Qualifier[Entry](
        "is",
        "saved, unknown, conflicted, refused, failed or undo",
        "how it ended",
        choice(_STATES),
        tuple(_STATES),
        tuple(_STATES),
    ),
    Qualifier[Entry](
        "kind",
        "flags, experiments, events or others",
        "what was changed",
        choice(_KINDS),
        tuple(_KINDS),
        tuple(_KINDS),
    ),
    Qualifier[Entry]("at", AGES, "when it was changed", age_of(lambda entry: entry.at), ("<1d", "<7d")),
)


def _text(entry: Entry) -> str:
    told = (entry.key, entry.verb, entry.reason, entry.note, entry.signature.by, ending_words(entry))
    return "\0".join((*told, *entry.words))


JOURNAL_LIST: Final = ListDescription[Entry](
    name="journal",
    what="changes",
    hint="search   words in key, change or reason  is:unknown  kind:flags  at:<1d",
    listing=Listing(
        Vocabulary({each.name: each for each in _QUALIFIERS}, _text),
        {
            "at": Order(lambda entry: entry.at, is_descending=True),
            "key": Order(),
            "verb": Order(label=lambda entry: fold(entry.verb)),
            "ending": Order(label=ending_words),
        },
        lambda entry: fold(entry.key),
    ),
    sort=Sort("at"),
    orders=("at", "key", "verb", "ending"),
    columns=JOURNAL_COLUMNS,
    more_columns=MORE_JOURNAL_COLUMNS,
    always=("at", "key"),
    key=lambda entry: entry.key,
    filters={"state": "is", "type": "kind"},
    title="Journal",
    nothing="You changed nothing yet.",
)

"""The columns of a case in the inbox: name, last seen, reason."""

from typing import Final

from flagtui.app.widgets.column_layout import Cell, Column, Slot, text_cell
from flagtui.local_time import age_in_days
from flagtui.safe_text import safe_text
from flagtui.store.inbox import Case
from flagtui.text.styled import Look

_WORDS: Final = {"silent": "silent", "undescribed": "no description", "unverified": "unverified"}


def draw_seen(case: Case, slot: Slot) -> Cell:
    seen = case.row.seen_at
    return (("never" if seen is None else age_in_days(seen, slot.now), "muted"),)


def draw_reason(case: Case, slot: Slot) -> Cell:
    """Return the gravest reasons; a name that contains a word such as test is quoted."""
    if case.twin is not None:
        return ((f"like: {safe_text(case.twin.name)}", "warn"),)
    words = ", ".join(_WORDS.get(reason, reason) for reason in case.reasons[:2])
    look: Look = "faint" if "silent" in case.reasons else "muted"
    return ((words + _words_in_name(case.name), look),)


def _words_in_name(name: str) -> str:
    lowered = name.lower()
    match = next((word for word in ("tmp", "test", "debug") if word in lowered), "")
    return f", name contains {match}" if match else ""


INBOX_COLUMNS: Final[tuple[Column[Case], ...]] = (
    Column("name", "EVENT", text_cell("name", "strong"), 18, grow=4, most=56, gap=1, sortable=False),
    Column("seen", "SEEN", draw_seen, 6, gap=2, align="right", sortable=False),
    Column("reason", "WHY", draw_reason, 16, grow=4, gap=2, sortable=False),
)

"""The columns of an experiment."""

from collections.abc import Callable
from typing import Final

from rich.cells import cell_len

from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import Cell, CellPiece, Column, Slot, age_cell, state_cell, text_cell
from flagtui.local_time import DAY
from flagtui.models.rows import ExperimentRow, state_word
from flagtui.safe_text import safe_text
from flagtui.store.experiment_listing import EXPERIMENT_LISTING
from flagtui.text.judgement import Leading
from flagtui.text.styled import Look

UPDATED_FROM: Final = 84
VARIANTS_FROM: Final = 96
FLAG_FROM: Final = 120
STATE_LOOKS: Final[dict[str, Look]] = {
    "running": "good",
    "exposure_frozen": "info",
    "paused": "warn",
    "stopped": "muted",
    "draft": "faint",
}
RESULT_LOOKS: Final[dict[str, Look]] = {
    "won": "good",
    "lost": "bad",
    "inconclusive": "muted",
    "invalid": "warn",
    "stopped_early": "warn",
}


def days_of(row: ExperimentRow, now: float) -> float | None:
    """Return the days from start to end, or until now; None before the start."""
    if row.started_at is None:
        return None
    end = row.ended_at if row.ended_at is not None and row.status == "stopped" else now
    return max(0.0, end - row.started_at) / DAY


def state_glyph(row: ExperimentRow, slot: Slot) -> CellPiece:
    """Return the sign of the experiment's state."""
    glyphs = slot.glyphs
    if row.deleted:
        return glyphs.deleted, "bad"
    if row.archived:
        return glyphs.archived, "faint"
    marks: dict[str, str] = {
        "running": glyphs.on,
        "exposure_frozen": glyphs.on,
        "paused": glyphs.stale,
        "draft": glyphs.off,
        "stopped": glyphs.track,
    }
    return marks.get(row.status, glyphs.off), STATE_LOOKS.get(row.status, "plain")


def draw_state_word(row: ExperimentRow, slot: Slot) -> Cell:
    if row.deleted:
        return (("deleted", "bad"),)
    word = "archived" if row.archived else state_word(row.status)
    return ((safe_text(word, 20), STATE_LOOKS.get(row.status, "plain")),)


def draw_name(row: ExperimentRow, slot: Slot) -> Cell:
    is_live = row.status in ("running", "paused", "exposure_frozen") and not row.archived
    return ((safe_text(row.name, 400), "strong" if is_live else "plain"),)


def draw_days(row: ExperimentRow, slot: Slot) -> Cell:
    days = days_of(row, slot.now)
    return ((f"{days:.0f} d" if days is not None else "", "plain" if row.status == "running" else "muted"),)


def draw_variants(row: ExperimentRow, slot: Slot) -> Cell:
    return ((str(len(row.variants) or "?"), "muted"),)


def draw_flag(row: ExperimentRow, slot: Slot) -> Cell:
    return ((safe_text(row.key, 400), "info" if row.flag_active else "muted"),)


def experiment_columns(
    leading: Callable[[ExperimentRow], Leading | None] = lambda row: None,
) -> tuple[Column[ExperimentRow], ...]:
    """Return the columns; `leading` gives the result at the last reading."""

    def draw_result(row: ExperimentRow, slot: Slot) -> Cell:
        if row.conclusion:
            words = row.conclusion.replace("_", " ")
            return ((safe_text(words, 20), RESULT_LOOKS.get(row.conclusion, "muted")),)
        lead = leading(row)
        if lead is None:
            return ()
        end = f"  {lead.age}" if lead.age else ""
        forms, room = [safe_text(form, 80) for form in lead.forms], slot.width - len(end)
        longest = next((form for form in forms if cell_len(form) <= room), forms[-1])
        return ((longest, lead.look), (end, "faint"))

    return (
        Column("state", "", state_cell(state_glyph), 2, gap=0, sortable=False),
        Column("name", "NAME", draw_name, 22, grow=5, most=60),
        Column("word", "STATE", draw_state_word, 8, gap=2, sortable=False),
        Column("started", "DAYS", draw_days, 6, gap=0, align="right"),
        Column("result", "RESULT", draw_result, 24, gap=2, grow=4, most=50, from_width=62, sortable=False),
        Column("variants", "VARS", draw_variants, 5, align="right", from_width=VARIANTS_FROM, sortable=False),
        Column("key", "FLAG", draw_flag, 14, grow=3, most=40, gap=2, from_width=FLAG_FROM, sortable=False),
        Column(
            "updated", "UPDATED", age_cell("updated_at"), 9, gap=0, align="right", from_width=UPDATED_FROM
        ),
    )


MORE_EXPERIMENT_COLUMNS: Final[tuple[Column[ExperimentRow], ...]] = (
    Column("created", "CREATED", age_cell("created_at"), 9, gap=0, align="right"),
    Column("ended", "ENDED", age_cell("ended_at"), 8, align="right"),
    Column("creator", "CREATED BY", text_cell("creator"), 12, grow=2, most=32, sortable=False),
    Column("type", "TYPE", text_cell("type"), 7, sortable=False),
)
"""What else a person can choose."""


EXPERIMENT_LIST: Final = ListDescription(
    name="experiments",
    what="experiments",
    hint="search   is:running  flag:checkout  result:won  by:me  started:<7d",
    listing=EXPERIMENT_LISTING,
    orders=("state", "started", "name", "updated", "ended", "created"),
    columns=experiment_columns(),
    more_columns=MORE_EXPERIMENT_COLUMNS,
    always=("state", "name"),
    key=lambda row: row.name,
    filters={"state": "is", "type": "type", "mine": "by", "result": "result"},
    near={"state": "word"},
    values={"flag": lambda row: row.key, "by": lambda row: row.creator},
)

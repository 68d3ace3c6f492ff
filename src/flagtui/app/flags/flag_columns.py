"""The columns of a flag, and its state in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import (
    Cell,
    CellPiece,
    Column,
    Draw,
    Slot,
    age_cell,
    shown_column,
    state_cell,
    tags_cell,
    text_cell,
    version_cell,
)
from flagtui.local_time import NOT_KNOWN, age
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import UNUSED, FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.flag_listing import FLAG_LISTING
from flagtui.store.query.vocabulary import CodeKeys
from flagtui.text.formats import filled_cells, percent, percent_in
from flagtui.text.styled import Look, Piece

if TYPE_CHECKING:
    from flagtui.models.flag_responses import ScheduledChange

BAR_CELLS: Final = 6
PERCENT_CELLS: Final = 5
LONGEST_PERCENT: Final = 7
"""Cells of `33.33 %`; what is longer than `100 %` takes cells of the bar."""
ROLLOUT_CELLS: Final = BAR_CELLS + 1 + PERCENT_CELLS

STANDARD_FROM: Final = 54
"""Cells a list needs to show type and age; an 80-column screen leaves 78, a 60-column one 58."""
ALL_FROM: Final = 74
NAME_FROM: Final = 118
WORD_FROM: Final = 128

_TYPE_LOOKS: Final[dict[str, Look]] = {"experiment": "special", "multivariant": "info", "config": "warn"}


def state_of(flag: FlagRow) -> tuple[str, Look]:
    """Return on, off, stale, archived or deleted, which also names its glyph, and its look."""
    if flag.deleted:
        return "deleted", "bad"
    if flag.archived:
        return "archived", "faint"
    if not flag.active:
        return "off", "muted"
    return ("stale", "warn") if flag.is_stale else ("on", "good")


def state_glyph(flag: FlagRow, slot: Slot) -> CellPiece:
    word, look = state_of(flag)
    return getattr(slot.glyphs, word), look


def draw_state_word(flag: FlagRow, slot: Slot) -> Cell:
    return (state_of(flag),)


def draw_key(flag: FlagRow, slot: Slot) -> Cell:
    return ((safe_text(flag.key), "strong" if flag.active and not flag.deleted else "muted"),)


def draw_rollout(flag: FlagRow, slot: Slot) -> Cell:
    """Draw a bar and the percentage, never rounded to 0 or 100; no bar if it is unknown.

    A staged change is shown instead: `on → off`, `25 → 40 %`.
    """
    if slot.staged is not None and (staged := _staged_words(flag, slot.staged.before)):
        return ((staged.rjust(ROLLOUT_CELLS), "info"),)
    if flag.rollout is None:
        return (("?".rjust(ROLLOUT_CELLS), "faint"),)
    share = percent_in(flag.rollout, LONGEST_PERCENT).rjust(PERCENT_CELLS)
    cells = BAR_CELLS + PERCENT_CELLS - len(share)
    filled = filled_cells(flag.rollout / 100, cells) if flag.active else 0
    look: Look = "warn" if flag.is_stale else "good"
    return (
        (slot.glyphs.bar * filled, look),
        (slot.glyphs.track * (cells - filled), "track"),
        (f" {share}", look if filled else "faint"),
    )


def draw_type(flag: FlagRow, slot: Slot) -> Cell:
    return ((safe_text(flag.type), _TYPE_LOOKS.get(flag.type, "muted")),)


def draw_called(flag: FlagRow, slot: Slot) -> Cell:
    return ((called_words(flag, slot.now), "faint"),)


def draw_no_uses(flag: FlagRow, slot: Slot) -> Cell:
    """Draw a question mark: without a scan of code, uses are unknown."""
    return (("?", "faint"),)


def uses_cell(code: CodeKeys) -> Draw[FlagRow]:
    """Return the number of uses in code."""

    def draw(flag: FlagRow, slot: Slot) -> Cell:
        uses = code.uses(flag.key)
        return ((f"{uses:,}", "good" if code.is_unused(flag.key) else "plain"),)

    return draw


def draw_no_schedule(flag: FlagRow, slot: Slot) -> Cell:
    """Draw `?` before the schedule was read."""
    return (("?", "faint"),)


def scheduled_state(due: Mapping[int, float]) -> Draw[FlagRow]:
    """Return the state of the flag, and beside it that a change of it is scheduled."""

    def draw(flag: FlagRow, slot: Slot) -> Cell:
        is_plain = slot.sign[0] == " "
        sign: CellPiece = (slot.glyphs.scheduled, "info") if is_plain and flag.id in due else slot.sign
        return state_glyph(flag, slot), sign

    return draw


def due_cell(schedule: Mapping[int, Sequence[ScheduledChange]]) -> Draw[FlagRow]:
    """Return the time until the next scheduled change, and what it does: `+3d off`."""
    # Loaded with the schedule: no first row needs it.
    from flagtui.text.schedule_words import scheduled_in_short

    def draw(flag: FlagRow, slot: Slot) -> Cell:
        changes = schedule.get(flag.id)
        return ((scheduled_in_short(changes, slot.now) if changes else "", "info"),)

    return draw


def called_words(flag: FlagRow, now: float) -> str:
    """Return `3h`; `never` where the server reports calls, `not known` where it does not."""
    return age(flag.called_at, now) or ("never" if flag.has_call_times else NOT_KNOWN)


FLAG_COLUMNS: Final[tuple[Column[FlagRow], ...]] = (
    Column("state", "", state_cell(state_glyph), 2, gap=0, sortable=False),
    Column("key", "KEY", draw_key, 17, grow=5, most=60),
    Column("word", "STATE", draw_state_word, 8, gap=2, from_width=WORD_FROM, sortable=False),
    Column("rollout", "ROLLOUT", draw_rollout, ROLLOUT_CELLS),
    Column("type", "TYPE", draw_type, 12, gap=2, from_width=STANDARD_FROM),
    shown_column(FLAG_FIELDS.shown_field("runtime"), from_width=ALL_FROM),
    Column("tags", "TAGS", tags_cell, 8, grow=2, most=48, from_width=ALL_FROM, sortable=False),
    Column("name", "DESCRIPTION", text_cell("name"), 16, grow=4, gap=2, from_width=NAME_FROM, sortable=False),
    Column("updated", "UPDATED", age_cell("updated_at"), 9, gap=0, align="right", from_width=STANDARD_FROM),
)


MORE_FLAG_COLUMNS: Final[tuple[Column[FlagRow], ...]] = (
    Column("created", "CREATED", age_cell("created_at"), 9, gap=1, align="right"),
    Column("called", "CALLED", draw_called, 9, gap=1, align="right"),
    Column("due", "DUE", draw_no_schedule, 14, gap=2),
    Column("refs", "REFS", draw_no_uses, 6, gap=1, align="right"),
    Column("creator", "CREATED BY", text_cell("creator"), 12, grow=2, most=32, sortable=False),
    Column("version", "VERSION", version_cell("version"), 7, gap=1, align="right", sortable=False),
)
"""What else a person can choose."""


FLAG_LIST: Final = ListDescription(
    name="flags",
    what="flags",
    hint="search   type:experiment  runtime:server  is:stale  by:me  tag:checkout",
    listing=FLAG_LISTING,
    orders=("updated", "key", "state", "rollout", "type", "created", "called", "due", "refs"),
    columns=FLAG_COLUMNS,
    more_columns=MORE_FLAG_COLUMNS,
    always=("state", "key"),
    filters={"state": "is", "type": "type", "mine": "by", "runtime": "runtime"},
    values={"tag": lambda row: row.tags, "by": lambda row: row.creator},
    near={"state": "word"},
)


def _staged_words(flag: FlagRow, before: object) -> str:
    """Return the staged state and rollout; empty for changes of other fields."""
    if not isinstance(before, FlagRow):
        return ""
    if state_of(flag)[0] != state_of(before)[0]:
        return f"{state_of(before)[0]} → {state_of(flag)[0]}"
    if flag.rollout is None or before.rollout is None or flag.rollout == before.rollout:
        return ""
    former = percent_in(before.rollout, LONGEST_PERCENT).removesuffix(" %")
    new = percent_in(flag.rollout, LONGEST_PERCENT)
    both = f"{former} → {new}"
    return both if len(both) <= ROLLOUT_CELLS else f"→ {new}"


def mark_and_version(row: FlagRow) -> tuple[Piece, str]:
    """Return the mark before a flag's key and the version after it."""
    mark: Piece = ("● ", "$success") if row.active else ("○ ", "$text-muted")
    if row.deleted:
        mark = ("× ", "$error")
    return mark, f"  v{row.version}" if row.version is not None else ""


def badges(row: FlagRow) -> Iterator[Piece]:
    """Yield `ON`, `STALE`, `EXPERIMENT` and the runtimes: the state as words on a coloured ground."""
    plain = "$chip-text on $chip"
    if row.deleted:
        yield " DELETED ", "bold $badge-text on $error"
    else:
        yield (" ON ", "bold $badge-text on $success") if row.active else (" OFF ", f"bold {plain}")
    if row.status in UNUSED:
        yield from ((" ", ""), (f" {row.status} ", "bold $badge-text on $warning"))
    if row.archived:
        yield from ((" ", ""), (" ARCHIVED ", plain))
    if row.type != "boolean":
        colour = {"experiment": "$secondary", "config": "$warning"}.get(row.type, "$primary")
        yield from ((" ", ""), (f" {row.type.upper()} ", f"bold $badge-text on {colour}"))
    where = "all runtimes" if row.runtime in ("all", "") else f"{safe_text(row.runtime, 20)} only"
    yield from ((" ", ""), (f" {where} ", plain))


def upstream_words(row: FlagRow) -> str:
    """Return the state that the project serves: `off`, `on`, `on, 20 %`."""
    word, _ = state_of(row)
    if row.rollout is None or not row.active or row.rollout == 100:
        return word
    return f"{word}, {percent(row.rollout)}"

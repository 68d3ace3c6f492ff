"""The mirror in the list of flags: columns beside upstream, and a line above the rows."""

from collections.abc import Iterable, Sequence
from typing import Final

from textual.widgets import Static

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.app.widgets.column_layout import Column, words_cell
from flagtui.app.widgets.line import join_lines
from flagtui.models.rows import FlagRow
from flagtui.text.override_lines import notice_lines, override_words, requested_words
from flagtui.text.styled import Piece

AFTER: Final = "rollout"
"""The column of upstream beside which the overrides are."""


def mirror_columns(columns: Sequence[Column[FlagRow]], mirror: MirrorWatch) -> tuple[Column[FlagRow], ...]:
    """Return the columns with overrides beside the rollout, and requests where they are recorded."""
    own = [
        Column(
            "override",
            "OVERRIDE",
            words_cell(lambda row: override_words(mirror.state.overrides_of(row.key)), "special"),
            11,
            grow=2,
            most=32,
            gap=2,
            sortable=False,
        )
    ]
    if mirror.state.is_recording:
        draw = words_cell(lambda row: requested_words(mirror.state.requests_of(row.key)))
        own.append(Column("requested", "REQUESTED", draw, 11, grow=1, most=24, gap=2, sortable=False))
    names = [column.name for column in columns]
    at = names.index(AFTER) + 1 if AFTER in names else len(columns)
    return (*columns[:at], *own, *columns[at:])


class MirrorNotices(Static):
    """Above the rows: why the mirror is not current, and requested keys that do not exist."""

    DEFAULT_CSS = "MirrorNotices { height: auto; max-height: 3; padding: 0 2; }"


def show_notices(screen: BrowseScreen, mirror: MirrorWatch | None, keys: Iterable[str]) -> None:
    """Draw the state of the mirror above the rows; nothing without a mirror."""
    shown = next(iter(screen.query(MirrorNotices)), None)
    lines = [] if mirror is None else _lines_of(mirror, keys)
    if shown is None and lines:
        shown = MirrorNotices(id="mirror", markup=False)
        screen.mount(shown, before="#search-bar")
    if shown is not None:
        shown.display = bool(lines)
        shown.update(join_lines(lines, screen.size.width - 4).rstrip())


def _lines_of(mirror: MirrorWatch, keys: Iterable[str]) -> list[list[Piece]]:
    trouble = mirror.trouble
    last = "The values below are its last ones."
    gone = "" if trouble is None else f"{trouble.what} {last} {trouble.next}"
    has_flag = frozenset(keys) if mirror.state.missing_keys else frozenset[str]()
    return [[piece] for piece in notice_lines(mirror.state, gone, has_flag)]

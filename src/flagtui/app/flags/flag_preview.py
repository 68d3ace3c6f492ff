"""The pane beside the list: the flag under the cursor, and what depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content
from textual.widget import Widget

from flagtui.app.widgets.line import joined
from flagtui.details.flag_details import FlagDetails
from flagtui.models.rows import UNUSED, FlagRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.empty_states import waiting_lines
from flagtui.text.styled import Piece, with_link


class Preview(Widget):
    """Draws `Details`; never asks for a layout, so a held arrow key costs nothing here."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._details: FlagDetails | None = None
        self._now = 0.0
        self._link = ""

    def show(self, details: FlagDetails | None, now: float, link: str = "") -> None:
        """Show this flag, with ages as of `now`; its key leads to `link`."""
        if details != self._details or int(now) // 60 != int(self._now) // 60 or link != self._link:
            self._details, self._now, self._link = details, now, link
            self.refresh()

    def render(self) -> Content:
        if self._details is None:
            return Content("")
        width = self.content_size.width
        return joined(with_link(detail_lines(self._details, self._now, width), self._link), width)


def detail_lines(details: FlagDetails, now: float, width: int) -> Iterator[list[Piece]]:
    """The whole pane, line by line."""
    yield from _head(details.row, width)
    if details.flag is None:
        yield from waiting_lines(details.trouble)
        return
    # What tells of rules takes long to load, and a row can be seen before its flag is known.
    from flagtui.app.flags.flag_preview_lines import flag_lines

    yield from flag_lines(details.flag, details, now, width)


def _head(row: FlagRow, width: int) -> Iterator[list[Piece]]:
    mark, version = mark_and_version(row)
    yield [mark, (safe_text(row.key, max(8, width - 12)), "bold"), (version, "$text-muted")]
    for line in safe_lines(row.name, 400, 3) if row.name else []:
        yield [(line, "$text-muted")]
    yield []
    yield list(badges(row))
    yield []


def mark_and_version(row: FlagRow) -> tuple[Piece, str]:
    """What is drawn before and after the key of a flag."""
    mark: Piece = ("● ", "$success") if row.active else ("○ ", "$text-muted")
    return mark, f"  v{row.version}" if row.version is not None else ""


def badges(row: FlagRow) -> Iterator[Piece]:
    """ON, STALE, EXPERIMENT, all runtimes: state as words on colour."""
    plain = "$chip-text on $chip"
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

"""The pane beside the list: the flag under the cursor, and what depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from flagtui.app.widgets.line import Piece
from flagtui.models.names import NO_NAMES, Names
from flagtui.models.rows import UNUSED, FlagRow
from flagtui.safe_text import safe_lines, safe_text

if TYPE_CHECKING:
    from flagtui.models.activity import Activity
    from flagtui.models.flag import Flag
    from flagtui.models.flag_answers import FlagStatus
    from flagtui.models.scheduled_change import ScheduledChange


@dataclass(frozen=True)
class Counted:
    """One condition, counted by the server. `number` counts from 1, as people and the server do."""

    number: int
    fitting: int
    """Who has its properties."""
    share: float
    """Its percentage."""
    total: int
    unit: str = "users"

    @property
    def reached(self) -> int:
        """The share of those who fit."""
        return round(self.fitting * self.share / 100)


@dataclass(frozen=True)
class Reach:
    """How many of all a flag's conditions reach; None while unknown, with the reason when it stays so."""

    affected: int | None = None
    total: int | None = None
    reason: str = ""
    is_bound: bool = False
    """True when conditions may overlap, so that the number is the most it can be."""
    besides: str = ""
    """Who else has it, whom the server does not count."""
    parts: tuple[Counted, ...] = ()
    unit: str = "users"
    uncounted: int = 0
    """Conditions that are still to be counted; the sum waits for them."""

    @property
    def about(self) -> str:
        """What stands before the number: how exact it is."""
        if self.is_bound:
            return "up to "
        return "about " if any(0 < part.share < 100 for part in self.parts) else ""


@dataclass(frozen=True)
class Details:
    """What is known of one flag beyond its row; each part may still be on its way."""

    row: FlagRow
    flag: Flag | None = None
    reach: Reach | None = None
    dependents: tuple[str, ...] | None = None
    """Keys of the flags that are on and ask for it; None while not known."""
    changes: tuple[Activity, ...] | None = None
    trouble: str = ""
    status: FlagStatus | None = None
    no_status: str = ""
    """Why the server did not say what it makes of the flag."""
    schedule: tuple[ScheduledChange, ...] | None = None
    """What is due, and what was; None while not known."""
    no_schedule: str = ""
    no_dependents: str = ""
    """Why it is not known what asks for it."""
    names: Names = NO_NAMES


class Preview(Widget):
    """Draws `Details`; never asks for a layout, so a held arrow key costs nothing here."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._details: Details | None = None
        self._now = 0.0

    def show(self, details: Details | None, now: float) -> None:
        """Show this flag, with ages as of `now`."""
        if details != self._details or int(now) // 60 != int(self._now) // 60:
            self._details, self._now = details, now
            self.refresh()

    def render(self) -> Content:
        if self._details is None:
            return Content("")
        pieces: list[Piece] = []
        for line in detail_lines(self._details, self._now, self.content_size.width):
            pieces += [*line, ("\n", "")]
        return Content.assemble(*pieces)


def detail_lines(details: Details, now: float, width: int) -> Iterator[list[Piece]]:
    """The whole pane, line by line."""
    yield from _head(details.row, width)
    if details.flag is None:
        yield from waiting_lines(details.trouble)
        return
    # What tells of rules takes long to load, and a row can be seen before its flag is known.
    from flagtui.app.flags.flag_preview_lines import flag_lines

    yield from flag_lines(details.flag, details, now, width)


def waiting_lines(trouble: str) -> Iterator[list[Piece]]:
    """In place of a flag that is not here: why, or that it is on its way."""
    if trouble:
        yield from trouble_lines(trouble)
    else:
        yield [("loading…", "$text-muted")]


def trouble_lines(trouble: str) -> Iterator[list[Piece]]:
    """What went wrong, apart from what follows."""
    yield [(safe_text(trouble, 300), "$warning")]
    yield []


def _head(row: FlagRow, width: int) -> Iterator[list[Piece]]:
    mark, version = mark_and_version(row)
    yield [mark, (safe_text(row.key, max(8, width - 12)), "bold"), (version, "$text-muted")]
    for line in safe_lines(row.name, 400, 3) if row.name else []:
        yield [(line, "$text-muted")]
    yield []
    yield list(badges(row))
    yield []


def mark_and_version(row: FlagRow) -> tuple[Piece, str]:
    """What stands before and behind the key of a flag."""
    mark: Piece = ("● ", "$success") if row.active else ("○ ", "$text-muted")
    return mark, f"  v{row.version}" if row.version is not None else ""


def badges(row: FlagRow) -> Iterator[Piece]:
    """ON, STALE, EXPERIMENT, all runtimes: state as words on colour."""
    plain = "$foreground on $track"
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

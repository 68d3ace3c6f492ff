"""The pane beside the list: the flag under the cursor, and what depends on it."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widget import Widget

from flagtui.app.formats import age
from flagtui.app.history_words import activity_words, who_did
from flagtui.app.sentences import who_sees_it
from flagtui.app.way_out import way_out_lines
from flagtui.app.widgets.line import Piece
from flagtui.models.activity import Activity
from flagtui.models.filters import Variant
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import FlagStatus
from flagtui.models.names import NO_NAMES, Names
from flagtui.models.rows import UNUSED, FlagRow
from flagtui.models.scheduled_change import ScheduledChange
from flagtui.safe_text import safe_lines, safe_text

VARIANT_STYLES = ("$primary", "$secondary", "$success", "$warning", "$error")


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
    parts: tuple[Counted, ...] = ()
    unit: str = "users"
    uncounted: int = 0
    """Conditions that are still to be counted; the sum waits for them."""


@dataclass(frozen=True)
class Details:
    """What is known of one flag beyond its row; each part may still be on its way."""

    row: FlagRow
    flag: Flag | None = None
    reach: Reach | None = None
    dependents: tuple[str, ...] | None = None
    changes: tuple[Activity, ...] | None = None
    trouble: str = ""
    status: FlagStatus | None = None
    no_status: str = ""
    """Why the server did not say what it makes of the flag."""
    schedule: tuple[ScheduledChange, ...] | None = None
    """What is due, and what was; None while not known."""
    no_schedule: str = ""
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
    yield from seen_by_lines(details, details.names)
    flag = details.flag
    if flag is None:
        return
    yield []
    yield from variant_lines(flag, width)
    yield from _links(details, width)
    yield from _ages(details.row, now)
    if details.row.is_stale:
        yield from way_out_lines(details.row, flag, details.dependents, now)
    yield from _changes(details, now, width)


def seen_by_lines(details: Details, names: Names) -> Iterator[list[Piece]]:
    """Who sees the flag, as far as it has been read."""
    if details.trouble:
        yield [(safe_text(details.trouble, 300), "$warning")]
        yield []
    flag = details.flag
    if flag is None:
        if not details.trouble:
            yield [("loading…", "$text-muted")]
        return
    yield [("WHO SEES IT", "$text-muted")]
    if not flag.active:
        yield [("nobody: it is off. Turned on, it would be seen by", "$warning")]
    yield from who_sees_it(flag.targeting, names)


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


def variant_lines(flag: Flag, width: int) -> Iterator[list[Piece]]:
    """The variants under one bar, or that there is a payload."""
    variants = flag.targeting.variants
    if variants:
        yield [("VARIANTS", "$text-muted")]
        yield list(variant_bar(variants, max(10, width - 2)))
        for place, variant in enumerate(variants[:8]):
            style = VARIANT_STYLES[place % len(VARIANT_STYLES)]
            has_payload = " · payload" if variant.key in flag.targeting.payloads else ""
            yield [
                (f" {safe_text(variant.key, 40)} ", style),
                (f"{variant.rollout:g} %", "bold"),
                (has_payload, "$text-muted"),
            ]
        if len(variants) > 8:
            yield [(f" … {len(variants) - 8} more", "$text-muted")]
        yield []
    elif flag.targeting.payloads:
        masked = " encrypted" if flag.has_encrypted_payloads else ""
        yield [("PAYLOAD", "$text-muted"), (f"   JSON{masked}", "")]
        yield []


def variant_bar(variants: tuple[Variant, ...], width: int) -> Iterator[Piece]:
    """One bar, shared by the variants as their percentages say."""
    total = sum(variant.rollout for variant in variants) or 1
    drawn = 0
    reached = 0.0
    for place, variant in enumerate(variants):
        reached += variant.rollout
        end = round(width * reached / total)
        yield "━" * max(0, end - drawn), VARIANT_STYLES[place % len(VARIANT_STYLES)]
        drawn = end


def cut(text: str, width: int) -> str:
    """Safe text in at most `width` cells."""
    return text if cell_len(text) <= width else set_cell_size(text, max(1, width - 1)).rstrip() + "…"


def _links(details: Details, width: int) -> Iterator[list[Piece]]:
    flag, reach = details.flag, details.reach
    if reach is not None and reach.affected is not None and reach.total is not None:
        most = "up to " if reach.is_bound else ""
        share: list[Piece] = [
            (f"{most}{reach.affected:,}", "bold"),
            (f" of {reach.total:,} {reach.unit}", ""),
        ]
        yield [("REACH       ", "$text-muted"), *share]
    elif reach is not None and reach.reason:
        yield [("REACH       ", "$text-muted"), (safe_text(reach.reason, max(20, width - 12)), "$faint")]
    for place, link in enumerate(flag.experiment_set_metadata if flag else ()):
        title = "EXPERIMENT  " if place == 0 else "            "
        running = "  running" if link.is_running else ""
        name = cut(safe_text(f"#{link.id} {link.name}"), width - 12 - len(running))
        yield [(title, "$text-muted"), (name, "$secondary"), (running, "$success")]
    if flag and flag.experiment_set and not flag.experiment_set_metadata:
        ids = ", ".join(f"#{found}" for found in flag.experiment_set[:6])
        yield [("EXPERIMENT  ", "$text-muted"), (ids, "$secondary")]
    for place, key in enumerate((details.dependents or ())[:5]):
        yield [
            ("NEEDED BY   " if place == 0 else "            ", "$text-muted"),
            (safe_text(key, width - 12), ""),
        ]
    if details.row.tags:
        tags = " ".join(f"#{safe_text(tag, 30)}" for tag in details.row.tags[:12])
        yield [("TAGS        ", "$text-muted"), (tags, "")]


def _ages(row: FlagRow, now: float) -> Iterator[list[Piece]]:
    called = age(row.called_at, now) or "never"
    words = f"changed {age(row.updated_at, now) or 'never'} · called {called}"
    yield [("AGE         ", "$text-muted"), (words, "")]
    made = [(" by ", "$text-muted"), (cut(safe_text(row.creator), 24), "$primary")] if row.creator else []
    yield [("MADE        ", "$text-muted"), (age(row.created_at, now) or "long ago", ""), *made]
    yield []


def _changes(details: Details, now: float, width: int) -> Iterator[list[Piece]]:
    if not details.changes:
        return
    yield [("RECENT CHANGES", "$text-muted")]
    for entry in details.changes[:8]:
        when = entry.created_at.timestamp() if entry.created_at else None
        who = cut(who_did(entry), 6)
        words = cut(activity_words(entry, names=details.names), max(12, width - 13))
        yield [(f"{age(when, now):>5} ", "$text-muted"), (f"{who:<6} ", "$primary"), (words, "")]

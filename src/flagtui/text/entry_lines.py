"""One entry whole: when, who, what moved exactly, and whether it can be taken back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flagtui import local_time
from flagtui.models.activity import ChangeRow
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.activity_listing import Centre
from flagtui.text.activity_words import STAFF, activity_words
from flagtui.text.differences import diff_lines
from flagtui.text.formats import MINUTE, ago, moment
from flagtui.text.styled import Piece


@dataclass(frozen=True)
class Shown:
    """An entry and what is known around it."""

    row: ChangeRow
    now: float
    flag: FlagRow | None = None
    """The flag as it is today; None when it is not in the list."""
    centre: Centre | None = None
    is_secret: bool = True
    """Whether payloads must not be shown: they are encrypted, or it is not known whether they are."""
    why_not: str = ""
    """Why nothing can be taken back here, such as a scope that is missing."""
    can_write: bool = True
    names: Names = NO_NAMES


def sides(row: ChangeRow) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """The changed fields before and after; a field that began or ended is on one side only."""
    changes = row.entry.changes
    before = {one.field: one.before for one in changes if one.action != "created" or one.before is not None}
    after = {one.field: one.after for one in changes if one.action != "deleted" or one.after is not None}
    return before, after


def touches_payloads(row: ChangeRow) -> bool:
    """Whether the entry holds payloads at all, so that it matters whether they are encrypted."""
    return any(_payloads(side) for side in sides(row))


def entry_lines(shown: Shown) -> Iterator[list[Piece]]:
    """The whole pane, line by line."""
    row = shown.row
    yield [(safe_text(row.key or "a flag without a key", 120), "bold")]
    yield from _when(shown)
    yield from _who(row)
    yield []
    before, after = sides(row)
    if before or after:
        yield from diff_lines(before, after, is_secret=shown.is_secret, names=shown.names)
    else:
        yield [(activity_words(row.entry, 300, shown.names), "")]
        yield []
    yield from _today(shown)
    yield from _undo_hint(shown)


def distance(at: float | None, centre: Centre) -> str:
    """`2 min before 14:05`."""
    clock = local_time.clock(centre.at)
    if at is None:
        return f"at a time that is not known, held against {clock}"
    minutes = abs(centre.at - at) / MINUTE
    span = f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
    if minutes < 0.5:
        return f"at {clock}"
    return f"{span} {'before' if at < centre.at else 'after'} {clock}"


def _when(shown: Shown) -> Iterator[list[Piece]]:
    at = shown.row.at
    if at is None:
        yield [("at a time that is not known", "")]
    else:
        yield [(ago(at, shown.now), ""), (f"  {moment(at)}", "$text-muted")]
    if shown.centre is not None:
        yield [(distance(at, shown.centre), "bold $primary")]


def _who(row: ChangeRow) -> Iterator[list[Piece]]:
    versions = ""
    if row.version is not None:
        versions = f"   v{row.version - 1} → v{row.version}" if row.version > 1 else f"   v{row.version}"
    if row.was_impersonated:
        yield [(STAFF.strip(), "$warning")]
    yield [(safe_text(row.email or row.who or "somebody", 80), "$primary"), (versions, "$text-muted")]
    if row.entry.trigger:
        yield [(f"made by a {safe_text(row.entry.trigger.replace('_', ' '), 40)}", "$text-muted")]


def _today(shown: Shown) -> Iterator[list[Piece]]:
    row, flag = shown.row, shown.flag
    if row.is_standing:
        yield [("deleted, and nobody brought it back", "$warning")]
    elif flag is not None and row.version is not None and flag.version is not None:
        later = flag.version - row.version
        if later > 0:
            changes = "once" if later == 1 else f"{later} times"
            yield [(f"changed {changes} since: v{flag.version} now", "$warning")]
        else:
            yield [(f"v{flag.version} is the newest", "$text-muted")]


def _undo_hint(shown: Shown) -> Iterator[list[Piece]]:
    if not shown.can_write:
        yield [(shown.why_not or "this profile is read-only", "$faint")]
    elif shown.row.is_standing:
        yield [(" z ", "bold"), ("restore ", "$text-muted"), ("(asks first)", "$faint")]
    else:
        yield [
            (" z ", "bold"),
            ("take it back ", "$text-muted"),
            ("(asks first; refused where the same thing was changed since)", "$faint"),
        ]


def _payloads(side: Mapping[str, JSON]) -> bool:
    filters = side.get("filters")
    return isinstance(filters, dict) and bool(filters.get("payloads"))

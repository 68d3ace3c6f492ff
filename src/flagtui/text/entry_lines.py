"""Draw one activity entry: when, who, each difference, and whether it can be undone."""

from collections.abc import Iterator

import msgspec

from flagtui import local_time
from flagtui.evaluate import wire
from flagtui.local_time import MINUTE, ago
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.counted_users import UserChange
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.activity_listing import Centre
from flagtui.text.activity_words import STAFF, activity_words
from flagtui.text.differences import diff_lines
from flagtui.text.formats import moment
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece
from flagtui.text.user_words import user_change_words


class EntryView(msgspec.Struct, frozen=True):
    """An activity entry with its context."""

    row: ChangeRow
    now: float
    flag: FlagRow | None = None
    """The current flag; None if it is not in the list."""
    centre: Centre | None = None
    is_secret: bool = True
    """Whether payloads are masked: they are encrypted, or may be."""
    why_not: str = ""
    """Why nothing can be undone here, such as a missing scope."""
    can_write: bool = True
    names: Names = NO_NAMES
    is_counted: bool = False
    """Whether the users who got or lost the flag are shown."""
    users: UserChange | None = None
    why_uncounted: str = ""


def sides(row: ChangeRow) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return the changed fields before and after; an added or removed field is on one side only."""
    changes = row.entry.changes
    before = {
        each.field: each.before for each in changes if each.action != "created" or each.before is not None
    }
    after = {each.field: each.after for each in changes if each.action != "deleted" or each.after is not None}
    return before, after


def touches_payloads(row: ChangeRow) -> bool:
    """Return whether the entry has payloads, which may be encrypted."""
    return any(wire.stored_payloads(side.get("filters")) for side in sides(row))


def entry_lines(view: EntryView) -> Iterator[list[Piece]]:
    row = view.row
    yield [(safe_text(row.key or "a record without a name", 120), "bold")]
    yield from _when(view)
    yield from _who(row)
    yield []
    before, after = sides(row)
    if before or after:
        yield from diff_lines(before, after, is_secret=view.is_secret, names=view.names)
    else:
        yield [(activity_words(row.entry, 300, view.names), "")]
        yield []
    yield from _users(view)
    yield from _today(view)
    yield from _undo_hint(view)


def distance(at: float | None, centre: Centre) -> str:
    """Format the distance to a moment: `2 min before 14:05`."""
    clock = local_time.clock(centre.at)
    if at is None:
        return f"time not known, compared with {clock}"
    minutes = abs(centre.at - at) / MINUTE
    span = f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
    if minutes < 0.5:
        return f"at {clock}"
    return f"{span} {'before' if at < centre.at else 'after'} {clock}"


def _when(view: EntryView) -> Iterator[list[Piece]]:
    at = view.row.at
    if at is None:
        yield [("time not known", "")]
    else:
        yield [(ago(at, view.now), ""), (f"  {moment(at)}", "$text-muted")]
    if view.centre is not None:
        yield [(distance(at, view.centre), "bold $primary")]


def _who(row: ChangeRow) -> Iterator[list[Piece]]:
    versions = ""
    if row.version is not None:
        versions = f"   v{row.version - 1} → v{row.version}" if row.version > 1 else f"   v{row.version}"
    if row.was_impersonated:
        yield [(STAFF.strip(), "$warning")]
    yield [(safe_text(row.email or row.who or "user not known", 80), "$primary"), (versions, "$text-muted")]
    if row.entry.trigger:
        yield [(f"made by a {safe_text(row.entry.trigger.replace('_', ' '), 40)}", "$text-muted")]


def _users(view: EntryView) -> Iterator[list[Piece]]:
    if view.users is not None:
        yield [(user_change_words(view.users), "bold" if view.users.share else "$text-muted")]
    elif view.is_counted:
        reason = safe_text(view.why_uncounted, 120) or "the state of the flag at that time is not known"
        yield [(f"users not counted: {reason}", "$text-muted")]


def _today(view: EntryView) -> Iterator[list[Piece]]:
    row, flag = view.row, view.flag
    if row.is_in_effect:
        yield [("deleted and not restored", "$warning")]
    elif flag is not None and row.version is not None and flag.version is not None:
        later = flag.version - row.version
        if later > 0:
            changes = "once" if later == 1 else f"{later} times"
            yield [(f"changed {changes} since; now v{flag.version}", "$warning")]
        else:
            yield [(f"v{flag.version} is the current version", "$text-muted")]


def _undo_hint(view: EntryView) -> Iterator[list[Piece]]:
    if not view.can_write:
        yield [(view.why_not or "this profile is read-only", "$faint")]
        return
    what, how = "revert it", "asks first; refused if the same value changed since"
    if view.row.is_in_effect:
        what, how = "restore", "asks first"
    yield [(f" {key_sign('activity.revert')} ", "bold"), (f"{what} ", "$text-muted"), (f"({how})", "$faint")]

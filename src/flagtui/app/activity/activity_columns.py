"""The columns of an activity entry. Times are in the user's zone."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from flagtui import local_time
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.widgets.column_layout import Cell, CellPiece, Column, Slot, age_cell, text_cell, version_cell
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.counted_users import UserChange
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.store.activity_feed import ACTIVITY_LISTING
from flagtui.text.activity_words import activity_words
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Look
from flagtui.text.user_words import user_change_in_short

Users = Callable[[ChangeRow], UserChange | None]

DAY_FROM: Final = 40
WHO_FROM: Final = 44
BAR_FROM: Final = 70
VERSION_FROM: Final = 94
FAR: Final = 0.75
"""From this share of people on a change is one to look at first."""
SOME: Final = 0.05
USERS_FROM: Final = 55
WHO_FROM_AROUND: Final = 63
"""Around a moment the users come first: a narrower list has room for one of the two."""
WEEK: Final = 6


def day_words(at: float | None, now: float) -> str:
    """Format a day: empty for today, `Sun` within a week, `28 Feb`, `Feb'24`."""
    if at is None:
        return ""
    then, today = local_time.wall(at), local_time.wall(now)
    days = (today.date() - then.date()).days
    if days == 0:
        return ""
    if 0 < days <= WEEK:
        return f"{then:%a}"
    return f"{then.day:>2} {then:%b}" if then.year == today.year or days < 180 else f"{then:%b'%y}"


def draw_day(row: ChangeRow, slot: Slot) -> Cell:
    return ((day_words(row.at, slot.now), "faint"),)


def draw_time(row: ChangeRow, slot: Slot) -> Cell:
    clock = local_time.clock(row.at) if row.at is not None else "?"
    sign = slot.glyphs.changed if slot.changed else " "
    return (sign, "info"), (clock, "strong" if slot.changed or row.weight >= FAR else "muted")


def draw_reach(row: ChangeRow, slot: Slot) -> Cell:
    """Draw the possible reach: `━●━` everything, `━━ ` some, a dot for no visible change."""
    glyphs = slot.glyphs
    if row.weight >= FAR:
        return ((f"{glyphs.bar}{glyphs.on}{glyphs.bar}", _reach_look(row)),)
    if row.weight >= SOME:
        return ((f" {glyphs.bar}{glyphs.bar}"[:3], "warn"),)
    return ((f" {glyphs.changed} " if row.weight else f" {glyphs.track} ", "faint"),)


def draw_words(names: Names, row: ChangeRow, slot: Slot) -> Cell:
    """Return the words; a deletion that was not undone shows the key that restores it."""
    words: CellPiece = (activity_words(row.entry, 200, names), _look(row))
    restores = f"  {key_sign('activity.revert')} restores it"
    return (words, (restores, "faint")) if row.is_in_effect else (words,)


def draw_users(users: Users, row: ChangeRow, slot: Slot) -> Cell:
    """Draw the users who got or lost the flag: `+1,237`; empty for other records."""
    if row.kind != "flags":
        return (("", "plain"),)
    change = users(row)
    look: Look = "faint"
    if change is not None and (change.gained or change.lost):
        look = "good" if change.gained > change.lost else "bad"
    return ((user_change_in_short(change, slot.width), look),)


def columns_around_moment(
    columns: Sequence[Column[ChangeRow]], users: Users
) -> tuple[Column[ChangeRow], ...]:
    """Return the columns of records of every kind, with the users who got or lost a flag."""
    users_column: Column[ChangeRow] = Column(
        "users",
        "± USERS",
        partial(draw_users, users),
        7,
        grow=1,
        most=15,
        align="right",
        from_width=USERS_FROM,
        sortable=False,
    )
    changed: list[Column[ChangeRow]] = []
    for column in columns:
        if column.name == "flag":
            column = replace(column, title="RECORD")
        elif column.name == "who":
            column = replace(column, from_width=WHO_FROM_AROUND)
        changed.append(column)
    # A list without room drops its last columns first.
    place = next((place for place, column in enumerate(columns, 1) if column.name == "what"), len(columns))
    return (*changed[:place], users_column, *changed[place:])


def _reach_look(row: ChangeRow) -> Look:
    return "good" if {"on", "restored"} & set(row.kinds) else "bad"


def _look(row: ChangeRow) -> Look:
    if row.weight >= FAR:
        return "good" if {"on", "restored"} & set(row.kinds) else "warn"
    return "plain" if row.weight or "created" in row.kinds else "muted"


def activity_columns(names: Names = NO_NAMES, zone: str = "UTC") -> tuple[Column[ChangeRow], ...]:
    """Return the columns of an entry, with these names for ids in it, and the zone of its time."""
    return (
        Column("day", "", draw_day, 6, gap=0, align="right", from_width=DAY_FROM, sortable=False),
        Column("time", f" {zone}", draw_time, max(6, len(zone) + 1), sortable=False, gap=0),
        Column("reach", "", draw_reach, 3, gap=1, from_width=BAR_FROM, sortable=False),
        Column("flag", "FLAG", text_cell("key", "strong"), 15, grow=3, most=44, gap=1),
        Column("who", "WHO", text_cell("who", "info"), 7, grow=1, most=16, from_width=WHO_FROM),
        Column("what", "WHAT", partial(draw_words, names), 18, grow=5, sortable=False),
        Column(
            "version", "", version_cell("version"), 5, from_width=VERSION_FROM, align="right", sortable=False
        ),
    )


MORE_ACTIVITY_COLUMNS: Final[tuple[Column[ChangeRow], ...]] = (
    Column("age", "AGO", age_cell("at"), 6, align="right", sortable=False),
    Column("email", "E-MAIL", text_cell("email"), 16, grow=2, most=40, sortable=False),
)
"""What else a person can choose."""


ACTIVITY_LIST: Final = ListDescription(
    name="activity",
    what="changes",
    hint="search  by:sam  flag:new  kind:rollout  since:2h  @ 14:05",
    listing=ACTIVITY_LISTING,
    orders=("newest", "flag", "who", "reach"),
    columns=activity_columns(),
    more_columns=MORE_ACTIVITY_COLUMNS,
    always=("time", "flag"),
    filters={"state": "is", "type": "kind", "mine": "by"},
    values={"by": lambda row: row.email or row.who, "flag": lambda row: row.key},
    near={"newest": "time"},
)

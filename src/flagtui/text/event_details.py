"""One event definition in full: every field, its use, what was done from here, its JSON."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from flagtui.changes.journal_entries import Entry
from flagtui.details.event_inspector import EventDetails
from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.safe_text import safe_text
from flagtui.text.event_words import (
    UNTOLD,
    age_lines,
    description_lines,
    head_lines,
    labelled,
    owner_words,
    use_lines,
)
from flagtui.text.formats import ago, moment
from flagtui.text.styled import Piece

Lines = Iterator[list[Piece]]


def detail_lines(details: EventDetails, done: Sequence[Entry], now: float, width: int) -> Lines:
    """The whole screen, line by line."""
    yield from head_lines(details.row, now, width)
    if details.trouble:
        yield [(safe_text(details.trouble, 300), "$warning")]
        yield []
    yield from description_lines(details.row, min(width, 100))
    yield []
    definition = details.definition
    if definition is None:
        yield [("" if details.trouble else "loading…", "$text-muted")]
        return
    yield from _facts(definition, now)
    yield []
    yield from _usage(details)
    yield []
    yield from age_lines(details.row, now)
    yield []
    yield from _history(definition, done, now)


def _facts(definition: EventDefinition, now: float) -> Lines:
    row = definition.row()
    yield labelled("TAGS", " ".join(f"#{safe_text(tag, 60)}" for tag in row.tags) or "none")
    yield labelled("OWNER", owner_words(row))
    no = UNTOLD if "verified" in row.untold else "no"
    yield labelled(
        "VERIFIED", _signed(definition.verified_by, definition.verified_at, now) if row.verified else no
    )
    if row.is_action:
        number = f"#{definition.action_id}" if definition.action_id is not None else "of a number not told"
        yield labelled("ACTION", f"{number}: a set of events under one name")
    yield labelled("PROPERTY", safe_text(row.primary_property, 100) or "none")
    rejects = row.enforcement == "reject"
    words = "reject: events that do not fit are dropped" if rejects else safe_text(row.enforcement, 60)
    yield labelled("ENFORCEMENT", words, "$warning" if rejects else "")
    columns = ", ".join(safe_text(name, 60) for name in definition.default_columns)
    yield labelled("COLUMNS", columns or "the usual ones")
    for place, url in enumerate(definition.media_preview_urls[:8]):
        yield labelled("MEDIA" if place == 0 else "", safe_text(url, 300), "$primary")
    if not definition.media_preview_urls:
        yield labelled("MEDIA", "none")
    yield labelled("ID", safe_text(definition.id, 60), "$faint")


def _usage(details: EventDetails) -> Lines:
    if details.usage is not None:
        yield labelled("USAGE", _queries(details.usage))
    elif details.why_no_usage:
        yield labelled("USAGE", f"30 days: {safe_text(details.why_no_usage, 120)}", "$faint")
    else:
        yield labelled("USAGE", "counting…", "$text-muted")
    found = [*use_lines(details.uses, details.why_no_uses)]
    for place, line in enumerate(found):
        yield [*labelled("USED BY" if place == 0 else "", ""), *line]


def _queries(number: int) -> str:
    return f"{number:,} {'query' if number == 1 else 'queries'} in 30 days"


def _history(definition: EventDefinition, done: Sequence[Entry], now: float) -> Lines:
    """What the definition itself tells, and what was done from this machine: servers have no feed for it."""
    yield [("WHO AND WHEN", "$text-muted")]
    found = [
        ("verified", definition.verified_by, definition.verified_at if definition.verified else None),
        ("last changed", definition.updated_by, definition.updated_at or definition.last_updated_at),
        ("created", definition.created_by, definition.created_at),
    ]
    for words, who, at in found:
        if at is not None:
            yield [(f"  {words:<13}", ""), (_signed(who, at, now), "$text-muted")]
    for entry in done[:12]:
        told = safe_text("; ".join(entry.words) or entry.verb, 80)
        ending = "" if entry.ending == "saved" else f"  {entry.ending or 'not known'}"
        yield [
            (f"  {ago(entry.at, now):<13}", ""),
            (told, "$text-muted"),
            (ending, "$warning"),
            ("  from here", "$faint"),
        ]


def _signed(who: User | None, at: datetime | None, now: float) -> str:
    """`Ada, 3 days ago, 2026-02-01 08:30 UTC`."""
    person = safe_text(who.email or who.label, 60) if who else "nobody is named"
    then = unix(at)
    return f"{person}, {ago(then, now)}, {moment(then)}" if then is not None else person

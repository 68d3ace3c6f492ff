"""Draw an event definition: its name, its status, its age."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from textwrap import wrap

from flagtui.changes.event_definitions.event_uses import EventUse
from flagtui.changes.journal_entries import Entry
from flagtui.details.event_inspector import EventDetails
from flagtui.local_time import ago, days_ago, unix
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import STALE_AFTER, EventDefinitionRow
from flagtui.safe_text import code_points, safe_lines, safe_text
from flagtui.text.formats import moment
from flagtui.text.long_lists import in_short, join_words
from flagtui.text.styled import Piece

LABEL = 12
MOST_TAGS = 200
"""The most tags on an event's page, or columns of its table; the JSON tab has all."""
NOT_REPORTED = "not known: not reported by this server"


def event_lines(row: EventDefinitionRow, now: float, width: int) -> Iterator[list[Piece]]:
    """Yield the lines about an event that the list has without another request."""
    yield from head_lines(row, now, width)
    yield from description_lines(row, width)
    yield []
    yield label_line("TAGS", tags_words(row, 20, 40))
    yield label_line("OWNER", owner_words(row))
    if row.primary_property:
        yield label_line("PROPERTY", safe_text(row.primary_property, 80))
    if row.enforcement != "allow":
        yield label_line("ENFORCEMENT", safe_text(row.enforcement, 40), "$warning")
    yield []
    yield from seen_lines(row, now)
    yield label_line("CHANGED", "not known" if row.updated_at is None else ago(row.updated_at, now))


def head_lines(row: EventDefinitionRow, now: float, width: int) -> Iterator[list[Piece]]:
    for text in wrap(safe_text(row.name, 400), max(10, width)) or ['""']:
        yield [(text, "bold")]
    if points := code_points(row.name):
        yield [(f"not plain letters: {points}", "$warning")]
    yield list(badges(row, now))
    yield []


def badges(row: EventDefinitionRow, now: float) -> Iterator[Piece]:
    """Yield the badges: VERIFIED, HIDDEN, SILENT, posthog."""
    plain = "$chip-text on $chip"
    if row.hidden:
        yield " HIDDEN ", plain
    elif row.verified:
        yield " VERIFIED ", "bold $badge-text on $success"
    elif "verified" not in row.not_sent:
        yield " UNVERIFIED ", plain
    if is_silent(row, now):
        yield from ((" ", ""), (" SILENT ", "bold $badge-text on $warning"))
    if row.enforcement == "reject":
        yield from ((" ", ""), (" REJECTS ", "bold $badge-text on $error"))
    kind = "action" if row.is_action else "posthog" if row.is_builtin else "custom"
    yield from ((" ", ""), (f" {kind} ", plain))


def owner_words(row: EventDefinitionRow) -> str:
    return safe_text(row.owner, 80) or (NOT_REPORTED if "owner" in row.not_sent else "none")


def tags_words(row: EventDefinitionRow, most: int, room: int) -> str:
    """Return the first `most` tags, each of at most `room` characters, if the server reports tags."""
    return join_words(row.tags, most, room, "#") or (NOT_REPORTED if "tags" in row.not_sent else "none")


def description_lines(row: EventDefinitionRow, width: int) -> Iterator[list[Piece]]:
    """Yield the description, wrapped."""
    if not row.description.strip():
        yield [
            (f"description {NOT_REPORTED}" if "description" in row.not_sent else "no description", "$faint")
        ]
        return
    for line in safe_lines(row.description, 4_000, 4_000):
        for text in wrap(line, max(10, width)) or [""]:
            yield [(text, "")]


def seen_lines(row: EventDefinitionRow, now: float) -> Iterator[list[Piece]]:
    """Yield the ages of the first and last event, in days: servers report no finer dates."""
    silent = "$warning" if is_silent(row, now) else ""
    yield label_line("LAST SEEN", last_seen_words(row, now), silent)
    first_seen = "not known" if row.created_at is None else days_ago(row.created_at, now)
    yield label_line("FIRST SEEN", first_seen)


def use_lines(uses: Sequence[EventUse] | None, why: str) -> Iterator[list[Piece]]:
    """Yield the experiments that use the event; None is not known. `why` explains an incomplete list."""
    if uses is None:
        yield [(f"not known: {safe_text(why, 120)}" if why else "loading…", "$faint")]
        return
    for use in uses:
        status = f"  {safe_text(use.words, 40)}" if use.words else ""
        name = safe_text(f"#{use.id} {use.name}", 100)
        yield [(name, "$secondary"), (status, "$success" if use.status == "running" else "$text-muted")]
    if not uses:
        yield [("measured by no experiment", "")]
    if why:
        yield [(safe_text(why, 120), "$faint")]


def last_seen_words(row: EventDefinitionRow, now: float) -> str:
    """Return `3 days ago`, `never`, or `not known` if the server does not report it."""
    never = "not known" if "last_seen_at" in row.not_sent else "never"
    return never if row.seen_at is None else days_ago(row.seen_at, now)


def label_line(label: str, text: str, style: str = "") -> list[Piece]:
    """Return a label in its own column, then safe text."""
    return [(f"{label:<{LABEL}}", "$text-muted"), (text, style)]


def is_silent(event: EventDefinitionRow, now: float) -> bool:
    """Return whether the event was last seen so long ago that the server calls it stale."""
    return event.seen_at is not None and event.seen_at < now - STALE_AFTER


Lines = Iterator[list[Piece]]


def detail_lines(details: EventDetails, done: Sequence[Entry], now: float, width: int) -> Lines:
    """Yield the lines of the event's page."""
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
    yield from _facts(definition)
    yield []
    yield from _usage(details)
    yield []
    yield from seen_lines(details.row, now)
    yield []
    yield from _history(definition, done, now)


def _facts(definition: EventDefinition) -> Lines:
    row = definition.row()
    yield label_line("TAGS", tags_words(row, MOST_TAGS, 60))
    yield label_line("OWNER", owner_words(row))
    if "verified" in row.not_sent:
        yield label_line("VERIFIED", NOT_REPORTED)
    if row.is_action:
        number = f"#{definition.action_id}" if definition.action_id is not None else "number not reported"
        yield label_line("ACTION", f"{number}: a set of events under one name")
    named = safe_text(row.primary_property, 100) or _none(definition, "primary_property", "promoted_property")
    yield label_line("PROPERTY", named)
    rejects = row.enforcement == "reject"
    words = "reject: invalid events are dropped" if rejects else safe_text(row.enforcement, 60)
    if "enforcement_mode" in row.not_sent:
        words = NOT_REPORTED
    yield label_line("ENFORCEMENT", words, "$warning" if rejects else "")
    columns = in_short([safe_text(name, 60) for name in definition.default_columns], MOST_TAGS)
    yield label_line("COLUMNS", columns or _none(definition, "default_columns", none="default"))
    for place, url in enumerate(definition.media_preview_urls[:8]):
        yield label_line("MEDIA" if place == 0 else "", safe_text(url, 300), "$primary")
    if not definition.media_preview_urls:
        yield label_line("MEDIA", _none(definition, "media_preview_urls"))
    yield label_line("ID", safe_text(definition.id, 60), "$faint")


def _none(definition: EventDefinition, *names: str, none: str = "none") -> str:
    """Return the word for no value; members that were not sent are not known."""
    return none if any(name in definition.raw for name in names) else NOT_REPORTED


def _usage(details: EventDetails) -> Lines:
    if details.usage is not None:
        yield label_line("USAGE", _queries(details.usage))
    elif details.why_no_usage:
        yield label_line("USAGE", f"30 days: {safe_text(details.why_no_usage, 120)}", "$faint")
    else:
        yield label_line("USAGE", "counting…", "$text-muted")
    lines = [*use_lines(details.uses, details.why_no_uses)]
    for place, line in enumerate(lines):
        yield [*label_line("USED BY" if place == 0 else "", ""), *line]


def _queries(number: int) -> str:
    return f"{number:,} {'query' if number == 1 else 'queries'} in 30 days"


def _history(definition: EventDefinition, done: Sequence[Entry], now: float) -> Lines:
    """Yield the dates of the definition and the changes from this machine; servers log no others."""
    yield [("WHO AND WHEN", "$text-muted")]
    events = [
        ("verified", definition.verified_by, definition.verified_at if definition.verified else None),
        ("last changed", definition.updated_by, definition.updated_at or definition.last_updated_at),
        ("created", definition.created_by, definition.created_at),
    ]
    for words, who, at in events:
        if at is not None or words == "last changed":
            signature = "not known" if at is None else _signature(who, at, now)
            yield [(f"  {words:<13}", ""), (signature, "$text-muted")]
    for entry in done[:12]:
        change = safe_text("; ".join(entry.words) or entry.verb, 80)
        ending = "" if entry.ending == "saved" else f"  {entry.ending or 'not known'}"
        yield [
            (f"  {ago(entry.at, now):<13}", ""),
            (change, "$text-muted"),
            (ending, "$warning"),
            ("  from this machine", "$faint"),
        ]


def _signature(who: User | None, at: datetime | None, now: float) -> str:
    """Return `Ada, 3 days ago, 2026-02-01 08:30 UTC`."""
    user = safe_text(who.email or who.label, 60) if who else "no user named"
    then = unix(at)
    return f"{user}, {ago(then, now)}, {moment(then)}" if then is not None else user

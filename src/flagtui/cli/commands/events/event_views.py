"""`flagtui events …` that look: event definitions, and types for all of them."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal

import click
import msgspec

from flagtui.api.errors import NotFound
from flagtui.cli.plumbing.listed_records import ListReader, list_matches
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession, in_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import EVENTS, MANY, RecordSelection, several
from flagtui.cli.plumbing.word_types import EVENT_WORDS, list_options
from flagtui.cli.records.field_words import age_words, commas, days_words, or_not_known, yes
from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.event_listing import read_sent

if TYPE_CHECKING:
    from flagtui.cli.plumbing.bulk_reader import BulkReader

READ: Final = ("event_definitions.list", "event_definitions.get", "event_definitions.by_name")
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class EventTypes(msgspec.Struct, frozen=True):
    """Types for all events, as code."""

    language: str
    code: str
    count: int


class WholeEvent(msgspec.Struct, frozen=True):
    """An event definition with everything the server sent."""

    definition: EventDefinition
    row: EventDefinitionRow

    @property
    def id(self) -> str:
        return self.row.id


def _author(name: str) -> Callable[[WholeEvent], str | None]:
    """Read the e-mail or name of a user of the definition."""

    def read(whole: WholeEvent) -> str | None:
        user: User | None = getattr(whole.definition, name)
        return None if user is None else user.email or user.label

    return read


EVENT: Final[RecordSchema[EventDefinitionRow]] = RecordSchema(
    "event",
    "An event definition.",
    (
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField(
            "verified", "truth?", "Whether it is verified.", read_sent("verified"), True, or_not_known(yes)
        ),
        RecordField("hidden", "truth", "Whether it is hidden.", is_shown=True, words=yes),
        RecordField("tags", "texts?", "Its tags.", read_sent("tags"), True, or_not_known(commas)),
        RecordField("owner", "text?", "Its owner.", read_sent("owner"), True, or_not_known(str)),
        RecordField("seen_at", "time?", "When it was last sent.", is_shown=True, words=days_words),
        RecordField(
            "description", "text?", "Its description.", read_sent("description"), True, or_not_known(str)
        ),
        RecordField("id", "text", "Its UUID."),
        RecordField("owner_id", "whole?", "The id of the owner."),
        RecordField("created_at", "time?", "When it was first sent.", words=days_words),
        RecordField("updated_at", "time?", "When it was last changed.", words=age_words),
        RecordField(
            "enforcement",
            "text?",
            "allow or reject.",
            read_sent("enforcement", "enforcement_mode"),
            words=or_not_known(str),
        ),
        RecordField("primary_property", "text", "The most informative property."),
        RecordField(
            "builtin", "truth", "Whether the product's libraries send it.", lambda row: row.is_builtin
        ),
    ),
    version=2,
)
WHOLE_EVENT: Final[RecordSchema[WholeEvent]] = RecordSchema(
    "whole-event",
    "An event definition with everything the server sent.",
    (
        *EVENT.within(attrgetter("row")),
        RecordField(
            "verified_at", "time?", "When it was verified.", lambda whole: unix(whole.definition.verified_at)
        ),
        RecordField("verified_by", "text?", "Who verified it.", _author("verified_by")),
        RecordField("updated_by", "text?", "Who changed it.", _author("updated_by")),
        RecordField("created_by", "text?", "Who created it.", _author("created_by")),
        RecordField("is_action", "truth", "Whether it is an action.", lambda whole: whole.row.is_action),
        RecordField("record", "object", "As the server sent it.", lambda whole: dict(whole.definition.raw)),
    ),
)
Language = Literal["typescript", "golang", "python"]
LANGUAGES: Final[Mapping[str, Language]] = {"ts": "typescript", "python": "python", "go": "golang"}
"""The languages of event types, by the names that `flags types` has; the server has others."""
TYPES: Final[RecordSchema[EventTypes]] = RecordSchema(
    "event-types",
    "Types for all events, as code.",
    (
        RecordField("language", "text", "ts, python or go.", is_shown=True),
        RecordField("events", "whole", "The number of events in it.", lambda types: types.count, True),
        RecordField("code", "text", "The whole file.", is_shown=True),
    ),
    version=2,
)


@command(
    "list",
    kind=EVENT,
    empty="No event is found.",
    pages="events",
    operations=("event_definitions.list",),
    examples=("is:unverified", "tag:billing --json --fields name,owner"),
)
@list_options("events", "seen, name, created, …; -name turns it round.")
async def list_all(
    session: ProjectSession, query: tuple[str, ...], sort: str, limit: int | None
) -> list[EventDefinitionRow]:
    """List event definitions; QUERY narrows as the search line of the app does.

    QUERY is words, and qualifiers with a value (is, kind, owner, tag, seen,
    updated, created, name): 'is:unverified seen:<7d'
    """
    rows: list[EventDefinitionRow] = await EVENTS.rows(session, " ".join(query), sort, limit)
    return rows


@command(
    "get",
    kind=WHOLE_EVENT,
    pages="events",
    is_whole=True,
    operations=READ,
    examples=("'$pageview'", "'$pageview' '$autocapture' --json"),
)
@EVENT_WORDS
async def get(session: ProjectSession, events: RecordSelection) -> list[WholeEvent]:
    """Show whole event definitions."""
    definitions = await _named_events(session, events)
    if events.queries:
        matches, _rows = await list_matches(session, EVENTS, events.queries)
        definitions += [EventDefinition.of(event.raw) for event in matches]
    return [WholeEvent(event, event.row()) for event in {event.id: event for event in definitions}.values()]


@command(
    "types",
    kind=TYPES,
    operations=("event_definitions.code",),
    examples=("", "--json --fields language,events"),
)
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    default="ts",
    show_default=True,
    help="The language.",
)
def types(language: str, place: WorkPlace, printer: Printer) -> int:
    """Print types for all events; as code, unless --json or --fields ask for more."""

    async def work(session: ProjectSession) -> EventTypes:
        types = await session.client.event_definitions.code(LANGUAGES[language])
        return EventTypes(language, types.content, types.event_count)

    made = in_project(place, work)
    if printer.is_for_programs or printer.fields:
        printer.records(TYPES, [made])
    else:
        printer.text(made.code)
    return 0


async def events_of(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> list[EventDefinition]:
    """Return each event once.

    Raises ApiError, and Trouble if one is missing or `bulk` refuses so many: then no event is changed.
    """
    named = {event.id: event for event in await _named_events(session, selection, bulk)}
    ids = [row.id for line in selection.queries for row in await EVENTS.rows(session, line)]
    unread = [id for id in dict.fromkeys(ids) if id not in named]
    events = await _read_events(session, unread, session.client.event_definitions.get, bulk)
    return [*named.values(), *filter(None, events)]


async def _named_events(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> list[EventDefinition]:
    """Return the events that are named. Raises ApiError, and Trouble as `events_of` does."""
    events = await _read_events(session, selection.names, lambda name: _find(session, name), bulk)
    return await EVENTS.require(session, selection.names, events)


async def _read_events(
    session: ProjectSession,
    words: Sequence[str],
    read_single: Callable[[str], Awaitable[EventDefinition | None]],
    bulk: "BulkReader | None",
) -> list[EventDefinition | None]:
    """Return the events of names or ids; None for a missing one. Raises ApiError, Trouble."""
    read: Callable[[Sequence[str]], Awaitable[list[EventDefinition | None]]] = partial(
        several, find=read_single
    )
    if len(words) >= MANY:
        read = ListReader(session, EVENTS, words, read_single, read=EventDefinition.of, id_in=_id_in).read
    return await (read(words) if bulk is None else bulk.read(words, read))


def _id_in(word: str) -> str | None:
    return word.lower() if _UUID.fullmatch(word) else None


async def _find(session: ProjectSession, name: str) -> EventDefinition | None:
    definitions = session.client.event_definitions
    try:
        return await (definitions.get(name) if _UUID.fullmatch(name) else definitions.by_name(name))
    except NotFound:
        return None

"""Event definitions from the command line: listed, shown, planned and changed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from flagtui.api.errors import NotFound
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb, set_owner
from flagtui.changes.event_definitions.definition_plan import (
    DefinitionContext,
    EventPlan,
    plan_event,
)
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.proposal import LeftOut
from flagtui.cli.agreement import PlannedChange, carry_out
from flagtui.cli.errors import Trouble
from flagtui.cli.options import WorkPlace, WriteTerms
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project, in_project_with_pages
from flagtui.cli.records.event_records import EVENT, TYPES, EventTypes
from flagtui.cli.row_source import EVENTS, names_of
from flagtui.cli.selection import Wanted, not_found, read_words, several
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import EventDefinitionRow

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
MakeIntent = Callable[[EventDefinition], EventIntent]
"""What is meant for one definition."""
People = Mapping[int, str]
"""E-mails of people by number."""


def list_events(line: str, sort: str, limit: int | None, place: WorkPlace, printer: Printer) -> int:
    """The rows a query finds."""
    rows: list[EventDefinitionRow]
    rows, page = in_project_with_pages(place, "events", lambda session: EVENTS.rows(session, line, sort))
    printer.records(EVENT, rows[:limit], "No event is found.", page)
    return 0


def get_events(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """Definitions as a whole."""
    wanted = read_words(words, EVENTS.is_query)
    found, page = in_project_with_pages(place, "events", lambda session: events_of(session, wanted))
    printer.details(EVENT, [one.row() for one in found], page)
    return 0


def print_types(language: str, place: WorkPlace, printer: Printer) -> int:
    """Types for all events."""
    languages: dict[str, Literal["typescript", "golang", "python"]] = {
        "typescript": "typescript",
        "golang": "golang",
        "python": "python",
    }

    async def work(session: ProjectSession) -> EventTypes:
        found = await session.client.event_definitions.code(languages[language])
        return EventTypes(language, found.content, found.event_count)

    made = in_project(place, work)
    if printer.is_for_programs or printer.fields:
        printer.records(TYPES, [made])
    else:
        printer.text(made.code)
    return 0


def change_events(words: Sequence[str], make: MakeIntent, terms: WriteTerms) -> int:
    """Change every event the words mean; the exit code. Raises Trouble."""
    wanted = read_words(words, EVENTS.is_query)

    async def work(session: ProjectSession) -> int:
        fresh = await events_of(session, wanted)
        return await carry_out(await plan_events(session, fresh, make), session, terms)

    return in_project(terms.place, work)


def change_owner(words: Sequence[str], person: str, terms: WriteTerms) -> int:
    """Another owner, or none; the exit code. Raises Trouble."""
    wanted = read_words(words, EVENTS.is_query)

    async def work(session: ProjectSession) -> int:
        fresh = await events_of(session, wanted)
        known = await _people(session, fresh, person)
        number = _number_of(person, known)

        def make(one: EventDefinition) -> EventIntent:
            return set_owner(one.id, number, one.owner.id if one.owner else None)

        return await carry_out(await plan_events(session, fresh, make, known), session, terms)

    return in_project(terms.place, work)


async def events_of(session: ProjectSession, wanted: Wanted) -> list[EventDefinition]:
    """Each once. Raises ApiError, and Trouble when one is missing: the others are left alone then, too."""
    found = await several(wanted.names, lambda name: _find(session, name))
    missing = [name for name, one in zip(wanted.names, found, strict=True) if one is None]
    if missing:
        raise not_found("event", missing, names_of(EVENTS, await EVENTS.every(session)))
    known = {one.id: one for one in found if one is not None}
    ids = [row.id for line in wanted.queries for row in await EVENTS.rows(session, line)]
    read = await several(
        [id for id in dict.fromkeys(ids) if id not in known], session.client.event_definitions.get
    )
    return [*known.values(), *read]


async def _find(session: ProjectSession, name: str) -> EventDefinition | None:
    definitions = session.client.event_definitions
    try:
        return await (definitions.get(name) if _UUID.fullmatch(name) else definitions.by_name(name))
    except NotFound:
        return None


async def plan_events(
    session: ProjectSession, fresh: Sequence[EventDefinition], make: MakeIntent, people: People | None = None
) -> PlannedChange[EventPlan]:
    """The plans for definitions that were just read."""
    context = DefinitionContext(session.now, people or {})
    plans: list[EventPlan] = []
    settled: list[LeftOut] = []
    for one in fresh:
        plan = plan_event(make(one), one, context)
        if plan is None:
            settled.append(LeftOut(one.id, one.name, "it is so already"))
        else:
            plans.append(plan)
    if len({plan.verb.name for plan in plans}) > 1:
        plans = [replace(plan, verb=event_verb("tidy up")) for plan in plans]
    return PlannedChange(plans, DefinitionAdapter(session.client.event_definitions), (), settled)


async def _people(session: ProjectSession, fresh: Sequence[EventDefinition], person: str) -> dict[int, str]:
    """Everybody known here by number: who holds the key, and who owns events."""
    people = {one.owner.id: one.owner.email for one in fresh if one.owner and one.owner.email}
    me = await session.me()
    if me is not None:
        people[me.id] = me.email or me.label
    if "@" in person and person not in people.values():
        rows: list[EventDefinitionRow] = await EVENTS.every(session)
        people |= {row.owner_id: row.owner for row in rows if row.owner_id is not None and row.owner}
    return people | ({-1: ""} if me is None else {-1: people[me.id]})


def _number_of(person: str, known: People) -> int | None:
    """The number of the person; -1 in `known` holds what `me` is called. Raises Trouble."""
    if person in ("none", "nobody"):
        return None
    wanted = known[-1] if person == "me" else person
    found = next((number for number, name in known.items() if number > 0 and wanted and name == wanted), None)
    if found is None and person.isascii() and person.isdigit():
        return int(person)
    if found is None:
        names = ", ".join(sorted({name for number, name in known.items() if number > 0})) or "none"
        raise Trouble(f"there is no owner {person} here.", f"Known: {names}.", code="not_found")
    return found

"""`flagtui events …` that change: plans on today's definitions, sent as the app sends them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Unpack

import click

from flagtui.changes.event_definitions import definition_intent as intents
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import EventPlan, would_change
from flagtui.changes.event_definitions.definition_planner import EventPlanner
from flagtui.cli.commands.events.event_views import READ, events_of
from flagtui.cli.plumbing.bulk_reader import BulkReader
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import TagOptions, WriteTerms, read_retagging
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import EVENTS, RecordSelection
from flagtui.cli.plumbing.session_context import as_staged, planning_context
from flagtui.cli.plumbing.word_types import EVENT_WORD, EVENT_WORDS, tag_options
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

MakeIntent = Callable[[EventDefinition], EventIntent]
"""The intended change of one definition."""
People = Mapping[int, str]
"""E-mails of people by number."""
PLAIN: Final[Mapping[str, Callable[[str], EventIntent]]] = {
    "verify": intents.verify,
    "unverify": lambda id: intents.verify(id, False),
    "hide": intents.hide,
    "show": lambda id: intents.hide(id, False),
    "delete": intents.delete,
}
"""Changes that need nothing but the event."""


def _command(name: str, *examples: str, **more: Any) -> Callable[..., RecordCommand]:
    """Declare a command that changes events."""
    commands = tuple(f"events {name} {example}" for example in examples)
    operations = (*READ, *more.pop("operations", ("event_definitions.update",)))
    return change_command(name, operations=operations, examples=commands, **more)


def _plain(name: str, words: str, *operations: str, **more: Any) -> RecordCommand:
    """Return a change that needs nothing but the events."""
    examples = ("'$pageview' --dry-run", "'$autocapture' --dry-run --json")

    @_command(name, *examples, operations=("event_definitions.update", *operations), help=words, **more)
    @EVENT_WORDS
    async def change(session: ProjectSession, events: RecordSelection, terms: WriteTerms) -> int:
        return await change_events(session, events, lambda fresh: PLAIN[name](fresh.id), terms)

    return change


verify = _plain(
    "verify", "Mark events as verified; this also unhides them.", "event_definitions.bulk_update_verified"
)
unverify = _plain("unverify", "Remove the verified mark.", "event_definitions.bulk_update_verified")
hide = _plain("hide", "Hide events; this also unverifies them.")
show = _plain("show", "Unhide events.")
delete = _plain(
    "delete",
    "Delete definitions permanently; the next such event creates an empty one.",
    "event_definitions.delete",
    never_staged="servers delete event definitions permanently",
)


@_command(
    "tag",
    "'$pageview' --add core --dry-run",
    "is:hidden --add to-check --dry-run",
    operations=("event_definitions.update", "event_definitions.bulk_update_tags"),
)
@EVENT_WORDS
@tag_options("events")
async def tag(
    session: ProjectSession, events: RecordSelection, terms: WriteTerms, **tags: Unpack[TagOptions]
) -> int:
    """Add, remove or set tags of events."""
    retagging = read_retagging(**tags)
    return await change_events(
        session, events, lambda fresh: intents.tag_intent(fresh.row(), retagging), terms
    )


@_command("describe", "'$pageview' --text 'A page was seen' --dry-run", "'$pageview' --text '' --dry-run")
@EVENT_WORD
@click.option("--text", required=True, help="The description: what it means and when it is sent.")
async def describe(session: ProjectSession, event: RecordSelection, text: str, terms: WriteTerms) -> int:
    """Change the description of an event."""

    def described(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "description", text.strip(), fresh.description or "")

    return await change_events(session, event, described, terms)


@_command(
    "create",
    "'report exported' --description 'A report was saved' --dry-run",
    "'report exported' --verified --tag core --yes",
    operations=("event_definitions.create",),
    never_staged="servers create event definitions at once",
)
@click.argument("name")
@click.option("--description", default="", help="What it means and when it is sent.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated.")
@click.option("--verified", is_flag=True, help="Mark it as verified.")
async def create(
    session: ProjectSession,
    name: str,
    description: str,
    tags: tuple[str, ...],
    verified: bool,
    terms: WriteTerms,
) -> int:
    """Create the definition of an event that has not been sent so far."""
    values: dict[str, JSON] = {"description": description.strip()} if description.strip() else {}
    values |= {"tags": [*intents.tidy_tags(",".join(tags).split(","))]} if tags else {}
    values |= {"verified": True} if verified else {}
    planner = EventPlanner(planning_context(session, terms))
    return await carry_out(await planner.plan([intents.create(name, values)]), session, terms)


@_command("owner", "'$pageview' --to me --dry-run", "'$pageview' --to none --dry-run")
@EVENT_WORDS
@click.option("--to", "person", required=True, metavar="WHO", help="me, none, an e-mail or a number.")
async def owner(session: ProjectSession, events: RecordSelection, person: str, terms: WriteTerms) -> int:
    """Set the owner of events."""
    fresh = await events_of(session, events)
    people = await _people(session, fresh, person)
    number = _number_of(person, people)

    def make(event: EventDefinition) -> EventIntent:
        return intents.set_field(event.id, "owner", number, event.owner.id if event.owner else None)

    return await _change(session, fresh, make, terms, people)


@_command("property", "'$pageview' --to '$pathname' --dry-run", "'$pageview' --to '' --dry-run")
@EVENT_WORD
@click.option("--to", "primary", required=True, metavar="NAME", help="The property; empty for none.")
async def primary_property(
    session: ProjectSession, event: RecordSelection, primary: str, terms: WriteTerms
) -> int:
    """Choose the primary property of an event."""

    def named(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "primary_property", primary.strip(), fresh.primary_property)

    return await change_events(session, event, named, terms)


@_command("enforce", "'$pageview' --mode reject --dry-run", "'$pageview' --mode allow --dry-run")
@EVENT_WORDS
@click.option(
    "--mode",
    type=click.Choice(["allow", "reject"]),
    required=True,
    help="allow accepts them, reject drops them.",
)
async def enforce(session: ProjectSession, events: RecordSelection, mode: str, terms: WriteTerms) -> int:
    """Set whether events that do not match the schema are accepted."""

    def enforced(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "enforcement_mode", mode, fresh.row().enforcement)

    return await change_events(session, events, enforced, terms)


async def change_events(
    session: ProjectSession, selection: RecordSelection, make: MakeIntent, terms: WriteTerms
) -> int:
    """Change every selected event and return the exit code. Raises Trouble."""

    bulk = BulkReader(session, terms, EventPlan.noun, lambda event: would_change(make(event), event))
    return await _change(session, await events_of(session, selection, bulk), make, terms)


async def _change(
    session: ProjectSession,
    fresh: Sequence[EventDefinition],
    make: MakeIntent,
    terms: WriteTerms,
    people: People = MappingProxyType({}),
) -> int:
    fresh = as_staged(session, terms, fresh)
    context = planning_context(session, terms)
    context.people = people
    planner = EventPlanner(context, {definition.id: definition for definition in fresh})
    return await carry_out(await planner.plan([make(definition) for definition in fresh]), session, terms)


async def _people(session: ProjectSession, fresh: Sequence[EventDefinition], person: str) -> dict[int, str]:
    """Return the known users by number: the key's owner, and the owners of events."""
    people = {
        definition.owner.id: definition.owner.email
        for definition in fresh
        if definition.owner and definition.owner.email
    }
    me = await session.me()
    if me is not None:
        people[me.id] = me.email or me.label
    if "@" in person and person not in people.values():
        rows = await EVENTS.every(session)
        people |= {row.owner_id: row.owner for row in rows if row.owner_id is not None and row.owner}
    return people | ({-1: ""} if me is None else {-1: people[me.id]})


def _number_of(person: str, people: People) -> int | None:
    """Return the number of the person; -1 in `people` holds what `me` is called. Raises Trouble."""
    if person == "none":
        return None
    email = people[-1] if person == "me" else person
    owner = next((number for number, name in people.items() if number > 0 and email and name == email), None)
    if owner is None and person.isascii() and person.isdigit():
        return int(person)
    if owner is None:
        names = ", ".join(sorted({name for number, name in people.items() if number > 0})) or "none"
        raise Trouble(f"there is no owner {person} here.", f"Known: {names}.", code="not_found")
    return owner

"""`flagtui events …` that change: plans on today's definitions, sent as the app sends them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Unpack

import click

from flagtui.api.errors import Forbidden
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
from flagtui.cli.plumbing.selection import EVENTS, RecordSelection, number_in
from flagtui.cli.plumbing.session_context import as_staged, planning_context
from flagtui.cli.plumbing.word_types import EVENT_WORD, EVENT_WORDS, tag_options
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

MakeIntent = Callable[[EventDefinition], EventIntent]
"""The intended change of one definition."""
PLAIN: Final[Mapping[str, Callable[[str], EventIntent]]] = {
    "verify": intents.verify,
    "unverify": lambda id: intents.verify(id, False),
    "hide": intents.hide,
    "unhide": lambda id: intents.hide(id, False),
    "delete": intents.delete,
}
"""Changes that need nothing but the event."""


def _command(name: str, *examples: str, **more: Any) -> Callable[..., RecordCommand]:
    """Declare a command that changes events."""
    operations = (*READ, *more.pop("operations", ("event_definitions.update",)))
    return change_command(name, operations=operations, examples=examples, **more)


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
unhide = _plain("unhide", "Unhide events; they stay unverified.")
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

    def set_description(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "description", text.strip(), fresh.description or "")

    return await change_events(session, event, set_description, terms)


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
    user = await _find_user(session, person)

    def make(event: EventDefinition) -> EventIntent:
        return intents.set_field(event.id, "owner", user and user.id, event.owner and event.owner.id)

    return await change_events(session, events, make, terms, user)


@_command("property", "'$pageview' --to '$pathname' --dry-run", "'$pageview' --to '' --dry-run")
@EVENT_WORD
@click.option("--to", "primary", required=True, metavar="NAME", help="The property; empty for none.")
async def primary_property(
    session: ProjectSession, event: RecordSelection, primary: str, terms: WriteTerms
) -> int:
    """Choose the primary property of an event."""

    def set_primary(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "primary_property", primary.strip(), fresh.primary_property)

    return await change_events(session, event, set_primary, terms)


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

    def set_enforcement(fresh: EventDefinition) -> EventIntent:
        return intents.set_field(fresh.id, "enforcement_mode", mode, fresh.row().enforcement)

    return await change_events(session, events, set_enforcement, terms)


async def change_events(
    session: ProjectSession,
    selection: RecordSelection,
    make: MakeIntent,
    terms: WriteTerms,
    user: User | None = None,
) -> int:
    """Change every selected event and return the exit code; `user` is the new owner. Raises Trouble."""
    bulk = BulkReader(session, terms, EventPlan.noun, lambda event: would_change(make(event), event))
    fresh = as_staged(session, terms, await events_of(session, selection, bulk))
    context = planning_context(session, terms)
    context.people = {} if user is None else {user.id: user.email or user.label}
    planner = EventPlanner(context, {definition.id: definition for definition in fresh})
    return await carry_out(await planner.plan([make(definition) for definition in fresh]), session, terms)


async def _find_user(session: ProjectSession, word: str) -> User | None:
    """Return the user whom `--to` names; None for no one. Raises Trouble for an unknown one, ApiError."""
    if word == "none":
        return None
    if word == "me":
        try:
            return await session.require_me()
        except Forbidden:
            fix = "Name the person, or use a key that may read its owner."
            raise Trouble("the owner of this key cannot be read.", fix, code="sign_in") from None
    me = await session.me()
    if me is not None and word in (me.email, str(me.id)):
        return me
    if (number := number_in(word)) is not None:
        return User(id=number)
    rows = await EVENTS.every(session)
    users = {row.owner: User(id=row.owner_id, email=row.owner) for row in rows if row.owner_id and row.owner}
    if word not in users:
        emails = {*users, me.email} if me is not None and me.email else {*users}
        names = ", ".join(sorted(emails)) or "none"
        raise Trouble(f"there is no owner {word} here.", f"Known: {names}.", code="not_found")
    return users[word]

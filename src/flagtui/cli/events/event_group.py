"""`flagtui events …`: the commands, their options and examples."""

from collections.abc import Callable
from typing import Any

import click

from flagtui.cli.options import WorkPlace, WriteTerms
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.change_records import OUTCOME
from flagtui.cli.records.event_records import EVENT, TYPES
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import EVENT_WORD, EVENT_WORDS, list_options, tag_options

READ = ("event_definitions.list", "event_definitions.get", "event_definitions.by_name")


@click.group("events")
def command() -> None:
    """See and change event definitions.

    EVENT is a name, an id, or a query such as 'is:unverified seen:<7d'; several at once, and - reads them
    from standard input.
    """


@command.command(
    "list",
    cls=TwinCommand,
    kind=EVENT,
    operations=("event_definitions.list",),
    examples=("events list is:unverified", "events list tag:billing --json --fields name,owner"),
)
@list_options("seen, name, created, …; -name turns it round.")
def list_all(query: tuple[str, ...], sort: str, limit: int | None, place: WorkPlace, printer: Printer) -> int:
    """List event definitions; QUERY narrows as the search line of the app does."""
    from flagtui.cli.events.event_work import list_events

    return list_events(" ".join(query), sort, limit, place, printer)


@command.command(
    "get",
    cls=TwinCommand,
    kind=EVENT,
    operations=READ,
    examples=("events get '$pageview'", "events get '$pageview' '$autocapture' --json"),
)
@EVENT_WORDS
def get(events: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Show event definitions as a whole."""
    from flagtui.cli.events.event_work import get_events

    return get_events(events, place, printer)


@command.command(
    "types",
    cls=TwinCommand,
    kind=TYPES,
    operations=("event_definitions.code",),
    examples=("events types", "events types --json --fields language,events"),
)
@click.option(
    "--language",
    type=click.Choice(["typescript", "golang", "python"]),
    default="typescript",
    show_default=True,
    help="In which language.",
)
def types(language: str, place: WorkPlace, printer: Printer) -> int:
    """Print types for all events; as code, unless --json or --fields ask for more."""
    from flagtui.cli.events.event_work import print_types

    return print_types(language, place, printer)


def _command(name: str, *examples: str, **more: Any) -> Callable[[Callable[..., int]], click.Command]:
    """A command that changes events."""
    told = tuple(f"events {name} {example}" for example in examples)
    operations = (*READ, *more.pop("operations", ("event_definitions.update",)))
    return command.command(
        name, cls=TwinCommand, kind=OUTCOME, writes=True, operations=operations, examples=told, **more
    )


def _plain(name: str, words: str, *operations: str) -> None:
    """A change that needs nothing but the events."""
    examples = ("'$pageview' --dry-run", "'$autocapture' --dry-run --json")

    @_command(name, *examples, operations=("event_definitions.update", *operations), help=words)
    @EVENT_WORDS
    def change(events: tuple[str, ...], terms: WriteTerms) -> int:
        from flagtui.changes.event_definitions import definition_intent as intents
        from flagtui.cli.events.event_work import change_events

        makers = {
            "verify": lambda id: intents.verify(id),
            "unverify": lambda id: intents.verify(id, False),
            "hide": lambda id: intents.hide(id),
            "show": lambda id: intents.hide(id, False),
            "delete": lambda id: intents.delete(id),
        }
        return change_events(events, lambda fresh: makers[name](fresh.id), terms)


_plain("verify", "Vouch for events; that un-hides them.", "event_definitions.bulk_update_verified")
_plain("unverify", "Take the verification back.", "event_definitions.bulk_update_verified")
_plain("hide", "Put events out of sight; that un-verifies them.")
_plain("show", "Bring hidden events back into sight.")
_plain(
    "delete",
    "Delete definitions for real; the next such event brings one back bare.",
    "event_definitions.delete",
)


@_command(
    "tag",
    "'$pageview' --add core --dry-run",
    "is:unverified --add to-check --dry-run",
    operations=("event_definitions.update", "event_definitions.bulk_update_tags"),
)
@EVENT_WORDS
@tag_options("events")
def tag(
    events: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[str, ...],
    only: tuple[str, ...],
    terms: WriteTerms,
) -> int:
    """Add, remove or set tags of events."""
    from flagtui.changes.event_definitions.definition_intent import tag_intent
    from flagtui.cli.events.event_work import change_events
    from flagtui.cli.flags.flag_options import read_retagging

    wanted = read_retagging(added, removed, only)
    return change_events(events, lambda fresh: tag_intent(fresh.row(), wanted), terms)


@_command("describe", "'$pageview' --text 'A page was seen' --dry-run", "'$pageview' --text '' --dry-run")
@EVENT_WORD
@click.option("--text", required=True, help="What it means and when it is sent.")
def describe(event: str, text: str, terms: WriteTerms) -> int:
    """Change the description of an event."""
    from flagtui.changes.event_definitions.definition_intent import describe
    from flagtui.cli.events.event_work import change_events

    return change_events(
        [event], lambda fresh: describe(fresh.id, text.strip(), fresh.description or ""), terms
    )


@_command("owner", "'$pageview' --to me --dry-run", "'$pageview' --to none --dry-run")
@EVENT_WORDS
@click.option("--to", "person", required=True, metavar="WHO", help="me, none, an e-mail or a number.")
def owner(events: tuple[str, ...], person: str, terms: WriteTerms) -> int:
    """Say who looks after events."""
    from flagtui.cli.events.event_work import change_owner

    return change_owner(events, person, terms)


@_command("property", "'$pageview' --to '$pathname' --dry-run", "'$pageview' --to '' --dry-run")
@EVENT_WORD
@click.option("--to", "name", required=True, metavar="NAME", help="The property; empty for none.")
def primary_property(event: str, name: str, terms: WriteTerms) -> int:
    """Say which property tells most about an event."""
    from flagtui.changes.event_definitions.definition_intent import set_property
    from flagtui.cli.events.event_work import change_events

    return change_events(
        [event], lambda fresh: set_property(fresh.id, name.strip(), fresh.primary_property or ""), terms
    )


@_command("enforce", "'$pageview' --mode reject --dry-run", "'$pageview' --mode allow --dry-run")
@EVENT_WORDS
@click.option("--mode", type=click.Choice(["allow", "reject"]), required=True, help="reject drops them.")
def enforce(events: tuple[str, ...], mode: str, terms: WriteTerms) -> int:
    """Say whether events that do not fit are taken."""
    from flagtui.changes.event_definitions.definition_intent import enforce
    from flagtui.cli.events.event_work import change_events

    return change_events(events, lambda fresh: enforce(fresh.id, mode, fresh.row().enforcement), terms)

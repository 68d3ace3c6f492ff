"""`flagtui flags …`: the commands, their options and examples. What they do is loaded when one is called."""

import click

from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.flag_records import (
    DEFINITION,
    DIFFERENCE,
    EXPLANATION,
    FLAG,
    SCHEDULED,
    STALE,
    VALUE,
)
from flagtui.cli.records.side_records import COHORT, USE, VALUE_FOR_PROGRAMS
from flagtui.cli.records.whole_flag import WHOLE_FLAG
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import FLAG_WORD, FLAG_WORDS, QUERY_WORDS, list_options

READ = ("flags.list", "flags.get")


class FlagGroup(click.Group):
    """Loads the commands that change flags when the one that is meant is not declared here."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        self._load_changes()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            self._load_changes()
        return super().get_command(ctx, cmd_name)

    def _load_changes(self) -> None:
        from flagtui.cli.flags.flag_change_group import COMMANDS

        for each in COMMANDS:
            self.add_command(each)


@click.group("flags", cls=FlagGroup)
def command() -> None:
    """See and change feature flags.

    FLAG is a key, an id, or a query such as 'is:stale tag:web'; several at once, and - reads them from
    standard input.
    """


@command.command(
    "list",
    cls=TwinCommand,
    kind=FLAG,
    operations=("flags.list",),
    examples=("flags list", "flags list 'is:on tag:checkout' --fields key,rollout,updated_at --json"),
)
@list_options("updated, key, created, …; -key turns it round.")
def list_flags(
    query: tuple[str, ...], sort: str, limit: int | None, place: WorkPlace, printer: Printer
) -> int:
    """List flags; QUERY narrows as the search line of the app does."""
    from flagtui.cli.flags.flag_views import list_flags

    return list_flags(" ".join(query), sort, limit, place, printer)


@command.command(
    "get",
    cls=TwinCommand,
    kind=WHOLE_FLAG,
    operations=READ,
    examples=("flags get checkout-redesign", "flags get checkout-redesign --json --fields key,filters"),
)
@FLAG_WORDS
def get(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Show flags as a whole: who sees them, and as what."""
    from flagtui.cli.flags.flag_views import get_flags

    return get_flags(flags, place, printer)


@command.command(
    "history",
    cls=TwinCommand,
    kind=ACTIVITY,
    operations=(*READ, "flags.activity_of"),
    examples=("flags history checkout-redesign", "flags history checkout-redesign --limit 5 --ndjson"),
)
@FLAG_WORDS
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Entries of each flag.")
def history(flags: tuple[str, ...], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Show who changed flags, newest first."""
    from flagtui.cli.flags.flag_past_and_future import show_history

    return show_history(flags, limit, place, printer)


@command.command(
    "diff",
    cls=TwinCommand,
    kind=DIFFERENCE,
    operations=(*READ, "flags.version"),
    examples=("flags diff checkout-redesign", "flags diff checkout-redesign --from 1 --json"),
)
@FLAG_WORD
@click.option("--from", "old", type=click.IntRange(1), help="The older version; the one before unless said.")
@click.option("--to", "new", type=click.IntRange(1), help="The newer version; today's unless said.")
def diff(flag: str, old: int | None, new: int | None, place: WorkPlace, printer: Printer) -> int:
    """Show what differs between two versions of a flag; by itself, the last change."""
    from flagtui.cli.flags.flag_past_and_future import show_difference

    return show_difference(flag, (old, new), place, printer)


SUBJECT = click.option(
    "--for",
    "people",
    required=True,
    multiple=True,
    metavar="WHO",
    help="A distinct id, and what is taken as true: 'user_7 plan=pro group:company=acme'; may be repeated.",
)
EVALUATION = (
    *("flags.evaluation_reasons", "flags.test_evaluation", "flags.local_evaluation", "flags.definitions"),
    *("cohorts.list", "projects.get"),
)


@command.command(
    "evaluate",
    cls=TwinCommand,
    kind=VALUE,
    operations=(*READ, *EVALUATION),
    examples=(
        "flags evaluate --for user_7",
        "flags evaluate checkout-redesign --for 'user_7 plan=pro' --for user_8 --json",
    ),
)
@click.argument("flags", nargs=-1, metavar="[FLAG]...", type=FLAG_WORDS.word_type)
@SUBJECT
def evaluate(flags: tuple[str, ...], people: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Say what people get of flags; of all without FLAG."""
    from flagtui.cli.flags.flag_evaluations import evaluate_flags

    return evaluate_flags(flags, people, place, printer)


@command.command(
    "explain",
    cls=TwinCommand,
    kind=EXPLANATION,
    operations=(*READ, *EVALUATION),
    examples=(
        "flags explain checkout-redesign --for user_7",
        "flags explain checkout-redesign --for 'user_7 plan=pro' --json",
    ),
)
@FLAG_WORDS
@SUBJECT
def explain(flags: tuple[str, ...], people: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Say why people get what, condition by condition."""
    from flagtui.cli.flags.flag_evaluations import explain_flags

    return explain_flags(flags, people, place, printer)


@command.command(
    "definitions",
    cls=TwinCommand,
    kind=DEFINITION,
    operations=("flags.local_evaluation", "flags.definitions"),
    examples=("flags definitions --json", "flags definitions checkout-redesign --ndjson"),
)
@click.argument("keys", nargs=-1, metavar="[KEY]...")
def definitions(keys: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Show flags as the server hands them to libraries that evaluate by themselves."""
    from flagtui.cli.flags.flag_past_and_future import list_definitions

    return list_definitions(keys, place, printer)


@command.command(
    "stale",
    cls=TwinCommand,
    kind=STALE,
    operations=READ,
    examples=("flags stale", "flags stale tag:web --json"),
)
@QUERY_WORDS
def stale(query: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """List stale flags, with what everyone gets of them; QUERY narrows."""
    from flagtui.cli.flags.flag_past_and_future import list_stale

    return list_stale(" ".join(query), place, printer)


@command.command(
    "due",
    cls=TwinCommand,
    kind=SCHEDULED,
    operations=(*READ, "schedule.list"),
    examples=("flags due checkout-redesign", "flags due tag:web --json"),
)
@FLAG_WORDS
def due(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """List what the server will do to flags later."""
    from flagtui.cli.flags.flag_past_and_future import list_schedule

    return list_schedule(flags, place, printer)


@command.command(
    "status",
    cls=TwinCommand,
    kind=USE,
    operations=(*READ, "flags.status"),
    examples=("flags status checkout-redesign", "flags status is:stale --json"),
)
@FLAG_WORDS
def status(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Say whether flags are used, in the server's own words."""
    from flagtui.cli.side_views import show_use

    return show_use(flags, place, printer)


@command.command(
    "payload",
    cls=TwinCommand,
    kind=VALUE_FOR_PROGRAMS,
    operations=(*READ, "flags.remote_config"),
    examples=("flags payload type:config", "flags payload type:config --json"),
)
@FLAG_WORDS
def payload(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Print the values of remote configurations; encrypted ones come decrypted."""
    from flagtui.cli.side_views import show_remote_values

    return show_remote_values(flags, place, printer)


@command.command(
    "cohorts",
    cls=TwinCommand,
    kind=COHORT,
    operations=("cohorts.list",),
    examples=("flags cohorts", "flags cohorts --json"),
)
def cohorts(place: WorkPlace, printer: Printer) -> int:
    """List the groups of people that conditions can ask for."""
    from flagtui.cli.side_views import list_cohorts

    return list_cohorts(place, printer)

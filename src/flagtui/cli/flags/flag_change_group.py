"""`flagtui flags …` that change something: the commands, their options and examples."""

from collections.abc import Callable
from typing import Any, Unpack

import click

from flagtui.cli.flags.new_flag_options import NewFlagOptions
from flagtui.cli.options import NumberRange, WriteTerms
from flagtui.cli.records.change_records import OUTCOME
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import FLAG_WORD, FLAG_WORDS, TAG, tag_options

READ = ("flags.list", "flags.get")
WRITE = (*READ, "flags.update", "flags.dependents", "flags.activity_of", "flags.blast_radius")


COMMANDS: list[click.Command] = []


def _command(name: str, **more: Any) -> Callable[[Callable[..., int]], None]:
    """Declares a command that changes flags."""

    def declare(function: Callable[..., int]) -> None:
        COMMANDS.append(click.command(name, cls=TwinCommand, kind=OUTCOME, writes=True, **more)(function))

    return declare


def _switch(name: str, words: str, *example: str) -> None:
    """A change of one field that needs nothing but the flags."""

    @_command(
        name,
        operations=(*WRITE, "flags.activity") if name == "restore" else WRITE,
        examples=(f"flags {name} {example[0]}", f"flags {name} {example[1]}"),
        help=words,
    )
    @FLAG_WORDS
    def change(flags: tuple[str, ...], terms: WriteTerms) -> int:
        from flagtui.changes.flags.flag_intent import switch
        from flagtui.cli.flags.flag_writes import change_flags

        verb = {"enable": "turn on", "disable": "turn off"}.get(name, name)
        return change_flags(
            flags,
            lambda flag: switch(verb, flag.id, flag.version),
            terms,
            are_deleted=name == "restore",
        )


_switch("enable", "Turn flags on.", "checkout-redesign --dry-run", "new-nav --yes --json")
_switch("disable", "Turn flags off; their targeting stays.", "new-nav --yes", "'is:stale tag:web' --dry-run")
_switch(
    "archive",
    "Turn flags off and put them out of the list.",
    "new-nav --yes",
    "'is:stale called:never' --dry-run --json",
)
_switch(
    "unarchive",
    "Bring flags back from the archive; they stay off.",
    "new-nav --yes",
    "'is:archived tag:web' --dry-run",
)
_switch(
    "delete",
    "Delete flags softly; restore brings them back.",
    "new-nav --dry-run",
    "old-banner --yes --reason cleanup",
)
_switch(
    "restore", "Bring deleted flags back, on or off as they were.", "old-banner --dry-run", "old-banner --yes"
)


@_command(
    "rollout",
    operations=WRITE,
    examples=(
        "flags rollout checkout-redesign --to 25 --dry-run",
        "flags rollout checkout-redesign --to 50 --condition 1 --yes",
    ),
)
@FLAG_WORDS
@click.option("--to", "percent", type=NumberRange(0, 100), required=True, help="The share, in percent.")
@click.option("--condition", type=click.IntRange(1), help="Only this condition, from 1; all unless said.")
def rollout(flags: tuple[str, ...], percent: float, condition: int | None, terms: WriteTerms) -> int:
    """Set the share of people who get flags; conditions, variants and payloads stay as they are."""
    from flagtui.cli.flags.flag_options import rollout_intent
    from flagtui.cli.flags.flag_writes import change_flags

    return change_flags(flags, lambda flag: rollout_intent(flag, percent, condition), terms)


@_command(
    "tag",
    operations=WRITE,
    examples=(
        "flags tag checkout-redesign --add ops --remove old --dry-run",
        "flags tag 'is:stale' --add cleanup --dry-run",
    ),
)
@FLAG_WORDS
@tag_options("flags")
def tag(
    flags: tuple[str, ...],
    added: tuple[str, ...],
    removed: tuple[str, ...],
    only: tuple[str, ...],
    terms: WriteTerms,
) -> int:
    """Add, remove or set tags of flags."""
    from flagtui.cli.flags.flag_options import read_retagging, tag_intent
    from flagtui.cli.flags.flag_writes import change_flags

    wanted = read_retagging(added, removed, only)
    return change_flags(flags, lambda flag: tag_intent(flag, wanted), terms)


@_command(
    "edit",
    operations=WRITE,
    examples=(
        "flags edit checkout-redesign --field name='New checkout' --dry-run",
        "flags edit checkout-redesign --from flag.json --yes",
    ),
)
@FLAG_WORD
@click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="JSON, or text as it is.")
@click.option("--from", "source", metavar="FILE", help="The flag's JSON as --print gives it; - reads it.")
@click.option("--print", "is_printed", is_flag=True, help="Print the JSON that can be edited.")
def edit(flag: str, values: tuple[str, ...], source: str | None, is_printed: bool, terms: WriteTerms) -> int:
    """Change fields of a flag; without --field and --from its JSON opens in your editor.

    Fields are those that --print gives.
    """
    from flagtui.cli.flags.flag_options import edit_flag, print_flag

    return print_flag(flag, terms) if is_printed else edit_flag(flag, values, source, terms)


@_command(
    "create",
    operations=("flags.list", "flags.create", "flags.activity"),
    examples=(
        "flags create new-search --description 'The new search' --rollout 10 --dry-run",
        "flags create new-search --variant control --variant test --tag web --yes",
    ),
)
@click.argument("key")
@click.option(
    "--kind",
    type=click.Choice(["boolean", "multivariate", "config"]),
    default="boolean",
    show_default=True,
    help="What it gives: on or off, variants, a value for programs.",
)
@click.option("--variant", "variants", multiple=True, metavar="KEY", help="A variant; all get equal shares.")
@click.option("--payload", metavar="JSON", help="What comes with it.")
@click.option("--rollout", "percent", type=NumberRange(0, 100), help="The share; 0 unless said.")
@click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="Any other field.")
@click.option("--description", default="", help="What it is for.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", type=TAG, help="A tag.")
@click.option("--enable", is_flag=True, help="Make it on; off unless said.")
def create(key: str, terms: WriteTerms, **given: Unpack[NewFlagOptions]) -> int:
    """Make a new flag: off, with a rollout of 0 %, unless options say otherwise."""
    from flagtui.cli.flags.flag_options import create_from_options

    return create_from_options(key, given, terms)


@_command(
    "copy",
    operations=(*READ, "flags.create", "flags.copy", "flags.activity", "schedule.list", "projects.get"),
    examples=(
        "flags copy checkout-redesign --to-key checkout-again --yes",
        "flags copy checkout-redesign --to-project 2 --dry-run",
    ),
)
@FLAG_WORDS
@click.option("--to-key", "key", default="", metavar="KEY", help="Here, under this key.")
@click.option("--to-project", "target", type=int, metavar="ID", help="In that project, under the same key.")
def copy(flags: tuple[str, ...], key: str, target: int | None, terms: WriteTerms) -> int:
    """Copy flags, off: one here under another key, or any number to another project."""
    from flagtui.cli.flags.new_flag_changes import copy_flags

    if not key and target is None:
        raise click.UsageError("Say where: --to-key KEY or --to-project ID.")
    return copy_flags(flags, (key, target), terms)


@_command(
    "schedule",
    operations=(*READ, "schedule.list", "schedule.create", "schedule.delete"),
    examples=(
        "flags schedule checkout-redesign --off --at +2h --yes",
        "flags schedule checkout-redesign --add-share 50 --at '2099-03-05 09:00' --dry-run",
    ),
)
@FLAG_WORD
@click.option("--on", "way", flag_value="on", help="Turn it on then.")
@click.option("--off", "way", flag_value="off", help="Turn it off then.")
@click.option("--add-share", "share", type=NumberRange(0, 100), help="Add a condition for so many percent.")
@click.option(
    "--at", "when", default="", metavar="WHEN", help="+2h, 09:00 or 2026-03-05 09:00, your time zone."
)
@click.option("--drop", "number", type=int, metavar="ID", help="Take back a scheduled change: `flags due`.")
def schedule(
    flag: str, way: str | None, share: float | None, when: str, number: int | None, terms: WriteTerms
) -> int:
    """Have the server change a flag later, or drop what is scheduled."""
    from flagtui.cli.flags.flag_extras import drop_change, schedule_change

    if number is not None:
        return drop_change(flag, number, terms)
    if (way is None) == (share is None) or not when:
        raise click.UsageError("Say what and when: --on, --off or --add-share, and --at; or --drop ID.")
    return schedule_change(flag, (None if way is None else way == "on", share), when, terms)


def _make(name: str, words: str, operations: tuple[str, ...]) -> None:
    """Something made from a flag, which stays as it is."""

    @_command(
        name,
        operations=(*READ, *operations),
        examples=(f"flags {name} checkout-redesign --dry-run", f"flags {name} checkout-redesign --yes"),
        help=words,
    )
    @FLAG_WORD
    def make(flag: str, terms: WriteTerms) -> int:
        from flagtui.cli.flags.flag_extras import make_from_flag

        return make_from_flag(flag, "cohort" if name == "cohort" else "dashboard", terms)


_make(
    "cohort", "Make a cohort of everyone who has a flag now.", ("flags.create_static_cohort", "cohorts.list")
)
_make(
    "dashboard",
    "Make the usage dashboard of a flag, or put more on it.",
    ("flags.dashboard", "flags.enrich_usage_dashboard"),
)

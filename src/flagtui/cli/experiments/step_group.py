"""`flagtui experiments …` that change something: the commands, their options and examples."""

from collections.abc import Callable
from typing import Any, Final

import click

from flagtui.cli.options import WriteTerms
from flagtui.cli.records.change_records import OUTCOME
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import EXPERIMENT_WORD, EXPERIMENT_WORDS

READ = ("experiments.list", "experiments.get")
CONCLUSIONS: Final = ("won", "lost", "inconclusive", "stopped_early", "invalid")
CONCLUSION = click.option("--conclusion", type=click.Choice(CONCLUSIONS), help="How it came out.")
COMMENT = click.option("--comment", default="", metavar="TEXT", help="On the conclusion, for later readers.")
FIELD = click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="JSON, or text as it is.")
COMMANDS: list[click.Command] = []


def add_steps(group: click.Group) -> None:
    """Give the group what is declared here."""
    for each in COMMANDS:
        group.add_command(each)


def _command(
    name: str, *operations: str, examples: tuple[str, ...], **more: Any
) -> Callable[[Callable[..., int]], None]:
    """Declares a command that changes experiments."""

    def declare(function: Callable[..., int]) -> None:
        told = tuple(f"experiments {name} {example}" for example in examples)
        asked = (*READ, *operations)
        made = click.command(
            name, cls=TwinCommand, kind=OUTCOME, writes=True, operations=asked, examples=told, **more
        )(function)
        COMMANDS.append(made)

    return declare


def _plain(name: str, words: str, *operations: str) -> None:
    """A step that needs nothing but the experiments."""

    sure = "31 --dry-run --fields key,title" if name in ("delete", "reset") else "31 --yes --json"

    @_command(name, *operations, examples=("31 --dry-run", sure), help=words)
    @EXPERIMENT_WORDS
    def step(experiments: tuple[str, ...], terms: WriteTerms) -> int:
        from flagtui.changes.experiments.steps import STEPS, Choices
        from flagtui.cli.experiments.experiment_writes import take_step

        return take_step(STEPS[name].name, experiments, lambda _fresh: Choices(), terms)


_plain(
    "launch", "Launch drafts; their flags are turned on.", "experiments.launch",
    "experiments.requires_flag_implementation", "experiments.update",
)  # fmt: skip
_plain(
    "pause", "Turn the flags of running experiments off.", "experiments.pause", "flags.dependents",
    "flags.list", "flags.update",
)  # fmt: skip
_plain("resume", "Turn the flags of paused experiments on again.", "experiments.resume", "flags.update")
_plain("unarchive", "Bring experiments back from the archive.", "experiments.unarchive")
_plain("reset", "Make experiments drafts again; results begin anew.", "experiments.reset")
_plain("delete", "Delete experiments softly; restore brings them back.", "experiments.update")
_plain("restore", "Bring deleted experiments back, by their ids.", "experiments.update")
_plain("cohort", "Make a cohort of all who met an experiment.", "experiments.create_exposure_cohort")


@_command(
    "end",
    "experiments.end",
    examples=("31 --conclusion won --comment 'ten per cent more' --dry-run", "is:running --dry-run"),
)
@EXPERIMENT_WORDS
@CONCLUSION
@COMMENT
def end(experiments: tuple[str, ...], conclusion: str | None, comment: str, terms: WriteTerms) -> int:
    """End experiments; variants are still served. Without a conclusion an earlier one is erased."""
    from flagtui.changes.experiments.steps import Choices
    from flagtui.cli.experiments.experiment_writes import take_step

    choices = Choices(conclusion=conclusion or "", comment=comment)
    return take_step("end", experiments, lambda _fresh: choices, terms)


@_command(
    "ship",
    "experiments.ship_variant",
    examples=("31 --variant test --dry-run", "31 --variant test --everyone --conclusion won --dry-run"),
)
@EXPERIMENT_WORD
@click.option("--variant", required=True, metavar="KEY", help="Which one all get.")
@click.option("--everyone", is_flag=True, help="Also people whom no condition lets in.")
@CONCLUSION
@COMMENT
def ship(
    experiment: str, variant: str, everyone: bool, conclusion: str | None, comment: str, terms: WriteTerms
) -> int:
    """Give one variant to all who get any, and end the experiment."""
    from flagtui.changes.experiments.steps import Choices
    from flagtui.cli.experiments.experiment_writes import take_step

    choices = Choices(conclusion or "", comment, variant, everyone)
    return take_step("ship", [experiment], lambda _fresh: choices, terms)


@_command(
    "archive",
    "experiments.archive",
    "flags.dependents",
    examples=("is:stopped --dry-run", "31 --disable-flag --dry-run"),
)
@EXPERIMENT_WORDS
@click.option("--disable-flag", is_flag=True, help="Turn the flag off as well.")
def archive(experiments: tuple[str, ...], disable_flag: bool, terms: WriteTerms) -> int:
    """Put ended experiments away; their flags stay as they are unless said."""
    from flagtui.changes.experiments.steps import Choices
    from flagtui.cli.experiments.experiment_writes import take_step

    choices = Choices(disable_flag=disable_flag)
    return take_step("archive", experiments, lambda _fresh: choices, terms)


@_command(
    "duplicate",
    "experiments.duplicate",
    examples=("31 --flag-key checkout-twice --dry-run", "31 --flag-key checkout-twice --name Twice --yes"),
)
@EXPERIMENT_WORD
@click.option("--flag-key", required=True, metavar="KEY", help="The key of the copy's own flag.")
@click.option("--name", default="", help="Of the copy.")
def duplicate(experiment: str, flag_key: str, name: str, terms: WriteTerms) -> int:
    """Make a draft like an experiment, with a flag of its own."""
    from flagtui.changes.experiments.steps import Choices
    from flagtui.cli.experiments.experiment_writes import take_step

    def choose(fresh: Any) -> Choices:
        return Choices(flag_key=flag_key, name=name or f"{fresh.name} (Copy)"[:400])

    return take_step("duplicate", [experiment], choose, terms)


@_command(
    "copy",
    "experiments.copy_to_project",
    examples=("31 --to-project 2 --dry-run", "31 --to-project 2 --flag-key checkout-there --dry-run"),
)
@EXPERIMENT_WORD
@click.option("--to-project", "target", type=int, required=True, metavar="ID", help="Where the copy goes.")
@click.option("--flag-key", default="", metavar="KEY", help="Its flag there; the same key unless said.")
def copy(experiment: str, target: int, flag_key: str, terms: WriteTerms) -> int:
    """Copy an experiment as a draft to another project."""
    from flagtui.changes.experiments.steps import Choices
    from flagtui.cli.experiments.experiment_writes import take_step

    def choose(fresh: Any) -> Choices:
        return Choices(project=target, flag_key=flag_key or fresh.feature_flag_key)

    return take_step("copy", [experiment], choose, terms)


@_command(
    "create",
    "experiments.create",
    "flags.list",
    examples=(
        "'Shorter form' --flag-key shorter-form --dry-run",
        "'Shorter form' --flag-key shorter-form --variant control --variant short --yes",
    ),
)
@click.argument("name")
@click.option("--flag-key", required=True, metavar="KEY", help="A flag that is there, or a new one.")
@click.option("--variant", "variants", multiple=True, metavar="KEY", help="Of a new flag; equal shares.")
@click.option("--description", default="", help="What it is about.")
@FIELD
def create(
    name: str,
    flag_key: str,
    variants: tuple[str, ...],
    description: str,
    values: tuple[str, ...],
    terms: WriteTerms,
) -> int:
    """Make a draft experiment; metrics and the like as --field metrics='[…]'."""
    from flagtui.cli.experiments.experiment_writes import create_experiment
    from flagtui.cli.flags.flag_options import read_fields

    fields = {**({"description": description} if description else {}), **read_fields(values)}
    return create_experiment(name, flag_key, fields, variants, terms)


@_command(
    "edit",
    "experiments.update",
    examples=(
        "31 --field description='Once more' --dry-run",
        "31 --print",
        "31 --from experiment.json --dry-run",
    ),
)
@EXPERIMENT_WORD
@FIELD
@click.option("--from", "source", metavar="FILE", help="The JSON as --print gives it; - reads it.")
@click.option("--print", "is_printed", is_flag=True, help="Print the JSON that can be edited.")
def edit(
    experiment: str, values: tuple[str, ...], source: str | None, is_printed: bool, terms: WriteTerms
) -> int:
    """Change fields: name, description, metrics, metrics_secondary, exposure_criteria, …"""
    from flagtui.cli.experiments.experiment_writes import edit_experiment, print_experiment
    from flagtui.cli.flags.flag_options import read_fields, read_text

    if is_printed:
        return print_experiment(experiment, terms)
    if not values and source is None:
        raise click.UsageError("Say what: --field NAME=VALUE, or --from FILE.")
    text = read_text(source) if source is not None else None
    return edit_experiment(experiment, read_fields(values), text, terms)

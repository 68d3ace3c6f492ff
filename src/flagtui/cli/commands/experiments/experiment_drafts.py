"""`flagtui experiments create` and `edit`: fields, a file, or the JSON of an experiment."""

from typing import Final, TypedDict, Unpack

import click
from msgspec.structs import replace

from flagtui.changes.editor_text import Faulty
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, editable, experiment_text
from flagtui.changes.experiments.steps import Choices
from flagtui.changes.skipped import Skipped, skip_no_op
from flagtui.cli.commands.experiments.experiment_changes import carry_out_steps, experiment_command, take_step
from flagtui.cli.commands.experiments.experiment_selection import experiments_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.input_text import read_text
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import (
    FIELD,
    PRINT,
    WriteTerms,
    read_fields,
    read_fields_of_new,
    source_option,
)
from flagtui.cli.plumbing.output.lines import print_json
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import RecordSelection, only_one
from flagtui.cli.plumbing.word_types import EXPERIMENT_WORD
from flagtui.models.experiment import Experiment
from flagtui.models.record_fields import EXPERIMENT_FIELDS
from flagtui.text.formats import count

LEAST_VARIANTS: Final = 2
"""What servers ask of a flag that an experiment uses."""


UNKNOWN_EVENTS: Final = click.option(
    "--allow-unknown-events", "takes_unseen", is_flag=True, help="Measure events that were never sent, too."
)


class NewExperimentOptions(TypedDict):
    """The options as click passes them."""

    flag_key: str
    variants: tuple[str, ...]
    description: str
    values: tuple[str, ...]
    takes_unseen: bool


class ExperimentEditOptions(TypedDict):
    """The options of an edit as click passes them."""

    values: tuple[str, ...]
    source: str | None
    is_printed: bool
    takes_unseen: bool


@experiment_command(
    "create",
    "experiments.create",
    "flags.list",
    examples=(
        "'Shorter form' --flag-key shorter-form --dry-run",
        "'Shorter form' --flag-key shorter-form --variant control --variant short --yes",
    ),
)
@click.argument("name")
@ruled_option(
    "--flag-key",
    required=True,
    metavar="KEY",
    help="An existing flag, or a new key.",
    excludes=("--field feature_flag_key",),
)
@ruled_option(
    "--variant",
    "variants",
    multiple=True,
    metavar="KEY",
    help="A variant; all get equal shares.",
    excludes=("--field parameters",),
)
@ruled_option("--description", default="", help="The description.", excludes=("--field description",))
@FIELD
@UNKNOWN_EVENTS
async def create(
    session: ProjectSession, name: str, terms: WriteTerms, **given: Unpack[NewExperimentOptions]
) -> int:
    """Create a draft experiment; set metrics and more with --field metrics='[…]'."""
    flag_key, variants, about = given["flag_key"], given["variants"], given["description"]
    values = read_fields_of_new(given["values"], EXPERIMENT_FIELDS, "an experiment", "name")
    fields = {**({"description": about} if about else {}), **values}
    flag = await session.client.flags.find(flag_key)
    is_linked = flag is not None
    if flag is not None and len(flag.targeting.variants) < LEAST_VARIANTS:
        fix = f"See: {next_command('experiments', 'eligible')}; or choose another key."
        what = f"the flag {flag_key} has {count(len(flag.targeting.variants), 'variant')}"
        raise Trouble(f"{what}, and an experiment needs {LEAST_VARIANTS}.", fix, code="refused")
    if is_linked and variants:
        fix = "Leave out --variant, or choose another key."
        raise Trouble(f"the flag {flag_key} exists and has its own variants.", fix, code="usage")
    copy = ExperimentCopy.new(name, flag_key, is_linked=is_linked)
    if variants:
        shares = [{"key": key, "rollout_percentage": 0} for key in variants]
        copy.values["parameters"] = {"feature_flag_variants": shares, "rollout_percentage": 100}
        copy.distribute()
    copy.values.update(fields)
    if copy.problems:
        raise Trouble(f"{copy.problems[0]}.", code="usage")
    if (intent := copy.intent()) is None:
        raise Trouble("no change is given.", code="nothing_to_do")
    intent = replace(intent, choices=replace(intent.choices, takes_unseen=given["takes_unseen"]))
    return await carry_out_steps(session, [intent], (), terms)


@experiment_command(
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
@source_option(help="The JSON of --print; - reads stdin.")
@UNKNOWN_EVENTS
@PRINT
async def edit(
    session: ProjectSession,
    experiment: RecordSelection,
    terms: WriteTerms,
    **given: Unpack[ExperimentEditOptions],
) -> int:
    """Change fields: name, description, metrics, metrics_secondary, exposure_criteria, …"""
    values, source = given["values"], given["source"]
    if given["is_printed"]:
        return print_json(editable(only_one(await experiments_of(session, experiment), "experiment")))
    if not values and source is None:
        raise click.UsageError("Give a change: --field NAME=VALUE, or --from FILE.")
    text, fields = read_text(source), read_fields(values)

    def choose(fresh: Experiment) -> Choices | Skipped:
        values = dict(fields)
        if text is not None:
            edited = experiment_text(fresh).read(text)
            if isinstance(edited, Faulty):
                raise Trouble(f"{fresh.name}: {'; '.join(edited.reasons[:3])}.", code="usage")
            values = edited
        shown = editable(fresh)
        if unknown := [name for name in values if name not in shown]:
            raise Trouble(
                f"{unknown[0]} cannot be edited here.", f"Fields: {', '.join(shown)}.", code="usage"
            )
        changed = {name: value for name, value in values.items() if value != shown[name]}
        if not changed:
            return skip_no_op(fresh.id, fresh.name, "it has these values already")
        seen = {name: shown[name] for name in changed}
        return Choices(fields=changed, seen=seen, takes_unseen=given["takes_unseen"])

    return await take_step(session, "edit", experiment, choose, terms)

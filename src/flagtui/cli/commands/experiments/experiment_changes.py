"""`flagtui experiments …` that change: steps and drafts, planned on today's records, as the app does it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

import click

from flagtui.changes.editor_text import Faulty
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, editable, experiment_text
from flagtui.changes.experiments.step_planner import StepPlanner
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.skipped import Skipped, skip_no_op
from flagtui.cli.commands.experiments.experiment_selection import deleted_ids_of, experiments_of
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import WriteTerms, read_fields, read_text
from flagtui.cli.plumbing.output.lines import print_json
from flagtui.cli.plumbing.planning import as_staged, planning_context
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import Wanted, only_one
from flagtui.cli.plumbing.value_types import ProjectNumber
from flagtui.cli.plumbing.word_types import EXPERIMENT_WORD, EXPERIMENT_WORDS
from flagtui.models.experiment import Experiment

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
SURE: Final = ("31 --dry-run", "31 --dry-run --fields key,title")  # of what is not done in passing
Choose = Callable[[Experiment], Choices | Skipped]
"""The intended step of one experiment, or why it is skipped."""
CONCLUSIONS: Final = ("won", "lost", "inconclusive", "stopped_early", "invalid")
CONCLUSION = click.option(
    "--conclusion",
    type=click.Choice(CONCLUSIONS),
    callback=lambda _context, _option, given: given or "",
    help="The conclusion.",
)
COMMENT = click.option("--comment", default="", metavar="TEXT", help="A comment on the conclusion.")
FIELD = click.option("--field", "values", multiple=True, metavar="NAME=VALUE", help="JSON, or text as it is.")


def _command(
    name: str, *operations: str, examples: tuple[str, ...], **more: Any
) -> Callable[..., RecordCommand]:
    """Declares a command that changes experiments."""
    commands = tuple(f"experiments {name} {example}" for example in examples)
    every_operation = ("experiments.list", "experiments.get", *operations)
    if name not in ("edit", "archive", "unarchive"):
        more["never_staged"] = "it is a step that the server takes at once"
    return change_command(name, operations=every_operation, examples=commands, **more)


def _step(
    name: StepName,
    words: str,
    *operations: str,
    options: Sequence[Option] = (EXPERIMENT_WORDS,),
    examples: tuple[str, ...] = ("31 --dry-run", "31 --yes --json"),
    fill: Callable[[Choices, Experiment], Choices] = lambda choices, _fresh: choices,
) -> RecordCommand:
    """Declares a step: its options have the names of its choices, and `fill` completes them for each."""

    async def step(session: ProjectSession, terms: WriteTerms, **given: Any) -> int:
        selected = given.pop("experiments", None) or given.pop("experiment")
        choices = Choices(**given)
        return await take_step(session, name, selected, lambda fresh: fill(choices, fresh), terms)

    for option in reversed(options):
        option(step)
    return _command(name, *operations, examples=examples, help=words)(step)


launch = _step(
    "launch",
    "Launch drafts; their flags are turned on.",
    "experiments.launch",
    "experiments.requires_flag_implementation",
    "experiments.update",
)
pause = _step(
    "pause",
    "Turn the flags of running experiments off.",
    "experiments.pause",
    *("flags.dependents", "flags.list", "flags.update"),
    examples=("32 --dry-run", "32 --yes --json"),
)
resume = _step(
    "resume", "Turn the flags of paused experiments on again.", "experiments.resume", "flags.update"
)
freeze = _step(
    "freeze",
    "Freeze the exposure: flags match only users exposed so far.",
    "experiments.freeze_exposure",
    examples=SURE,
)
unfreeze = _step(
    "unfreeze", "Unfreeze the exposure: flags match new users again.", "experiments.unfreeze_exposure"
)
unarchive = _step("unarchive", "Unarchive experiments.", "experiments.unarchive")
reset = _step(
    "reset", "Reset experiments to drafts; results start from zero.", "experiments.reset", examples=SURE
)
delete = _step(
    "delete", "Soft-delete experiments; restore brings them back.", "experiments.update", examples=SURE
)
restore = _step(
    "restore",
    "Restore deleted experiments by their ids, or names that the journal knows.",
    "experiments.update",
)
cohort = _step("cohort", "Make a cohort of all exposed users.", "experiments.create_exposure_cohort")
end = _step(
    "end",
    "End experiments; variants are still served. Without a conclusion an earlier one is erased.",
    "experiments.end",
    options=(EXPERIMENT_WORDS, CONCLUSION, COMMENT),
    examples=("31 --conclusion won --comment 'ten per cent more' --dry-run", "is:running --dry-run"),
)
ship = _step(
    "ship",
    "Roll out one variant to all participants, and end the experiment.",
    "experiments.ship_variant",
    options=(
        EXPERIMENT_WORD,
        click.option("--variant", required=True, metavar="KEY", help="The variant to roll out."),
        click.option("--everyone", is_flag=True, help="Also to users whom no condition matches."),
        CONCLUSION,
        COMMENT,
    ),
    examples=("31 --variant test --dry-run", "31 --variant test --everyone --conclusion won --dry-run"),
)
archive = _step(
    "archive",
    "Archive ended experiments; their flags stay unchanged without --disable-flag.",
    "experiments.archive",
    "flags.dependents",
    options=(
        EXPERIMENT_WORDS,
        click.option("--disable-flag", is_flag=True, help="Turn the flag off as well."),
    ),
    examples=("is:stopped --dry-run", "16 --disable-flag --dry-run"),
)
duplicate = _step(
    "duplicate",
    "Make a draft like an experiment, with a flag of its own.",
    "experiments.duplicate",
    options=(
        EXPERIMENT_WORD,
        click.option("--flag-key", required=True, metavar="KEY", help="The key of the copy's own flag."),
        click.option("--name", default="", help="The name of the copy."),
    ),
    examples=("31 --flag-key checkout-twice --dry-run", "31 --flag-key checkout-twice --name Twice --yes"),
    fill=lambda choices, fresh: replace(choices, name=choices.name or f"{fresh.name} (Copy)"[:400]),
)


@_command(
    "copy",
    "experiments.copy_to_project",
    examples=("31 --to-project 2 --dry-run", "31 --to-project 2 --flag-key checkout-there --dry-run"),
)
@EXPERIMENT_WORD
@click.option(
    "--to-project", "target", type=ProjectNumber(), required=True, metavar="ID", help="Where the copy goes."
)
@click.option("--flag-key", default="", metavar="KEY", help="Its flag there; default: the same key.")
async def copy(
    session: ProjectSession, experiment: Wanted, target: int, flag_key: str, terms: WriteTerms
) -> int:
    """Copy an experiment as a draft to another project."""

    def choose(fresh: Any) -> Choices:
        return Choices(project=target, flag_key=flag_key or fresh.feature_flag_key)

    return await take_step(session, "copy", experiment, choose, terms)


class NewExperimentOptions(TypedDict):
    """The options as click passes them."""

    flag_key: str
    variants: tuple[str, ...]
    description: str
    values: tuple[str, ...]


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
@click.option("--flag-key", required=True, metavar="KEY", help="An existing flag, or a new key.")
@click.option("--variant", "variants", multiple=True, metavar="KEY", help="A variant; all get equal shares.")
@click.option("--description", default="", help="The description.")
@FIELD
async def create(
    session: ProjectSession, name: str, terms: WriteTerms, **given: Unpack[NewExperimentOptions]
) -> int:
    """Make a draft experiment; set metrics and more with --field metrics='[…]'."""
    flag_key, variants, about = given["flag_key"], given["variants"], given["description"]
    fields = {**({"description": about} if about else {}), **read_fields(given["values"])}
    is_linked = await session.client.flags.find(flag_key) is not None
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
    return await _carry_out(session, [intent], (), terms)


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
@click.option(
    "--from", "source", metavar="FILE", type=click.Path(), help="The JSON of --print; - reads stdin."
)
@click.option("--print", "is_printed", is_flag=True, help="Print the JSON that can be edited.")
async def edit(
    session: ProjectSession,
    experiment: Wanted,
    values: tuple[str, ...],
    source: str | None,
    is_printed: bool,
    terms: WriteTerms,
) -> int:
    """Change fields: name, description, metrics, metrics_secondary, exposure_criteria, …"""
    if is_printed:
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
            values = {**edited, **values}
        shown = editable(fresh)
        if unknown := [name for name in values if name not in shown]:
            raise Trouble(
                f"{unknown[0]} cannot be edited here.", f"Fields: {', '.join(shown)}.", code="usage"
            )
        changed = {name: value for name, value in values.items() if value != shown[name]}
        if not changed:
            return skip_no_op(fresh.id, fresh.name, "it has these values already")
        return Choices(fields=changed, seen={name: shown[name] for name in changed})

    return await take_step(session, "edit", experiment, choose, terms)


async def take_step(
    session: ProjectSession, name: StepName, wanted: Wanted, choose: Choose, terms: WriteTerms
) -> int:
    """Take the step for every selected experiment and return the exit code. Raises Trouble."""
    step = STEPS[name]
    if name == "restore":
        intents = [ExperimentIntent(id, step) for id in deleted_ids_of(session, wanted)]
        return await _carry_out(session, intents, (), terms)
    fresh = as_staged(session, terms, await experiments_of(session, wanted))
    choices = [(experiment.id, choose(experiment)) for experiment in fresh]
    intents = [ExperimentIntent(id, step, choice) for id, choice in choices if isinstance(choice, Choices)]
    skipped = [choice for _, choice in choices if isinstance(choice, Skipped)]
    return await _carry_out(session, intents, fresh, terms, skipped)


async def _carry_out(
    session: ProjectSession,
    intents: Sequence[ExperimentIntent],
    fresh: Sequence[Experiment],
    terms: WriteTerms,
    skipped: Sequence[Skipped] = (),
) -> int:
    context = planning_context(session, terms)
    planned = await StepPlanner(context, {each.id: each for each in fresh}).plan(intents)
    return await carry_out(replace(planned, skipped=(*skipped, *planned.skipped)), session, terms)

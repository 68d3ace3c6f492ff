"""`flagtui experiments …` that change: steps and drafts, planned on today's records, as the app does it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import click
from msgspec.structs import replace

from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_planner import StepPlanner
from flagtui.changes.experiments.step_refusals import foresee_refusal, row_would_change
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.skipped import Skipped
from flagtui.cli.commands.experiments.experiment_selection import deleted_experiments, experiments_of
from flagtui.cli.plumbing.bulk_reader import BulkReader
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.project_names import find_project
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import RecordSelection
from flagtui.cli.plumbing.session_context import as_staged, planning_context
from flagtui.cli.plumbing.value_types import ProjectId
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


def experiment_command(
    name: str, *operations: str, examples: tuple[str, ...], **more: Any
) -> Callable[..., RecordCommand]:
    """Declare a command that changes experiments."""
    every_operation = ("experiments.list", "experiments.get", *operations)
    if name not in ("edit", "archive", "unarchive"):
        more["never_staged"] = "it is a step that the server takes at once"
    return change_command(name, operations=every_operation, examples=examples, **more)


def _step(
    name: StepName,
    words: str,
    *operations: str,
    options: Sequence[Option] = (EXPERIMENT_WORDS,),
    examples: tuple[str, ...] = ("31 --dry-run", "31 --yes --json"),
    fill: Callable[[Choices, Experiment], Choices] = lambda choices, _fresh: choices,
) -> RecordCommand:
    """Declare a step; its options are named as its choices, and `fill` completes them for each record."""

    async def step(session: ProjectSession, terms: WriteTerms, **given: Any) -> int:
        selected = given.pop("experiments", None) or given.pop("experiment")
        choices = Choices(**given)
        return await take_step(session, name, selected, lambda fresh: fill(choices, fresh), terms)

    for option in reversed(options):
        option(step)
    return experiment_command(name, *operations, examples=examples, help=words)(step)


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
cohort = _step("cohort", "Create a cohort of all exposed users.", "experiments.create_exposure_cohort")
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
    "Create a draft like an experiment, with a flag of its own.",
    "experiments.duplicate",
    options=(
        EXPERIMENT_WORD,
        click.option("--flag-key", required=True, metavar="KEY", help="The key of the copy's own flag."),
        click.option("--name", default="", help="The name of the copy."),
    ),
    examples=("31 --flag-key checkout-twice --dry-run", "31 --flag-key checkout-twice --name Twice --yes"),
    fill=lambda choices, fresh: replace(choices, name=choices.name or f"{fresh.name} (Copy)"[:400]),
)


@experiment_command(
    "copy",
    "experiments.copy_to_project",
    examples=("31 --to-project 2 --dry-run", "31 --to-project 2 --flag-key checkout-there --dry-run"),
)
@EXPERIMENT_WORD
@click.option(
    "--to-project", "target", type=ProjectId(), required=True, metavar="PROJECT", help="Where the copy goes."
)
@click.option("--flag-key", default="", metavar="KEY", help="Its flag there; default: the same key.")
async def copy(
    session: ProjectSession, experiment: RecordSelection, target: str, flag_key: str, terms: WriteTerms
) -> int:
    """Copy an experiment as a draft to another project."""
    project = await find_project(session.client, target)

    def choose(fresh: Any) -> Choices:
        return Choices(project=project, flag_key=flag_key or fresh.feature_flag_key)

    return await take_step(session, "copy", experiment, choose, terms)


async def take_step(
    session: ProjectSession, name: StepName, selection: RecordSelection, choose: Choose, terms: WriteTerms
) -> int:
    """Take the step for every selected experiment and return the exit code. Raises Trouble."""
    step = STEPS[name]
    if name == "restore":
        deleted = deleted_experiments(session, selection)
        intents = [ExperimentIntent(id, step, Choices(name=name)) for id, name in deleted.items()]
        return await carry_out_steps(session, intents, (), terms)

    def experiment_would_change(experiment: Experiment) -> bool:
        choice = choose(experiment)
        return isinstance(choice, Choices) and foresee_refusal(experiment, step, choice) is None

    bulk = BulkReader(
        session, terms, ExperimentPlan.noun, experiment_would_change, lambda row: row_would_change(row, step)
    )
    given: Sequence[tuple[str, int]] = ()
    if terms.agreement.stage:
        # Loading what stages would delay every other change.
        from flagtui.cli.plumbing.staging import staged_experiment_names

        given = staged_experiment_names(session)
    fresh = as_staged(session, terms, await experiments_of(session, selection, bulk, given))
    choices = [(experiment.id, choose(experiment)) for experiment in fresh]
    intents = [ExperimentIntent(id, step, choice) for id, choice in choices if isinstance(choice, Choices)]
    skipped = [choice for _, choice in choices if isinstance(choice, Skipped)]
    return await carry_out_steps(session, intents, fresh, terms, skipped)


async def carry_out_steps(
    session: ProjectSession,
    intents: Sequence[ExperimentIntent],
    fresh: Sequence[Experiment],
    terms: WriteTerms,
    skipped: Sequence[Skipped] = (),
) -> int:
    context = planning_context(session, terms)
    planned = await StepPlanner(context, {each.id: each for each in fresh}).plan(intents)
    return await carry_out(replace(planned, skipped=(*skipped, *planned.skipped)), session, terms)

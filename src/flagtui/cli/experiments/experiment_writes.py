"""Steps of experiments from the command line: planned on today's records, taken as the app takes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from flagtui.changes.draft import Faulty
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, editable, experiment_text
from flagtui.changes.experiments.step_plan import ExperimentPlan, gather_for_step, plan_step
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.proposal import LeftOut
from flagtui.cli.agreement import PlannedChange, carry_out
from flagtui.cli.errors import Trouble
from flagtui.cli.experiments.experiment_selection import experiments_of, ids_of
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import print_json
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.row_source import EXPERIMENTS, FLAGS
from flagtui.cli.selection import only_one, read_words
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

Choose = Callable[[Experiment], Choices]
"""What the options choose for one experiment."""


def take_step(name: StepName, words: Sequence[str], choose: Choose, terms: WriteTerms) -> int:
    """The step for every experiment the words mean; the exit code. Raises Trouble."""
    wanted = read_words(words, EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> int:
        if name == "restore":
            # Deleted ones cannot be read, only brought back by their number.
            if any(not word.isdigit() for word in wanted.names) or wanted.queries:
                raise Trouble("deleted experiments are in no list.", "Name their ids.", code="usage")
            ids = await ids_of(session, wanted)
            fresh = [Experiment.of({"id": id, "name": f"experiment {id}", "deleted": True}) for id in ids]
        else:
            fresh = await experiments_of(session, wanted)
        intents = [(one, ExperimentIntent(one.id, STEPS[name], choose(one))) for one in fresh]
        return await carry_out(await plan_steps(session, intents), session, terms)

    return in_project(terms.place, work)


def create_experiment(
    name: str, flag_key: str, fields: Mapping[str, JSON], variants: Sequence[str], terms: WriteTerms
) -> int:
    """A new draft, on a flag that is there or one made with it; the exit code. Raises Trouble."""

    async def work(session: ProjectSession) -> int:
        is_linked = await session.client.flags.find(flag_key) is not None
        if is_linked and variants:
            fix = "Leave out --variant, or choose another key."
            raise Trouble(f"the flag {flag_key} is there and has variants of its own.", fix, code="usage")
        copy = ExperimentCopy.new(name, flag_key, is_linked=is_linked)
        if variants:
            shares = [{"key": key, "rollout_percentage": 0} for key in variants]
            copy.values["parameters"] = {"feature_flag_variants": shares, "rollout_percentage": 100}
            copy.distribute()
        copy.values.update(fields)
        if copy.problems:
            raise Trouble(f"{copy.problems[0]}.", code="usage")
        intent = copy.intent()
        if intent is None:
            raise Trouble("nothing is asked for.", code="nothing_to_do")
        fresh = Experiment.of({"id": 0, "name": name, "feature_flag_key": flag_key})
        return await carry_out(await plan_steps(session, [(fresh, intent)]), session, terms)

    return in_project(terms.place, work)


def edit_experiment(word: str, fields: Mapping[str, JSON], text: str | None, terms: WriteTerms) -> int:
    """Fields with new values; the exit code. Raises Trouble."""

    def choose(fresh: Experiment) -> Choices:
        wanted = dict(fields)
        if text is not None:
            found = experiment_text(fresh).read(text)
            if isinstance(found, Faulty):
                raise Trouble(f"{fresh.name}: {'; '.join(found.reasons[:3])}.", code="usage")
            wanted = {**found, **wanted}
        known = editable(fresh)
        if unknown := [name for name in wanted if name not in known]:
            fix = f"Fields: {', '.join(known)}."
            raise Trouble(f"{unknown[0]} cannot be edited here.", fix, code="usage")
        changed = {name: value for name, value in wanted.items() if value != known[name]}
        if not changed:
            raise Trouble(
                f"{fresh.name}: it says what is there already; nothing was sent.", code="nothing_to_do"
            )
        return Choices(fields=changed, seen={name: known[name] for name in changed})

    return take_step("edit", [word], choose, terms)


def print_experiment(word: str, terms: WriteTerms) -> int:
    """The JSON that `--from` takes. Raises Trouble."""
    wanted = read_words([word], EXPERIMENTS.is_query)
    found = in_project(terms.place, lambda session: experiments_of(session, wanted))
    return print_json(editable(only_one(found, "experiment")))


async def plan_steps(
    session: ProjectSession, intents: Sequence[tuple[Experiment, ExperimentIntent]]
) -> PlannedChange[ExperimentPlan]:
    """The plans for experiments that were just read. Raises ApiError."""
    needs_flags = any(
        intent.step.name in ("pause", "create", "duplicate") or intent.choices.disable_flag
        for _one, intent in intents
    )
    rows: Sequence[FlagRow] = await FLAGS.every(session) if needs_flags else ()
    plans: list[ExperimentPlan] = []
    left_out: list[LeftOut] = []
    for fresh, intent in intents:
        context = replace(await gather_for_step(intent, fresh, session.client, rows), now=session.now)
        plan = plan_step(intent, fresh, context)
        if isinstance(plan, Blocked):
            left_out.append(LeftOut(fresh.id, fresh.name, plan.reason, plan.next))
        else:
            plans.append(plan)
    client = session.client
    adapter = StepAdapter(client.experiments, lambda project: client.for_project(project).experiments)
    return PlannedChange(plans, adapter, left_out)

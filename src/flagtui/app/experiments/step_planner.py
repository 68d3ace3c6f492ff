"""Steps of experiments from what was chosen to plans, on each experiment as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.writing.planner import ExperimentRows, NotPlanned, Planned, Planner, each, together
from flagtui.changes.experiments.step_plan import ExperimentPlan, gather_for_step, plan_step
from flagtui.changes.experiments.step_save import StepAdapter, StepOutcome
from flagtui.changes.experiments.steps import ExperimentIntent, StepName
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.models.experiment import Experiment
from flagtui.store.kinds import Kind
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count

MADE_HERE: Final[frozenset[StepName]] = frozenset({"create", "duplicate", "restore"})
"""Steps after which there is an experiment more in the list."""


@dataclass(frozen=True)
class RequestedStep:
    """A step with everything chosen for it."""

    intent: ExperimentIntent
    fresh: Experiment
    """As it was read for the choices; a second question reads it again."""
    leading: str = ""
    """What its first metric shows so far."""


@dataclass
class StepPlanner(Planner[RequestedStep, ExperimentPlan, Experiment]):
    """Plans steps in one project."""

    kind: Kind = "experiments"
    _is_again: bool = field(default=False, init=False)

    def adapter(self) -> StepAdapter:
        client = self.workspace.client
        return StepAdapter(client.experiments, lambda project: client.for_project(project).experiments)

    def rows(self) -> ExperimentRows:
        return ExperimentRows(self.workspace)

    def made(self, outcome: StepOutcome) -> int | None:
        is_new = outcome.plan.step.name in MADE_HERE
        return outcome.record.id if is_new and outcome.record is not None else None

    def name_of(self, asked: Sequence[RequestedStep]) -> str:
        return asked[0].fresh.name if len(asked) == 1 else count(len(asked), "experiment")

    async def plan(self, asked: Sequence[RequestedStep]) -> Planned[RequestedStep, ExperimentPlan]:
        """What each step means for its experiment."""
        found = await each(asked, self._plan)
        self._is_again = True
        return together(found)

    async def _plan(self, asked: RequestedStep) -> ExperimentPlan | NotPlanned:
        intent, fresh = asked.intent, asked.fresh
        if self._is_again and intent.id:
            try:
                fresh = await read_experiment(intent.id, self.workspace)
            except ApiError as error:
                return NotPlanned(fresh.id, fresh.name, error)
        context = await gather_for_step(intent, fresh, self.workspace.client, self.workspace.flags.rows)
        context = replace(context, now=self.app_state.session.clock(), leading=asked.leading)
        plan = plan_step(intent, fresh, context)
        return NotPlanned(fresh.id, fresh.name, plan) if isinstance(plan, Blocked) else plan


async def read_experiment(id: int, workspace: Workspace) -> Experiment:
    """The experiment as it is now, which its list then shows too. Raises ApiError."""
    asked = workspace.experiments.moment
    try:
        fresh = await workspace.client.experiments.get(id)
    except NotFound:
        workspace.experiments.remove(id)
        raise
    workspace.experiments.put(fresh.row(), asked)
    return fresh

"""Steps of experiments from what was chosen to plans, on each experiment as it is now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.optimistic_rows import ExperimentRows
from flagtui.app.writing.planner import Planned, PlannedStep
from flagtui.changes.experiments.step_plan import ExperimentPlan, gather_for_step, plan_step
from flagtui.changes.experiments.step_save import StepAdapter, StepOutcome
from flagtui.changes.experiments.steps import ExperimentIntent, StepName
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.journal_entries import Signature
from flagtui.changes.left_out import LeftOut
from flagtui.models.experiment import Experiment
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_blocked, explain_error

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
class StepPlanner:
    """Plans steps in one project."""

    app_state: AppState
    workspace: Workspace
    kind: Literal["experiments"] = "experiments"
    place: str = ""
    _is_again: bool = field(default=False, init=False)

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self.workspace)

    def adapter(self) -> StepAdapter:
        client = self.workspace.client
        return StepAdapter(client.experiments, lambda project: client.for_project(project).experiments)

    def rows(self) -> ExperimentRows:
        return ExperimentRows(self.workspace)

    def record_of(self, plan: ExperimentPlan) -> int:
        return plan.id

    def made(self, outcome: StepOutcome) -> int | None:
        is_new = outcome.plan.step.name in MADE_HERE
        return outcome.record.id if is_new and outcome.record is not None else None

    def name_of(self, asked: Sequence[RequestedStep]) -> str:
        return asked[0].fresh.name if len(asked) == 1 else count(len(asked), "experiment")

    async def plan(self, asked: Sequence[RequestedStep]) -> Planned[RequestedStep, ExperimentPlan]:
        """What each step means for its experiment."""
        found = list(zip(asked, await asyncio.gather(*map(self._plan, asked)), strict=True))
        self._is_again = True
        if len(asked) == 1 and not isinstance(why := found[0][1], ExperimentPlan):
            name = asked[0].fresh.name
            if isinstance(why, Blocked):
                return Planned(notice=explain_blocked(why, name))
            return Planned(notice=explain_error(why, name), refused=why)
        steps = [PlannedStep(one, plan) for one, plan in found if isinstance(plan, ExperimentPlan)]
        left_out = [_left_out(one.fresh, why) for one, why in found if not isinstance(why, ExperimentPlan)]
        refused = next((why for _, why in found if isinstance(why, ApiError)), None)
        return Planned(steps, left_out, refused=refused)

    async def _plan(self, asked: RequestedStep) -> ExperimentPlan | Blocked | ApiError:
        intent, fresh = asked.intent, asked.fresh
        if self._is_again and intent.id:
            try:
                fresh = await read_experiment(intent.id, self.workspace)
            except ApiError as error:
                return error
        context = await gather_for_step(intent, fresh, self.workspace.client, self.workspace.flags.rows)
        context = replace(context, now=self.app_state.session.clock(), leading=asked.leading)
        return plan_step(intent, fresh, context)


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


def _left_out(fresh: Experiment, why: Blocked | ApiError) -> LeftOut:
    if isinstance(why, Blocked):
        return LeftOut(fresh.id, fresh.name, why.reason, why.next)
    return LeftOut(fresh.id, fresh.name, why.what.rstrip("."), why.next.rstrip("."))

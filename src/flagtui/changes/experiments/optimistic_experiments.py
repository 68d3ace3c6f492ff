"""Optimistic updates of the list of experiments."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from flagtui.api.errors import ApiError
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepOutcome
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.models.experiment import Experiment
from flagtui.store.kinds import EXPERIMENTS


class ExperimentRows(OptimisticRows[ExperimentPlan, Experiment]):
    """The list of experiments, and that of their flags."""

    kind = EXPERIMENTS.plural
    is_listed = True

    def showing(self, plan: ExperimentPlan) -> AbstractContextManager[None]:
        """Mark the row as pending without new values: the server decides what a step changes."""
        return self.workspace.experiments.showing(plan.id, {}) if plan.id else nullcontext()

    async def refresh(self, outcome: StepOutcome) -> None:
        workspace, record, step = self.workspace, outcome.record, outcome.plan.step.name
        flags = (each.feature_flag for each in (outcome.plan.fresh, record) if each is not None)
        # The details of a flag name its experiments and whether they run.
        self.outdated |= {flag.id for flag in flags if flag is not None}
        if outcome.is_saved and step == "delete":
            workspace.experiments.remove(outcome.plan.id)
            return
        if record is None or step == "copy":
            return
        workspace.experiments.put(record.row(), is_own=outcome.is_saved)
        if not outcome.is_saved or record.feature_flag is None:
            return
        moment = workspace.flags.moment
        try:
            flag = await workspace.client.flags.get(record.feature_flag.id)
        except ApiError:
            # The next poll of the list of flags will bring it.
            return
        workspace.flags.put(flag.row(), moment, is_own=True)

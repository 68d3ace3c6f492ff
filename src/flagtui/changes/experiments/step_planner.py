"""Plan steps of experiments on the current experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError, NotFound
from flagtui.api.heavy_work import off_loop
from flagtui.changes.experiments.experiment_fields import events_in
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.changes.experiments.step_plan import ExperimentPlan, gather_for_step, plan_step
from flagtui.changes.experiments.step_refusals import NO_OP
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import Choices, ExperimentIntent, trim_choices
from flagtui.changes.planner import Planned, Planner, collect, read_each
from flagtui.changes.skipped import Blocked, Skipped, skip
from flagtui.models.experiment import Experiment

MOST_EVENTS: Final = 20
"""The most new events of one edit that are looked up."""


class StepPlanner(Planner[ExperimentIntent, ExperimentPlan, Experiment]):
    """Plans steps in one project."""

    kind = "experiments"
    noun = "experiment"

    def name(self, request: ExperimentIntent) -> str:
        fresh = self.fresh.get(request.id)
        return fresh.name if fresh is not None else self.context.name("experiments", request.id)

    async def plan(self, requests: Sequence[ExperimentIntent]) -> Planned[ExperimentIntent, ExperimentPlan]:
        client = self.context.client
        adapter = StepAdapter(client.experiments, lambda project: client.for_project(project).experiments)
        return collect(adapter, await read_each(requests, self._plan))

    async def _plan(self, intent: ExperimentIntent) -> ExperimentPlan | Skipped:
        context, choices = self.context, trim_choices(intent.choices)
        intent = replace(intent, choices=choices)
        fresh = self.fresh.pop(intent.id, None)
        try:
            fresh = fresh or await self._read(intent)
        except ApiError as error:
            return skip(intent.id, context.name("experiments", intent.id), error)
        if choices.takes_unseen or not context.uncounted:
            choices = replace(choices, unseen=await self._find_unseen(choices, fresh))
            intent = replace(intent, choices=choices)
        step_context = await gather_for_step(intent, fresh, context.client)
        step_context = replace(step_context, now=context.clock.time(), leading=intent.leading)
        plan = await off_loop(lambda: plan_step(intent, fresh, step_context), fresh.raw)
        if not isinstance(plan, Blocked):
            return plan
        # With choices, such as a conclusion, the step would change more than the state.
        is_no_op = plan.code == NO_OP and (intent.step.name == "restore" or choices == Choices())
        skipped = skip(fresh.id, fresh.name, plan)
        return replace(skipped, next="", is_no_op=True) if is_no_op else skipped

    async def _read(self, intent: ExperimentIntent) -> Experiment:
        """Return the current experiment; a new or a deleted one cannot be read. Raises ApiError."""
        if intent.step.name == "create":
            return unread_experiment(intent)
        try:
            return await self.context.read_experiment(intent.id)
        except NotFound:
            if intent.step.name != "restore":
                raise
            return unread_experiment(intent)

    async def _find_unseen(self, choices: Choices, fresh: Experiment) -> tuple[str, ...]:
        """Return the new events of an edit's metrics that were never sent; servers refuse them unasked."""
        if not (events := events_in(choices.fields)):
            return ()
        new = sorted(events - {*events_measured(fresh)})[:MOST_EVENTS]
        return tuple([event for event in new if not await self.context.has_event(event)])


def unread_experiment(intent: ExperimentIntent) -> Experiment:
    """Return the experiment of a step that creates it, or restores it by its number."""
    choices = intent.choices
    return Experiment.of(
        {
            "id": intent.id,
            "name": choices.name or f"experiment {intent.id}",
            "feature_flag_key": choices.flag_key,
            "deleted": intent.step.name == "restore",
        }
    )

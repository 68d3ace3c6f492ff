"""One step for several experiments: confirmed together, taken one after the other."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.experiments.experiment_steps import ExperimentSteps, gather
from flagtui.app.experiments.step_choices import StepQuestions
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.listener import Saved
from flagtui.app.writing.result_lines import count_results, step_results
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.step_refusals import foresee_refusal
from flagtui.changes.experiments.step_save import StepEnded, save_steps
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.guard import Approved
from flagtui.changes.left_out import LeftOut
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice

TOGETHER: Final[frozenset[StepName]] = frozenset(
    {"launch", "pause", "resume", "end", "archive", "unarchive", "reset", "cohort", "delete"}
)
"""Steps that need no choice of their own for each experiment."""
AT_ONCE: Final = 8
"""Experiments read again at the same time for one question."""
Wanted = tuple[Workspace, Step, Choices]
"""What is to become of all of them, and where."""


class ExperimentBatch:
    """Begins steps for many; each is sent on its own."""

    def __init__(self, app_state: AppState, experimenting: ExperimentSteps) -> None:
        self._app_state = app_state
        self._experimenting = experimenting
        self._changing = experimenting.changing
        self._questions = StepQuestions(experimenting.changing)

    def start(self, name: StepName, rows: Sequence[ExperimentRow], saved: Saved) -> None:
        """Begin the path; `saved` hears which of them took the step."""
        self._changing.run(self._take_steps(STEPS[name], rows, saved))

    async def _take_steps(self, step: Step, rows: Sequence[ExperimentRow], saved: Saved) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            self._changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        if self._experimenting.is_read_only():
            return
        turn = asyncio.Semaphore(AT_ONCE)

        async def look(row: ExperimentRow) -> Experiment | LeftOut:
            async with turn:
                return await self._look(step, row, workspace)

        looked = await asyncio.gather(*map(look, rows))
        fresh = [one for one in looked if isinstance(one, Experiment)]
        choices = await self._questions.choose_for_many(step, fresh) if fresh else Choices()
        if choices is None:
            return
        planned = [await self._plan(one, (workspace, step, choices)) for one in fresh]
        plans = [one for one in planned if isinstance(one, ExperimentPlan)]
        left_out = [one for one in (*looked, *planned) if isinstance(one, LeftOut)]
        agreeing = Approval[ExperimentPlan](self._app_state, self._changing, "experiments", left_out)
        ended: Sequence[StepEnded] = ()
        if plans:
            approved = await agreeing.agree(plans)
            if approved is None:
                return
            ended = await self._changing.see_through(self._save(approved, workspace))
            saved([one.plan.id for one in ended if one.ending == "saved"])
        results = [*step_results(ended, plans)]
        refused = next((one.error for one in ended if needs_key(one.error)), None)
        if await self._experimenting.signs_in(refused) or await agreeing.tell(results):
            again = {result.id for result in results if result.can_try_again}
            await self._take_steps(step, [row for row in rows if row.id in again], saved)

    async def _look(self, step: Step, row: ExperimentRow, workspace: Workspace) -> Experiment | LeftOut:
        """The experiment as it is now, or why it cannot take the step whatever is chosen."""
        asked = workspace.experiments.moment
        try:
            fresh = await workspace.client.experiments.get(row.id)
        except ApiError as error:
            if await self._experimenting.signs_in(error):
                return await self._look(step, row, workspace)
            if isinstance(error, NotFound):
                workspace.experiments.remove(row.id)
            return LeftOut(row.id, row.name, error.what.rstrip("."), error.next.rstrip("."))
        workspace.experiments.put(fresh.row(), asked)
        refusal = foresee_refusal(fresh, step, Choices())
        return fresh if refusal is None else _left_out(fresh, refusal)

    async def _plan(self, fresh: Experiment, wanted: Wanted) -> ExperimentPlan | LeftOut:
        workspace, step, choices = wanted
        intent = ExperimentIntent(fresh.id, step, choices)
        context = await gather(intent, fresh, workspace)
        plan = plan_step(intent, fresh, replace(context, now=self._app_state.session.clock()))
        return _left_out(fresh, plan) if isinstance(plan, Blocked) else plan

    async def _save(self, approved: Approved[ExperimentPlan], workspace: Workspace) -> list[StepEnded]:
        ended = []
        async for one in save_steps(approved, self._experimenting.save_context(workspace)):
            await self._experimenting.settle(one, workspace)
            ended.append(one)
        self._app_state.tell()
        counted = count_results([*step_results(ended, approved.plans)])
        is_clean = all(one.ending == "saved" for one in ended) and len(ended) == len(approved.plans)
        can_undo = any(one.ending == "saved" and one.plan.verb.undo for one in ended)
        back = "\nu takes them back, one after the other" if can_undo else ""
        self._changing.tell(Notice(f"{counted}{back}", "information" if is_clean else "warning"))
        return ended


def _left_out(fresh: Experiment, why: Blocked) -> LeftOut:
    return LeftOut(fresh.id, fresh.name, why.reason, why.next)

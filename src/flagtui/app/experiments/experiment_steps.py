"""Steps of experiments: read again, choose what is meant, then the pipeline of all changes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.experiments.step_choices import StepQuestions
from flagtui.app.experiments.step_planner import RequestedStep, StepPlanner, read_experiment
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.screens import Listener, Saved, unheard
from flagtui.changes import guard
from flagtui.changes.experiments.step_refusals import foresee_refusal
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.proposal import LeftOut
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_blocked, explain_error, explain_refusal

TOGETHER: Final[frozenset[StepName]] = frozenset(
    {"launch", "pause", "resume", "end", "archive", "unarchive", "reset", "cohort", "delete"}
)
"""Steps that need no choice of their own for each experiment."""
AT_ONCE: Final = 8
"""Experiments read again at the same time for one question."""


class ExperimentSteps:
    """Begins steps; those for several experiments are confirmed together and sent one after the other."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self.changing = changing
        self._questions = StepQuestions(changing)

    def start(
        self,
        name: StepName,
        rows: Sequence[ExperimentRow],
        leading: str = "",
        saved: Saved = unheard,
    ) -> None:
        """Begin the path; `leading` says what the first metric of one experiment shows so far."""
        if rows:
            self.changing.run(self.take_step(STEPS[name], rows, leading, saved))

    async def take_step(
        self, step: Step, rows: Sequence[ExperimentRow], leading: str = "", saved: Saved = unheard
    ) -> None:
        """The whole path of a step. Only within a change that was begun."""
        if (workspace := self.changing.open_workspace()) is None:
            return
        if self.is_read_only():
            return
        fresh, left_out = await self._read_all(step, rows, workspace)
        choices = await self._choose(step, fresh, is_alone=len(rows) == 1) if fresh else None
        if choices is None and (fresh or not left_out):
            return
        steps = [
            RequestedStep(ExperimentIntent(one.id, step, choices or Choices()), one, leading) for one in fresh
        ]
        listener = Listener(saved, left_out=left_out)
        await self.changing.write(steps, StepPlanner(self._app_state, workspace), listener)

    async def take(
        self,
        intent: ExperimentIntent,
        fresh: Experiment,
        workspace: Workspace,
        saved: Callable[[], None] = lambda: None,
    ) -> None:
        """Say what a step means whose choices were made elsewhere, ask, and take it. Only within a worker."""
        listener = Listener(saved=lambda ids: saved() if ids else None)
        planner = StepPlanner(self._app_state, workspace)
        await self.changing.write([RequestedStep(intent, fresh)], planner, listener)

    async def read(self, id: int, name: str, workspace: Workspace) -> Experiment | None:
        """The experiment as it is now; None, once that was said, when it cannot be read."""
        try:
            with self.changing.reading(name):
                return await read_experiment(id, workspace)
        except ApiError as error:
            if await self.changing.signing_in.helps(error):
                return await self.read(id, name, workspace)
            self.changing.tell(explain_error(error, name))
            return None

    def is_read_only(self) -> bool:
        """Whether nothing can be written here, which is said then."""
        if self._app_state.session.rules.level is not guard.Level.READ_ONLY:
            return False
        self.changing.tell(explain_refusal(guard.GuardRefused("this profile is read-only")))
        return True

    async def _read_all(
        self, step: Step, rows: Sequence[ExperimentRow], workspace: Workspace
    ) -> tuple[list[Experiment], list[LeftOut]]:
        """Experiments that may be able to take the step; of one alone it is told why it cannot."""
        if len(rows) == 1:
            fresh = await self.read(rows[0].id, rows[0].name, workspace)
            return ([] if fresh is None or self._is_refused(step, fresh) else [fresh]), []
        turn = asyncio.Semaphore(AT_ONCE)

        async def look(row: ExperimentRow) -> Experiment | LeftOut:
            async with turn:
                return await self._look(step, row, workspace)

        with self.changing.reading(count(len(rows), "experiment")):
            looked = await asyncio.gather(*map(look, rows))
        fresh_ones = [one for one in looked if isinstance(one, Experiment)]
        return fresh_ones, [one for one in looked if isinstance(one, LeftOut)]

    async def _look(self, step: Step, row: ExperimentRow, workspace: Workspace) -> Experiment | LeftOut:
        try:
            fresh = await read_experiment(row.id, workspace)
        except ApiError as error:
            if await self.changing.signing_in.helps(error):
                return await self._look(step, row, workspace)
            return LeftOut(row.id, row.name, error.what.rstrip("."), error.next.rstrip("."))
        refusal = foresee_refusal(fresh, step, Choices())
        return fresh if refusal is None else LeftOut(fresh.id, fresh.name, refusal.reason, refusal.next)

    async def _choose(self, step: Step, fresh: Sequence[Experiment], *, is_alone: bool) -> Choices | None:
        if is_alone:
            return await self._questions.choose(step, fresh[0])
        return await self._questions.choose_for_many(step, fresh)

    def _is_refused(self, step: Step, fresh: Experiment) -> bool:
        """Whether the step cannot be taken whatever is chosen: nothing is asked for nothing."""
        if step.name in ("ship", "duplicate"):
            variant = next((one.key for one in fresh.variants), "")
            probe = Choices(variant=variant, flag_key=f"{fresh.feature_flag_key}-"[:400])
        else:
            probe = Choices()
        refusal = foresee_refusal(fresh, step, probe)
        if refusal is not None:
            self.changing.tell(explain_blocked(refusal, fresh.name))
        return refusal is not None

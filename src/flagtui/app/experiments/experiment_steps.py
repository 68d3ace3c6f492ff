"""Steps of experiments: choose what is meant, read again, plan, guard, ask, save, report."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.experiments.step_choices import StepQuestions
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.unresolved import Unresolved
from flagtui.changes import guard
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.step_refusals import foresee_refusal
from flagtui.changes.experiments.step_save import StepEnded, StepSaveContext, save_step
from flagtui.changes.experiments.step_surroundings import gather_for_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, Step, StepName
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice
from flagtui.text.outcomes import explain_blocked, explain_error, explain_refusal

MADE_HERE: Final = ("create", "duplicate", "restore")
"""Steps after which there is an experiment more in the list."""


def _nobody_waits() -> None:
    """For steps that no form waits for."""


class ExperimentSteps:
    """Begins steps for experiments; each is confirmed and sent on its own."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self.changing = changing
        self._questions = StepQuestions(changing)
        self._unresolved = Unresolved(app_state)

    def start(
        self, name: StepName, row: ExperimentRow, leading: str = "", saved: Callable[[], None] = _nobody_waits
    ) -> None:
        """Begin the path; `leading` says what the first metric shows so far, `saved` hears of the end."""
        self.changing.run(self.take_step(STEPS[name], row, leading, saved))

    async def take_step(
        self,
        step: Step,
        row: ExperimentRow,
        leading: str = "",
        saved: Callable[[], None] = _nobody_waits,
    ) -> None:
        """The whole path of one step. Only within a change that was begun."""
        workspace = self._app_state.workspace
        if workspace is None:
            self.changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        fresh = await self.read(row.id, row.name, workspace)
        if fresh is None or self._is_refused(step, fresh):
            return
        choices = await self._questions.choose(step, fresh)
        if choices is not None:
            await self.plan(ExperimentIntent(row.id, step, choices), fresh, workspace, leading, saved)

    async def read(self, id: int, name: str, workspace: Workspace) -> Experiment | None:
        """The experiment as it is now; None, once that was said, when it cannot be read."""
        asked = workspace.experiments.moment
        try:
            fresh = await workspace.client.experiments.get(id)
        except ApiError as error:
            if await self.signs_in(error):
                return await self.read(id, name, workspace)
            if isinstance(error, NotFound):
                workspace.experiments.remove(id)
            self.changing.tell(explain_error(error, name))
            return None
        workspace.experiments.put(fresh.row(), asked)
        return fresh

    async def signs_in(self, error: ApiError | None) -> bool:
        """Whether another key was what it lacked, and the person has given one. Only within a worker."""
        return await self.changing.signing_in.helps(error)

    def is_read_only(self) -> bool:
        """Whether nothing can be written here, which is said then."""
        if self._app_state.session.rules.level is not guard.Level.READ_ONLY:
            return False
        self.changing.tell(explain_refusal(guard.GuardRefused("this profile is read-only")))
        return True

    def _is_refused(self, step: Step, fresh: Experiment) -> bool:
        """Whether the step cannot be taken whatever is chosen: nobody is asked for nothing."""
        if self.is_read_only():
            return True
        if step.name in ("ship", "duplicate"):
            variant = next((one.key for one in fresh.variants), "")
            probe = Choices(variant=variant, flag_key=f"{fresh.feature_flag_key}-"[:400])
        else:
            probe = Choices()
        refusal = foresee_refusal(fresh, step, probe)
        if refusal is not None:
            self.changing.tell(explain_blocked(refusal, fresh.name))
        return refusal is not None

    async def plan(
        self,
        intent: ExperimentIntent,
        fresh: Experiment,
        workspace: Workspace,
        leading: str = "",
        saved: Callable[[], None] = _nobody_waits,
    ) -> None:
        """Say what the step means, ask, and take it; `saved` hears when that was done."""
        context = await gather(intent, fresh, workspace)
        context = replace(context, now=self._app_state.session.clock(), leading=leading)
        plan = plan_step(intent, fresh, context)
        if isinstance(plan, Blocked):
            self.changing.tell(explain_blocked(plan, fresh.name))
            return
        ended = await self.confirm(plan, workspace)
        if ended is None:
            return
        if ended.ending == "saved":
            saved()
        if await self.is_asked_again(ended):
            now = await self.read(intent.id, fresh.name, workspace) if intent.id else fresh
            if now is not None:
                await self.plan(intent, now, workspace, leading, saved)

    async def confirm(
        self, plan: ExperimentPlan, workspace: Workspace, undoes: str = "", place: str = ""
    ) -> StepEnded | None:
        """Ask, and take the step; None when nobody said yes.

        `undoes` names the entry it takes back, `place` where that happens when it is not here.
        """
        agreeing = Approval[ExperimentPlan](self._app_state, self.changing, "experiments", place=place)
        approved = await agreeing.agree([plan])
        if approved is None:
            return None
        ended = await self.changing.see_through(save_step(approved, self.save_context(workspace), undoes))
        await self.settle(ended, workspace)
        self._app_state.tell()
        if ended.ending == "saved" and ended.record is not None and plan.step.name in MADE_HERE:
            self.changing.show_made("experiments", ended.record.id, workspace)
        return ended

    def save_context(self, workspace: Workspace) -> StepSaveContext:
        """What taking a step works with."""
        session = self._app_state.session
        return StepSaveContext(
            workspace.client.experiments,
            session.journal,
            self._app_state.signature(workspace),
            session.timing,
            lambda words: self.changing.tell(Notice(words, "warning")),
        )

    async def settle(self, ended: StepEnded, workspace: Workspace) -> None:
        """Put how a step ended into the lists; an unknown outcome is kept there as unresolved."""
        await believe(ended, workspace)
        if ended.ending == "unknown":
            rows, loading = workspace.experiments, workspace.experiments_loading
            await self._unresolved.keep(ended.plan.id, rows, loading, workspace)

    async def is_asked_again(self, ended: StepEnded) -> bool:
        """Say how a step ended; True when the key was refused and there is another one now.

        Nothing is sent by that: the same question is asked anew.
        """
        if await self.signs_in(ended.error):
            return True
        self.changing.tell(words_for(ended))
        return False


async def gather(intent: ExperimentIntent, fresh: Experiment, workspace: Workspace) -> StepContext:
    """What only the server knows, with the flags of this project."""
    return await gather_for_step(intent, fresh, workspace.client, workspace.flags.rows)


async def believe(ended: StepEnded, workspace: Workspace) -> None:
    """Put what the server said into the lists: the experiment, and the flag that went with it."""
    record, step = ended.record, ended.plan.step.name
    if ended.ending == "saved" and step == "delete":
        workspace.experiments.remove(ended.plan.id)
        return
    if record is None or step == "copy":
        return
    workspace.experiments.put(record.row())
    if ended.ending != "saved" or record.feature_flag is None:
        return
    asked = workspace.flags.moment
    try:
        flag = await workspace.client.flags.get(record.feature_flag.id)
    except ApiError:
        # The list of flags will learn of it when it looks for changes.
        return
    workspace.flags.put(flag.row(), asked)


def words_for(ended: StepEnded) -> Notice:
    """The toast after a step."""
    plan, key = ended.plan, ended.plan.key
    if ended.ending == "saved":
        undo = f"\nu to {plan.verb.undo}" if plan.verb.undo and ended.journal_id else ""
        note = f"\n{ended.note}" if ended.note else ""
        return Notice(f"{key} {plan.verb.done}{undo}{note}", "warning" if ended.note else "information")
    if ended.ending == "unknown":
        text = f"{key}: no answer came, and whether it was done is not known.\nIt was not sent twice."
        return Notice(text, "error", "not known")
    reason = ended.reason[:1].upper() + ended.reason[1:]
    now = "Nothing was changed." if ended.record is None else f"It is {ended.record.state} now."
    text = "\n".join(part for part in (f"{key}: {reason}", now, ended.next) if part)
    title = "needs approval" if ended.ending == "awaiting approval" else "not saved"
    return Notice(text, "warning" if ended.ending == "awaiting approval" else "error", title)

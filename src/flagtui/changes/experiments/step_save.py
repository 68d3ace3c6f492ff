"""An approved step on its way: journal, the step once, and a true word about how it ended."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import (
    ApiError,
    ApprovalNeeded,
    NotFound,
    Unreachable,
)
from flagtui.api.request import Query
from flagtui.changes.experiments.experiment_fields import WORDS
from flagtui.changes.experiments.journal_values import MAKING, before_and_after, learned
from flagtui.changes.experiments.metric_order import with_order
from flagtui.changes.experiments.step_plan import ExperimentPlan, is_reached, left_out
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags.flag_context import FRESH_FOR
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.pipeline import Concluded, Remembered, stops_all, write
from flagtui.models.cohort import Cohort
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import ExperimentRow

LONGEST_WAIT: Final = 10.0
"""Seconds a person is left waiting because the server asks for a pause."""


class ExperimentsApi(Protocol):
    """Reads experiments and takes steps with them: `client.experiments`."""

    async def get(self, id: int) -> Experiment: ...
    async def page(self, filters: Query | None = None) -> RowPage[ExperimentRow]: ...
    async def launch(self, id: int) -> Experiment: ...
    async def pause(self, id: int) -> Experiment: ...
    async def resume(self, id: int) -> Experiment: ...
    async def end(
        self, id: int, *, conclusion: str | None = None, comment: str | None = None
    ) -> Experiment: ...
    async def ship_variant(
        self,
        id: int,
        variant: str,
        *,
        everyone: bool = False,
        conclusion: str | None = None,
        comment: str | None = None,
    ) -> Experiment: ...
    async def archive(self, id: int, *, disable_flag: bool = False) -> Experiment: ...
    async def unarchive(self, id: int) -> Experiment: ...
    async def reset(self, id: int) -> Experiment: ...
    async def duplicate(self, id: int, *, flag_key: str, name: str | None = None) -> Experiment: ...
    async def create(
        self, name: str, flag_key: str, more: Mapping[str, JSON] | None = None
    ) -> Experiment: ...
    async def update(self, id: int, changes: Mapping[str, JSON]) -> Experiment: ...
    async def copy_to_project(
        self, id: int, project: int, *, flag_key: str | None = None, name: str | None = None
    ) -> Experiment: ...
    async def create_exposure_cohort(self, id: int) -> Cohort: ...
    async def delete(self, id: int) -> Experiment: ...
    async def restore(self, id: int) -> Experiment: ...


@dataclass(frozen=True, slots=True)
class StepEnded:
    """How a step ended: applied, not applied, or not known."""

    plan: ExperimentPlan
    ending: Ending
    record: Experiment | None = None
    """As it is now, where that is known; the copy after a duplication."""
    reason: str = ""
    next: str = ""
    error: ApiError | None = None
    note: str = ""
    journal_id: str = ""


@dataclass(frozen=True)
class StepSaveContext:
    """What saving works with."""

    experiments: ExperimentsApi
    journal: Journal
    signature: Signature = field(default_factory=Signature)
    clock: Clock = field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda _words: None


@dataclass(frozen=True, slots=True)
class Numbered:
    """What the journal notes of a record."""

    id: int
    version: int | None = None


async def save_step(
    approved: Approved[ExperimentPlan], context: StepSaveContext, undoes: str = ""
) -> StepEnded:
    """Takes the one approved step once. Raises for an approval that was used, or one for several plans."""
    if len(approved.plans) != 1:
        raise ValueError("several steps are taken by save_steps")
    spend(approved)
    return await write(
        approved, approved.plans[0], StepAdapter(context.experiments, context.clock), context, undoes
    )


async def save_steps(
    approved: Approved[ExperimentPlan], context: StepSaveContext
) -> AsyncIterator[StepEnded]:
    """Takes each approved step once, one after the other; what would stop all stops the rest.

    Raises for an approval that was used.
    """
    spend(approved)
    for plan in approved.plans:
        ended = await write(approved, plan, StepAdapter(context.experiments, context.clock), context)
        yield ended
        # Refused without an answer and without a record: the journal cannot be written.
        by_journal = ended.ending == "refused" and ended.error is None and ended.record is None
        if stops_all(ended, ended.error, by_journal=by_journal):
            return


@dataclass(frozen=True)
class StepAdapter:
    """Steps of experiments on the way of every change: no step carries a version."""

    experiments: ExperimentsApi
    clock: Clock
    longest_wait: float = LONGEST_WAIT

    def remembered(self, plan: ExperimentPlan) -> Remembered:
        before, after = before_and_after(plan)
        flag = plan.fresh.feature_flag
        return Remembered(
            key=plan.key,
            verb=plan.verb.name,
            kind="experiment",
            record=0 if plan.step.name in MAKING else plan.id,
            before=before,
            after=after,
            words=tuple(line.words for line in plan.lines),
            is_secret=flag is not None and flag.has_encrypted_payloads,
        )

    async def changed_since_read(self, plan: ExperimentPlan) -> StepEnded | None:
        """A question that stood long is checked against today's state."""
        if self.clock.time() - plan.read_at <= FRESH_FOR or plan.step.name in ("restore", "create"):
            return None
        try:
            now = await self.experiments.get(plan.id)
        except ApiError as error:
            return self.not_applied(plan, error)
        if now.state == plan.fresh.state and now.archived == plan.fresh.archived:
            return None
        reason = f"somebody changed it meanwhile: it is {now.state} now"
        return StepEnded(plan, "conflicted", now, reason, "look at it, then try again")

    async def send(self, plan: ExperimentPlan) -> StepEnded:
        found = await _take(plan, self.experiments)
        if is_reached(plan, found):
            return StepEnded(plan, "saved", found)
        reason = f"the server said yes, but it is {found.state}"
        if dropped := left_out(plan, found):
            named = ", ".join(WORDS.get(name, name) for name in dropped)
            reason = f"the server said yes, and left out {named}"
        return StepEnded(plan, "refused", found, reason, "look at it in the browser")

    def without_answer(self, plan: ExperimentPlan, error: ApiError) -> StepEnded:
        return StepEnded(plan, "unknown", None, error.what, "F5 reads it again", error)

    async def look(self, plan: ExperimentPlan, unknown: StepEnded) -> StepEnded:
        try:
            seen = await _seen(plan, self.experiments)
        except NotFound:
            return StepEnded(plan, "saved") if plan.step.name == "delete" else unknown
        except ApiError:
            return unknown
        if seen is not None and is_reached(plan, seen):
            return StepEnded(plan, "saved", seen)
        return replace(unknown, record=seen)

    def waiting_words(self, unknown: StepEnded) -> str:
        return ""

    def not_applied(self, plan: ExperimentPlan, error: ApiError) -> StepEnded:
        match error:
            case ApprovalNeeded():
                reason = "the change of its flag waits for somebody's approval in the browser"
                return StepEnded(plan, "awaiting approval", None, reason, "", error)
            case Unreachable():
                return StepEnded(plan, "failed", None, error.what, error.next, error)
        return StepEnded(plan, "refused", None, error.what, error.next, error)

    def not_remembered(self, plan: ExperimentPlan, fault: JournalUnwritable) -> StepEnded:
        reason = f"the journal cannot be written: {fault}"
        return StepEnded(plan, "refused", None, reason, "make room, or agree to go without it")

    def concluded(self, ended: StepEnded) -> Concluded:
        name, record, id = ended.plan.step.name, ended.record, ended.plan.id
        if name in MAKING:
            id = record.id if record is not None else 0
        told = learned(name, record) if record is not None and ended.ending == "saved" else {}
        return Concluded(Numbered(id), "" if ended.ending == "saved" else ended.reason, told)

    def noted(self, ended: StepEnded, journal_id: str, note: str) -> StepEnded:
        return replace(ended, journal_id=journal_id, note=note)


async def _take(plan: ExperimentPlan, experiments: ExperimentsApi) -> Experiment:
    id, chosen = plan.id, plan.choices
    conclusion, comment = chosen.conclusion or None, chosen.comment or None
    steps: dict[StepName, Callable[[], Awaitable[Experiment]]] = {
        "launch": lambda: experiments.launch(id),
        "pause": lambda: experiments.pause(id),
        "resume": lambda: experiments.resume(id),
        "end": lambda: experiments.end(id, conclusion=conclusion, comment=comment),
        "ship": lambda: experiments.ship_variant(
            id, chosen.variant, everyone=chosen.everyone, conclusion=conclusion, comment=comment
        ),
        "archive": lambda: experiments.archive(id, disable_flag=chosen.disable_flag),
        "unarchive": lambda: experiments.unarchive(id),
        "reset": lambda: experiments.reset(id),
        "duplicate": lambda: experiments.duplicate(id, flag_key=chosen.flag_key, name=chosen.name or None),
        "create": lambda: experiments.create(chosen.name, chosen.flag_key, chosen.fields),
        "edit": lambda: experiments.update(id, with_order(plan.fresh, chosen.fields)),
        "reopen": lambda: experiments.update(id, chosen.fields),
        "copy": lambda: experiments.copy_to_project(id, chosen.project, flag_key=chosen.flag_key or None),
        "cohort": lambda: _with_cohort(id, experiments),
        "delete": lambda: experiments.delete(id),
        "restore": lambda: experiments.restore(id),
    }
    return await steps[plan.step.name]()


async def _with_cohort(id: int, experiments: ExperimentsApi) -> Experiment:
    await experiments.create_exposure_cohort(id)
    return await experiments.get(id)


async def _seen(plan: ExperimentPlan, experiments: ExperimentsApi) -> Experiment | None:
    if plan.step.name == "copy":
        # It is in a project that is not open here.
        return None
    if plan.step.name not in ("duplicate", "create"):
        return await experiments.get(plan.id)
    page = await experiments.page({"search": plan.choices.name or plan.fresh.name, "limit": 100})
    row = next((row for row in page.rows if row.key == plan.choices.flag_key and row.id != plan.id), None)
    return None if row is None else await experiments.get(row.id)

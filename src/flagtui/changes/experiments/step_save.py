"""An approved step on its way: journal, the step once, and a true word about how it ended."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol
from uuid import uuid4

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import (
    ApiError,
    ApprovalNeeded,
    MissingScope,
    NotFound,
    NotSignedIn,
    RateLimited,
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
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.models.cohort import Cohort
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import ExperimentRow

LOOKS: Final = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds after a step without an answer at which the experiment is read again."""


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
    return await _save(approved, approved.plans[0], context, undoes)


async def save_steps(
    approved: Approved[ExperimentPlan], context: StepSaveContext
) -> AsyncIterator[StepEnded]:
    """Takes each approved step once, one after the other; what would stop all stops the rest.

    Raises for an approval that was used.
    """
    spend(approved)
    for plan in approved.plans:
        ended = await _save(approved, plan, context)
        yield ended
        if _stops_all(ended):
            return


def _stops_all(ended: StepEnded) -> bool:
    """Whether what happened to one would happen to the next, or is not understood yet."""
    if ended.ending in ("unknown", "failed") or isinstance(
        ended.error, NotSignedIn | MissingScope | RateLimited
    ):
        return True
    # Refused by nobody who was asked: the journal cannot be written.
    return ended.ending == "refused" and ended.error is None and ended.record is None


async def _save(
    approved: Approved[ExperimentPlan], plan: ExperimentPlan, context: StepSaveContext, undoes: str = ""
) -> StepEnded:
    if moved := await _moved_since_read(plan, context):
        return moved
    entry = _entry(plan, approved, context, undoes)
    try:
        await asyncio.to_thread(context.journal.begin, entry)
    except JournalUnwritable as fault:
        if not approved.without_journal:
            reason = f"the journal cannot be written: {fault}"
            return StepEnded(plan, "refused", None, reason, "make room, or agree to go without it")
        return await _send(plan, context)
    ended = replace(await _send(plan, context), journal_id=entry.id)
    return await _written_down(ended, context.journal)


async def _send(plan: ExperimentPlan, context: StepSaveContext) -> StepEnded:
    try:
        found = await _take(plan, context.experiments)
    except ApiError as error:
        if not error.sent:
            return _not_taken(plan, error)
        context.tell(f"{plan.key}: no answer; looking whether it was done")
        return await _look_for(plan, error, context)
    if is_reached(plan, found):
        return StepEnded(plan, "saved", found)
    reason = f"the server said yes, but it is {found.state}"
    if dropped := left_out(plan, found):
        reason = f"the server said yes, and left out {', '.join(WORDS.get(name, name) for name in dropped)}"
    return StepEnded(plan, "refused", found, reason, "look at it in the browser")


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


async def _look_for(plan: ExperimentPlan, error: ApiError, context: StepSaveContext) -> StepEnded:
    """Reads until the step shows; it is never sent again."""
    waited, seen = 0.0, None
    for at in LOOKS:
        await context.clock.sleep(at - waited)
        waited = at
        try:
            seen = await _seen(plan, context.experiments)
        except NotFound:
            if plan.step.name == "delete":
                return StepEnded(plan, "saved")
            continue
        except ApiError:
            continue
        if seen is not None and is_reached(plan, seen):
            return StepEnded(plan, "saved", seen)
    return StepEnded(plan, "unknown", seen, error.what, "F5 reads it again", error)


async def _seen(plan: ExperimentPlan, experiments: ExperimentsApi) -> Experiment | None:
    if plan.step.name == "copy":
        # It is in a project that is not open here.
        return None
    if plan.step.name not in ("duplicate", "create"):
        return await experiments.get(plan.id)
    page = await experiments.page({"search": plan.choices.name or plan.fresh.name, "limit": 100})
    row = next((row for row in page.rows if row.key == plan.choices.flag_key and row.id != plan.id), None)
    return None if row is None else await experiments.get(row.id)


async def _moved_since_read(plan: ExperimentPlan, context: StepSaveContext) -> StepEnded | None:
    """No step carries a version, so a question that stood long is checked against today's state."""
    if context.clock.time() - plan.read_at <= FRESH_FOR or plan.step.name in ("restore", "create"):
        return None
    try:
        now = await context.experiments.get(plan.id)
    except ApiError as error:
        return _not_taken(plan, error)
    if now.state == plan.fresh.state and now.archived == plan.fresh.archived:
        return None
    reason = f"somebody changed it meanwhile: it is {now.state} now"
    return StepEnded(plan, "conflicted", now, reason, "look at it, then try again")


def _not_taken(plan: ExperimentPlan, error: ApiError) -> StepEnded:
    match error:
        case ApprovalNeeded():
            reason = "the change of its flag waits for somebody's approval in the browser"
            return StepEnded(plan, "awaiting approval", None, reason, "", error)
        case Unreachable():
            return StepEnded(plan, "failed", None, error.what, error.next, error)
    return StepEnded(plan, "refused", None, error.what, error.next, error)


def _entry(
    plan: ExperimentPlan, approved: Approved[ExperimentPlan], context: StepSaveContext, undoes: str
) -> Entry:
    before, after = before_and_after(plan)
    flag = plan.fresh.feature_flag
    return Entry(
        id=uuid4().hex,
        at=context.clock.time(),
        record=0 if plan.step.name in MAKING else plan.id,
        key=plan.key,
        verb=plan.verb.name,
        signature=context.signature,
        kind="experiment",
        reason=approved.reason,
        before=before,
        after=after,
        is_secret=flag is not None and flag.has_encrypted_payloads,
        words=tuple(line.words for line in plan.lines),
        undoes=undoes,
        pid=os.getpid(),
    )


async def _written_down(ended: StepEnded, journal: Journal) -> StepEnded:
    note = "" if ended.ending == "saved" else ended.reason
    name, record = ended.plan.step.name, ended.record
    id = ended.plan.id
    if name in MAKING:
        id = record.id if record is not None else 0
    told = learned(name, record) if record is not None and ended.ending == "saved" else {}
    try:
        await asyncio.to_thread(journal.finish, ended.journal_id, ended.ending, Numbered(id), note, told)
    except JournalUnwritable as fault:
        return replace(ended, note=f"how it ended could not be written down: {fault}")
    return ended

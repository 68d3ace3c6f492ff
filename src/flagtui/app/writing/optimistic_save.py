"""Approved changes on their way: shown as optimistic edits until the answer, then reported in words."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.unresolved import Unresolved
from flagtui.changes.batch import Batch
from flagtui.changes.flags import flag_save
from flagtui.changes.flags.flag_lookup import settle
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.guard import Approved
from flagtui.changes.outcome import AwaitingApproval, Conflicted, Failed, Outcome, Saved, Unknown
from flagtui.store.collection import Moment
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.notices import Notice


@dataclass(frozen=True)
class FlagsEnded:
    """What one approval came to."""

    outcomes: tuple[Outcome, ...]
    unsent: tuple[Plan, ...] = ()
    """Plans a pause kept from being sent."""

    @property
    def is_saved(self) -> bool:
        """Everything was."""
        return not self.unsent and all(isinstance(outcome, Saved) for outcome in self.outcomes)

    @property
    def saved_ids(self) -> frozenset[int]:
        """Records that are as they were meant to be; a new one goes by the number of its plan."""
        return frozenset(outcome.plan.id for outcome in self.outcomes if isinstance(outcome, Saved))

    @property
    def retryable(self) -> frozenset[int]:
        """Records that surely are as they were; what is not known, or waits for approval, is left alone."""
        sure = (
            outcome
            for outcome in self.outcomes
            if not isinstance(outcome, Saved | Unknown | AwaitingApproval)
        )
        return frozenset([*(outcome.plan.id for outcome in sure), *(plan.id for plan in self.unsent)])


class Saver:
    """Sends what the guard approved, and keeps the collection true."""

    def __init__(self, app_state: AppState, tell: Callable[[Notice], None]) -> None:
        self._app_state = app_state
        self._tell = tell
        self._unresolved = Unresolved(app_state)

    async def save(self, approved: Approved, workspace: Workspace, undoes: Mapping[int, str]) -> FlagsEnded:
        """Everything this approval covers; `undoes` names the journal entry each plan takes back."""
        context = self._app_state.save_context(workspace, lambda words: self._tell(Notice(words, "warning")))
        if len(approved.plans) == 1:
            return FlagsEnded((await self._save_one(approved, workspace, context, undoes),))
        return await self._save_many(approved, workspace, context, undoes)

    async def _save_one(
        self,
        approved: Approved,
        workspace: Workspace,
        context: flag_save.FlagSaveContext,
        undoes: Mapping[int, str],
    ) -> Outcome:
        plan, asked = approved.plans[0], workspace.flags.moment
        with workspace.flags.showing(plan.id, plan.values):
            outcome = await flag_save.save(approved, context, undoes.get(plan.id, ""))
            believe(outcome, workspace, asked)
        if not isinstance(outcome, Unknown):
            self._tell(outcomes.explain_outcome(outcome, is_here=workspace is self._app_state.workspace))
        else:
            with self._unresolved.about(plan.id, workspace.flags, workspace):
                self._tell(outcomes.explain_outcome(outcome))
                outcome = await settle(
                    outcome, workspace.client.flags, context.journal, context.clock, context.tell
                )
                await self._believe_late(outcome, workspace)
            self._tell(outcomes.explain_settled(outcome, is_here=workspace is self._app_state.workspace))
        return outcome

    async def _save_many(
        self,
        approved: Approved,
        workspace: Workspace,
        context: flag_save.FlagSaveContext,
        undoes: Mapping[int, str],
    ) -> FlagsEnded:
        asked = workspace.flags.moment
        batch = Batch(approved, context, lambda plan: undoes.get(plan.id, ""))
        shown: dict[int, ExitStack] = {}
        for plan in approved.plans:
            shown[plan.id] = ExitStack()
            shown[plan.id].enter_context(workspace.flags.showing(plan.id, plan.values))
        try:
            async for plan, outcome in batch.run():
                believe(outcome, workspace, asked)
                shown.pop(plan.id).close()
        finally:
            for stack in shown.values():
                stack.close()
        with ExitStack() as unresolved:
            for outcome in batch.outcomes.values():
                if isinstance(outcome, Unknown):
                    # The first one ends the batch, so there is no other.
                    unresolved.enter_context(
                        self._unresolved.about(outcome.plan.id, workspace.flags, workspace)
                    )
            self._tell(outcomes.explain_batch(batch))
            async for _plan, outcome in batch.settle():
                await self._believe_late(outcome, workspace)
                self._tell(outcomes.explain_settled(outcome))
        return FlagsEnded(tuple(batch.outcomes.values()), batch.remaining)

    async def _believe_late(self, outcome: Outcome, workspace: Workspace) -> None:
        """Puts late outcomes into the rows; what could not be read stays unresolved."""
        believe(outcome, workspace)
        if isinstance(outcome, Unknown) and outcome.seen is None:
            await self._unresolved.keep(outcome.plan.id, workspace.flags, workspace.flags_loading, workspace)


def believe(outcome: Outcome, workspace: Workspace, asked: Moment | None = None) -> None:
    """Put what the server said into the collection; `asked` is when its answer was asked for."""
    match outcome:
        case Saved(record=record) | Conflicted(theirs=record) | Failed(record=record) | Unknown(seen=record):
            if record is None:
                return
            if record.deleted:
                workspace.flags.remove(record.id)
            else:
                workspace.flags.put(record.row(), asked)

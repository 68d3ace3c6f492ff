"""Stage planned changes instead of sending them, and undo the last staged step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from flagtui.api.heavy_work import off_loop
from flagtui.app.shell.change_tasks import ChangeTasks
from flagtui.app.shell.kept_texts import forget_texts
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staging_mode import Staging
from flagtui.app.writing.app_interface import AppInterface
from flagtui.changes.guard import GuardRefused, GuardRules, Question, guard, title_of_many
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import P, Purpose, R, Report
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.changes.sets.plan_changes import AT_ONCE
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.set_words import explain_set_fault, explain_staged, explain_step
from flagtui.text.styled import Notice

NOTHING_SENT: Final = "Nothing is sent: the change is staged on the current record."


class StageSteps:
    """The steps of one running app, each shown in a toast that the next one replaces."""

    def __init__(self, app_state: AppState, runner: ChangeTasks, staging: Callable[[], Staging]) -> None:
        """`staging` loads the staged set."""
        self._app_state = app_state
        self._runner = runner
        self._staging = staging
        self._shown: Notice | None = None

    def switch(self) -> None:
        """Stage what keys change from now on, or send it again; show what that means."""
        staging = self._staging()
        try:
            staging.refuse_while_applying()
            if self._app_state.is_staging:
                staging.end()
                staged, key = len(staging.changes), key_sign("app.staged")
                kept = f"{count(staged, 'change')} staged: {key} applies them"
                left = kept if staged else "nothing is staged"
                left = (
                    f"the staged set cannot be read: {key} shows why"
                    if self._app_state.staged_fault
                    else left
                )
                self._show(Notice(left, title="staging ended"))
                return
            staging.begin()
        except ChangeSetError as error:
            self._runner.show_toast(explain_set_fault(error))
        else:
            # An earlier toast offers to undo with u, which undoes staged steps from now on.
            self._runner.app.clear_notifications()
            words = "changes are collected, and nothing is sent"
            keys = (
                f"{key_sign('app.staged')} shows them and applies them, {key_sign('app.stage')} ends staging"
            )
            self._show(Notice(f"{words}\n{keys}", title="staging"))

    async def stage(
        self,
        planned: Planned[Any, P],
        interface: AppInterface[P, R],
        rules: GuardRules,
    ) -> Report[P, R] | None:
        """Stage the plans instead of sending them; only a conflict is asked about."""
        question = guard(planned, rules)
        if isinstance(question, GuardRefused):
            interface.refuse(question)
            return None
        if question.conflicts and not await self._agrees(planned, interface, rules):
            return None
        try:
            if planned.place:
                raise ChangeSetError("direct", f"a change of {planned.place} cannot be staged here", AT_ONCE)
            # A staged change that is planned again on the current record is replaced.
            again = [request for request in planned.requests if isinstance(request, StagedChange)]
            changes = await self._staging().add(planned.plans, again)
        except ChangeSetError as error:
            self._runner.show_toast(explain_set_fault(error))
            return None
        staged, values = self._staging().changes, (change.values for change in changes)
        forget_texts(self._runner)
        self._show(await off_loop(lambda: explain_staged(changes, staged), *values))
        return Report(staged=tuple(planned.plans))

    async def _agrees(
        self,
        planned: Planned[Any, P],
        interface: AppInterface[P, R],
        rules: GuardRules,
    ) -> bool:
        """Ask whether to stage over what was changed since."""
        first, chosen = planned.plans[0], len(planned.plans)
        title = first.title if chosen == 1 else title_of_many(planned.plans, count(chosen, first.noun))
        purpose = Purpose("Stage", f"{title[:1].lower()}{title[1:]}".removesuffix(" of"))
        question = guard(replace(planned, purpose=purpose, note=NOTHING_SENT), rules)
        return isinstance(question, Question) and await interface.confirm(question) is not None

    async def undo_step(self, *, is_redo: bool) -> None:
        """Take the last staged step back, or stage it again."""
        staging = self._staging()
        try:
            moved = await staging.step_back(is_redo=is_redo)
        except ChangeSetError as error:
            self._runner.show_toast(explain_set_fault(error))
        else:
            self._show(explain_step(moved, len(staging.changes), is_redo=is_redo))

    def _show(self, notice: Notice) -> None:
        self._runner.show_toast(notice, instead_of=self._shown)
        self._shown = notice

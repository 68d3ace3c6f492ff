"""One change asked and told on screens, the same for every kind of record."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.optimistic_rows import OptimisticRows, rows_of
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.results_screen import AGAIN, LEFT_OUT, Result, ResultsScreen
from flagtui.app.writing.screens import Screens
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.guard import Approved, Around, GuardRefused, Question, guard
from flagtui.changes.interface import Interface
from flagtui.changes.journal_entries import Signature
from flagtui.changes.pipeline import Batch, Ended
from flagtui.changes.planner import Planned, Planner
from flagtui.changes.proposal import Outcome, P, R, Skipped
from flagtui.store.collection import Collection
from flagtui.store.load_progress import RecordId
from flagtui.store.record_list import Loading
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes


@dataclass
class Unresolved:
    """Until then the row shows the server's last values with the mark of a change; the header counts it."""

    app_state: AppState
    workspace: Workspace
    rows: Collection[Any]
    loading: Loading[Any]
    _kept: set[asyncio.Task[None]] = field(default_factory=set)

    @contextmanager
    def about(self, record: RecordId) -> Iterator[None]:
        """Marks the record as unresolved until the block is left."""
        self.workspace.unresolved += 1
        try:
            with self.rows.showing(record, {}):
                self.app_state.tell()
                yield
        finally:
            self.workspace.unresolved -= 1
            self.app_state.tell()

    async def keep(self, record: RecordId) -> None:
        """Marks the record as unresolved until the rows are read again; does not wait for that."""
        keeping = asyncio.create_task(self._keep(record))
        self._kept.add(keeping)
        keeping.add_done_callback(self._kept.discard)
        # The mark is set before the caller can remove one of its own: the row's sign does not blink.
        await asyncio.sleep(0)

    async def _keep(self, record: RecordId) -> None:
        is_read, loading, last = asyncio.Event(), self.loading, self.loading.loaded_at
        stop = loading.watch(lambda: is_read.set() if loading.loaded_at != last else None)
        try:
            with self.about(record):
                await is_read.wait()
        finally:
            stop()


class ScreenInterface(Interface[P, R], Generic[P, R]):
    """For what was chosen together; rows of the list show it until the answer."""

    def __init__(
        self,
        app_state: AppState,
        changes: Screens,
        planner: Planner[Any, P, R],
        planned: Planned[Any, P],
        around: Around,
    ) -> None:
        self._app_state = app_state
        self._changes = changes
        self._planner = planner
        self._place = planned.place
        self._around = around
        self._late = planned.late
        """The one plan with what was not known yet: the question tells it when it is there."""
        assert isinstance(planner.context, WorkspaceContext)
        here = planner.context.workspace
        self.workspace = here if planned.project is None else here.in_project(planned.project)
        """The project in which it happens."""
        self.signature: Signature = planned.signature or app_state.signature(here)
        self._unresolved: Unresolved | None = None
        """Of a change that a list shows."""
        self._rows: OptimisticRows[P, R] = OptimisticRows(self.workspace, 0.0)
        self._shown: dict[int, ExitStack] = {}

    def refuse(self, refused: GuardRefused) -> None:
        if self._late is not None:
            self._late.cancel()
        self._changes.tell(outcomes.explain_refusal(refused))

    async def agree(self, question: Question[P]) -> Approved[P] | None:
        """The answer to the dialog. What is left out is named, and may be opened instead."""
        screen = ConfirmScreen(question, self._app_state.session, is_partial=self._late is not None)
        with self._kept_current(screen):
            answer = await self._changes.ask(screen)
        if isinstance(answer, Skipped):
            self._changes.open_record(self._planner.kind, answer.id, answer.key)
            return None
        if answer is not None and question.type_this == question.plans[0].type_to_confirm:
            self._app_state.unlock()
        return answer

    @contextmanager
    def _kept_current(self, screen: ConfirmScreen[P]) -> Iterator[None]:
        late, rules = self._late, self._app_state.rules_in(self._place)
        if late is None:
            yield
            return

        def show(task: asyncio.Task[P]) -> None:
            question = None if task.cancelled() else guard([task.result()], rules, self._around)
            if isinstance(question, Question):
                screen.show(question)

        late.add_done_callback(show)
        try:
            yield
        finally:
            self._late = None
            late.remove_done_callback(show)
            late.cancel()

    async def see_through(self, saving: Coroutine[Any, Any, Ended[P, R]]) -> Ended[P, R]:
        return await self._changes.see_through(saving)

    @contextmanager
    def showing(self, plans: Sequence[P]) -> Iterator[None]:
        # The list as it is now is what an answer is newer than.
        rows = self._rows = rows_of(self._planner, self.workspace)
        if rows.listed is not None:
            self._unresolved = Unresolved(self._app_state, self.workspace, *rows.listed)
        with ExitStack() as every:
            self._shown = {id(plan): every.enter_context(ExitStack()) for plan in plans}
            for plan in plans:
                self._shown[id(plan)].enter_context(rows.showing(plan))
            yield

    async def hear(self, outcome: Outcome[P, R]) -> bool:
        await self._rows.believe(outcome)
        self._shown[id(outcome.plan)].close()
        return True

    @contextmanager
    def watching(self, batch: Batch[P, R]) -> Iterator[None]:
        """The toast, and the mark on rows of what has no answer."""
        ended = [outcome for outcome in batch.outcomes if not outcome.is_without_journal]
        unsent = len(batch.unsent) if len(ended) == len(batch.outcomes) else 0
        purpose, is_here = self._around.purpose, self._is_here
        with ExitStack() as marks:
            for outcome in ended:
                if outcome.ending == "unknown" and self._unresolved is not None:
                    marks.enter_context(self._unresolved.about(outcome.plan.id))
            if ended:
                self._changes.tell(outcomes.explain_outcomes(ended, unsent, purpose=purpose, is_here=is_here))
            yield

    async def hear_settled(self, outcome: Outcome[P, R]) -> None:
        await self._rows.believe(outcome)
        if outcome.ending == "unknown" and not outcome.was_read and self._unresolved is not None:
            # What could not be read stays unresolved in the list until it is read again.
            await self._unresolved.keep(outcome.plan.id)
        self._changes.tell(outcomes.explain_settled(outcome, is_here=self._is_here))

    @property
    def _is_here(self) -> bool:
        """Whether `u` would take it back next."""
        workspace = self._app_state.workspace
        return workspace is not None and self.signature == self._app_state.signature(workspace)

    async def tell_results(self, results: Iterable[Result]) -> bool:
        """Name each of many that was not changed, with its reason; True to try again what can be."""
        never_asked = (Result(one.id, one.key, LEFT_OUT, one.why) for one in self._around.left_out)
        told = [*results, *never_asked]
        if len(told) < 2 or all(result.is_saved for result in told):
            return False
        answer = await self._changes.ask(ResultsScreen(told))
        if isinstance(answer, Result):
            self._changes.open_record(self._planner.kind, answer.id, answer.key)
        return answer == AGAIN

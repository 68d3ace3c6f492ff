"""The app as the interface of a change: question, rows, toasts, results; the same for every kind."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, Generic

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import NotFound
from flagtui.app.shell.change_tasks import ChangeTasks
from flagtui.app.shell.kept_texts import forget_texts, keeping_texts
from flagtui.app.shell.toasts import drop_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.results_screen import AGAIN, SKIPPED, UNCHANGED, Result, ResultsScreen
from flagtui.changes.adapter import WriteContext
from flagtui.changes.guard import Approved, GuardRefused, Question, guard
from flagtui.changes.journal_entries import Signature
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.changes.pipeline import Interface
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, P, R, Report
from flagtui.changes.skipped import Skipped
from flagtui.store.collection import Collection
from flagtui.store.kinds import Kind
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.styled import Notice


class Unresolved(msgspec.Struct):
    """Until then the row shows the server's last values with the mark of a change; the header counts it."""

    app_state: AppState
    workspace: Workspace
    _kept: set[asyncio.Task[None]] = set()

    @contextmanager
    def about(self, kind: Kind, record: RecordId) -> Iterator[None]:
        """Mark the record as unresolved until the block is left."""
        self.workspace.unresolved += 1
        try:
            with self.workspace.collection(kind).showing(record, {}):
                self.app_state.notify_watchers()
                yield
        finally:
            self.workspace.unresolved -= 1
            self.app_state.notify_watchers()

    async def keep(self, kind: Kind, record: RecordId) -> None:
        """Mark the record as unresolved until the rows are read again; do not wait for that."""
        keeping = asyncio.create_task(self._keep(kind, record))
        self._kept.add(keeping)
        keeping.add_done_callback(self._kept.discard)
        # The mark is set before the caller can remove one of its own: the row's sign does not blink.
        await asyncio.sleep(0)

    async def _keep(self, kind: Kind, record: RecordId) -> None:
        is_read, loading = asyncio.Event(), self.workspace.loading(kind)
        last = loading.loaded_at
        stop = loading.watch(lambda: is_read.set() if loading.loaded_at != last else None)
        try:
            with self.about(kind, record):
                await is_read.wait()
        finally:
            stop()


class AppInterface(Interface[P, R], Generic[P, R]):
    """Interface of the records that were chosen together; their rows show the change until the response."""

    def __init__(
        self,
        app_state: AppState,
        runner: ChangeTasks,
        rows: OptimisticRows[P, R],
        planned: Planned[Any, P],
        signature: Signature,
    ) -> None:
        self._app_state = app_state
        self._runner = runner
        self._rows = rows
        self._planned = planned
        self._late = planned.late
        """The single plan with late responses of the server: the question shows it when they arrive."""
        journal, clock = app_state.session.journal, app_state.session.clock
        self.write_context = WriteContext(journal, signature, clock, self.show_wait, on_lost=self.count_lost)
        """What sending needs; its signature is that of the project in which it happens."""
        self._unresolved = Unresolved(app_state, rows.workspace)
        self._lost = 0
        """Changes without a response that the header counts until their rows are marked."""
        self._pending: dict[int, ExitStack] = {}
        self._ended = 0
        """Changes whose outcome is known."""
        self._progress: list[Notice] = []
        """Toasts about waits of the request that is in flight."""
        self._unknown_notice: Notice | None = None
        """The toast about the only change while its outcome is not known."""

    def refuse(self, refused: GuardRefused) -> None:
        if self._late is not None:
            self._late.cancel()
        self._runner.show_toast(outcomes.explain_refusal(refused))

    async def confirm(self, question: Question[P]) -> Approved[P] | None:
        """Return the answer to the dialog, in which a skipped record may be opened instead."""
        session = self._app_state.session
        if question.is_divisible:
            from flagtui.app.writing.undo_choice import UndoChoice

            screen: ConfirmScreen[P] = UndoChoice(question, session)
        else:
            screen = ConfirmScreen(question, session, is_partial=self._late is not None)
        named = [(plan.id, plan.key) for plan in question.plans if question.reason_required]
        change = f"{question.title} {named}"
        keeping = keeping_texts(self._runner, self._app_state, change) if named else nullcontext()
        with self._keep_current(screen, question), keeping:
            answer = await self._runner.ask(screen)
        if isinstance(answer, Skipped):
            self._runner.open_record(answer.kind or self._rows.kind, answer.id, answer.key)
            return None
        if answer is not None and question.type_this == question.plans[0].type_to_confirm:
            self._app_state.unlock()
        return answer

    @contextmanager
    def _keep_current(self, screen: ConfirmScreen[P], question: Question[P]) -> Iterator[None]:
        """Show in the question late facts, and a warning about records changed elsewhere while it is open."""
        late, rules, workspace = self._late, self._app_state.rules, self._rows.workspace
        listed, changed = list[tuple[RecordId, Collection[Any], int]](), set[RecordId]()
        for plan in question.plans:
            if (kind := self._rows.kind_of(plan)) and (collection := workspace.collection(kind)).get(plan.id):
                listed.append((plan.id, collection, collection.version))

        def show_late(task: asyncio.Task[P]) -> None:
            nonlocal question
            if not task.cancelled():
                fuller = guard(replace(self._planned, plans=[task.result()]), rules)
                if isinstance(fuller, Question):
                    question = fuller
                    screen.show(question.warn_of_changes(changed) if changed else question)

        def warn() -> None:
            count, is_partial = len(changed), screen.is_partial
            for id, collection, version in listed:
                is_gone = collection.version != version and collection.get(id) is None
                if is_gone or (collection.version != version and id in collection.changed_since(version)):
                    changed.add(id)
            if len(changed) > count:
                screen.show(question.warn_of_changes(changed))
                screen.is_partial = is_partial

        stop = self._app_state.watch(warn)
        if late is not None:
            late.add_done_callback(show_late)
        try:
            yield
        finally:
            stop()
            if late is not None:
                self._late = None
                late.remove_done_callback(show_late)
                late.cancel()

    async def run_to_end(self, saving: Coroutine[Any, Any, Report[P, R]]) -> Report[P, R]:
        return await self._runner.run_to_end(saving)

    @contextmanager
    def show(self, plans: Sequence[P]) -> Iterator[None]:
        with ExitStack() as until_marked, ExitStack() as every:
            until_marked.callback(lambda: self.count_lost(-self._lost))
            self._pending = {id(plan): every.enter_context(ExitStack()) for plan in plans}
            for plan in plans:
                self._pending[id(plan)].enter_context(self._rows.showing(plan))
            if len(plans) > 1:
                self._runner.count_saves(0, len(plans))
                every.callback(self._runner.count_saves, 0, 0)
            yield
            # `watch` marks the rows.
            until_marked.pop_all()

    def show_wait(self, words: str) -> None:
        """Show a toast about a wait, which no longer holds once the outcome is known."""
        self._progress.append(Notice(words, "warning"))
        self._runner.show_toast(self._progress[-1])

    def count_lost(self, changes: int) -> None:
        """Count changes in the header from the moment at which their response is lost."""
        if changes:
            self._lost += changes
            self._rows.workspace.unresolved += changes
            self._app_state.notify_watchers()

    async def on_outcome(self, outcome: Outcome[P, R]) -> bool:
        await self._rows.refresh(outcome)
        # A project that is not found is another error: the row stays.
        if type(outcome.error) is NotFound and (kind := self._rows.kind_of(outcome.plan)):
            self._rows.workspace.collection(kind).remove(outcome.plan.id)
        if self._rows.outdated:
            self._expire_details()
        self._pending[id(outcome.plan)].close()
        if self._runner.texts and outcome.is_saved:
            forget_texts(self._runner)
        self._ended += 1
        if len(self._pending) > 1:
            self._runner.count_saves(self._ended, len(self._pending))
        return True

    @contextmanager
    def watch(self, report: Report[P, R], watched: Sequence[Outcome[P, R]]) -> Iterator[None]:
        """Show the toast, and mark the rows whose change has no known outcome."""
        ended = [outcome for outcome in report.outcomes if not outcome.is_without_journal]
        unsent = len(report.unsent) if len(ended) == len(report.outcomes) else 0
        purpose, is_here = self._planned.purpose, self._is_here
        with ExitStack() as marks:
            for outcome in watched:
                if outcome.ending == "unknown" and (kind := self._rows.kind_of(outcome.plan)):
                    marks.enter_context(self._unresolved.about(kind, outcome.plan.id))
            self.count_lost(-self._lost)
            if ended:
                notice = outcomes.explain_outcomes(ended, unsent, purpose=purpose, is_here=is_here)
                self._unknown_notice = notice if len(ended) == 1 else None
                for earlier in self._progress:
                    # A toast that was just shown is raised first.
                    self._runner.app.call_later(drop_toast, self._runner.app, earlier)
                self._runner.show_toast(notice)
            yield

    def _expire_details(self) -> None:
        if self._app_state.inspector is not None:
            self._app_state.inspector.expire(self._rows.outdated)

    async def on_settled(self, outcome: Outcome[P, R]) -> None:
        await self._rows.refresh(outcome)
        if self._rows.outdated:
            self._expire_details()
        kind = self._rows.kind_of(outcome.plan)
        if outcome.ending == "unknown" and not outcome.was_read and kind is not None:
            # What could not be read stays unresolved in the list until it is read again.
            await self._unresolved.keep(kind, outcome.plan.id)
        settled = outcomes.explain_settled(outcome, is_here=self._is_here)
        self._runner.show_toast(settled, instead_of=self._unknown_notice)

    @property
    def _is_here(self) -> bool:
        """Whether `u` would undo it next."""
        workspace = self._app_state.workspace
        return workspace is not None and self.write_context.signature.reaches(
            self._app_state.signature(workspace)
        )

    async def show_results(self, results: Iterable[Result]) -> bool:
        """List the records that were not changed with their reasons; return True to try them again."""
        skipped = (
            Result(item.id, item.key, UNCHANGED if item.is_no_op else SKIPPED, item.why, kind=item.kind)
            for item in self._planned.skipped
        )
        shown = [*results, *skipped]
        if len(shown) < 2 or all(result.is_saved for result in shown):
            return False
        answer = await self._runner.ask(ResultsScreen(shown))
        if isinstance(answer, Result):
            self._runner.open_record(answer.kind or self._rows.kind, answer.id, answer.key)
        return answer == AGAIN

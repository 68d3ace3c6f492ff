"""The question before a change and what is told after many, the same for every kind of record."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.interface import Interface
from flagtui.app.writing.question import ConfirmScreen, Surface
from flagtui.app.writing.result_lines import Result, left_out_results
from flagtui.app.writing.results_screen import AGAIN, ResultsScreen
from flagtui.changes.guard import Approved, Around, GuardRefused, Question, guard
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import P
from flagtui.store.workspace import Kind
from flagtui.text.outcomes import explain_refusal


@dataclass(frozen=True)
class Approval(Generic[P]):
    """For what was chosen together."""

    app_state: AppState
    interface: Interface
    kind: Kind
    around: Around
    place: str = ""
    """Where it happens, when that is not the project on screen."""

    async def agree(self, plans: Sequence[P], late: asyncio.Task[P] | None = None) -> Approved[P] | None:
        """The approval, or None. What is left out is named, and may be opened instead.

        `late` is the one plan with what was not known yet: the question tells it as soon as it is there.
        """
        session = self.app_state.session
        question = guard(plans, self.app_state.rules_in(self.place), self.around)
        if isinstance(question, GuardRefused):
            if late is not None:
                late.cancel()
            self.interface.tell(explain_refusal(question))
            return None
        surface = Surface(session.colour, session.monotonic)
        screen = ConfirmScreen(question, surface, is_partial=late is not None)
        with self._kept_current(screen, late):
            answer = await self.interface.ask(screen)
        if isinstance(answer, LeftOut):
            self.interface.open_record(self.kind, answer.id, answer.key)
            return None
        if answer is not None and question.type_this == plans[0].type_to_confirm:
            self.app_state.unlock()
        return answer

    @contextmanager
    def _kept_current(self, screen: ConfirmScreen[P], late: asyncio.Task[P] | None) -> Iterator[None]:
        if late is None:
            yield
            return
        rules = self.app_state.rules_in(self.place)

        def show(task: asyncio.Task[P]) -> None:
            question = None if task.cancelled() else guard([task.result()], rules, self.around)
            if isinstance(question, Question):
                screen.show(question)

        late.add_done_callback(show)
        try:
            yield
        finally:
            late.remove_done_callback(show)
            late.cancel()

    async def tell(self, results: Sequence[Result]) -> bool:
        """Name each of many that was not changed, with its reason; True to try again what can be."""
        told = [*results, *left_out_results(self.around.left_out)]
        if len(told) < 2 or all(result.is_saved for result in told):
            return False
        answer = await self.interface.ask(ResultsScreen(told))
        if isinstance(answer, Result):
            self.interface.open_record(self.kind, answer.id, answer.key)
        return answer == AGAIN

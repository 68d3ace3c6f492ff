"""The question before a change and what is told after many, the same for every kind of record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.interface import Interface
from flagtui.app.writing.question import ConfirmScreen, Surface
from flagtui.app.writing.result_lines import Result, left_out_results
from flagtui.app.writing.results_screen import AGAIN, ResultsScreen
from flagtui.changes.guard import Approved, Around, GuardRefused, guard
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

    async def agree(self, plans: Sequence[P]) -> Approved[P] | None:
        """The approval, or None. What is left out is named, and may be opened instead."""
        session = self.app_state.session
        question = guard(plans, self.app_state.rules_in(self.place), self.around)
        if isinstance(question, GuardRefused):
            self.interface.tell(explain_refusal(question))
            return None
        surface = Surface(session.colour, session.monotonic)
        answer = await self.interface.ask(ConfirmScreen(question, surface))
        if isinstance(answer, LeftOut):
            self.interface.open_record(self.kind, answer.id, answer.key)
            return None
        if answer is not None and question.type_this == plans[0].type_to_confirm:
            self.app_state.unlock()
        return answer

    async def tell(self, results: Sequence[Result]) -> bool:
        """Name each of many that was not changed, with its reason; True to try again what can be."""
        told = [*results, *left_out_results(self.around.left_out)]
        if len(told) < 2 or all(result.is_saved for result in told):
            return False
        answer = await self.interface.ask(ResultsScreen(told))
        if isinstance(answer, Result):
            self.interface.open_record(self.kind, answer.id, answer.key)
        return answer == AGAIN

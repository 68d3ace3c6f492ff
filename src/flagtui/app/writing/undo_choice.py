"""The question before an undo of several changes, of which the user may choose some."""

from collections.abc import Iterator, Sequence
from typing import Final

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from flagtui.app.state.app_state import Session
from flagtui.app.widgets.dialog import AnswerButton
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.typed_entry import Entry, Typed
from flagtui.changes.guard import Question
from flagtui.changes.proposal import P
from flagtui.text.question_lines import CURSOR, question_lines
from flagtui.text.styled import Piece

CHOOSE: Final = "x choose"


class UndoChoice(ConfirmScreen[P]):
    """Confirms all changes, or those that were chosen; fewer may need no typing."""

    BINDINGS = [
        # The number of changes is typed with digits: no letter is text here.
        Binding("x", "choose", "choose", priority=True),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
    ]

    def __init__(self, question: Question[P], session: Session) -> None:
        super().__init__(question, session)
        self._chosen: set[int] = set()
        """Places of the changes that are confirmed; all without any."""
        self._cursor = 0

    @property
    def asked(self) -> Question[P]:
        return self._question.only(self._chosen)

    def fact_lines(self, width: int) -> Iterator[list[Piece]]:
        return question_lines(self._question, width, self._session.now(), self._chosen, self._cursor)

    def key_words(self) -> Sequence[str]:
        first, *others = super().key_words()
        return (first, CHOOSE, *others)

    @property
    def down_words(self) -> str:
        return "↑↓ move"

    def typed_field(self, id: str) -> Typed:
        return Digits(id=id)

    def action_choose(self) -> None:
        """Choose the change under the cursor, or not, and go to the next one."""
        self._chosen ^= {self._cursor}
        self._told_at = self._session.clock.monotonic()
        self.query_one("#accept", AnswerButton).label = self._accept_label()
        has_fields = self._has_fields
        for entry in self.query(Entry):
            entry.show(self.typed_words(), len(self.asked.type_this or ""))
            entry.display = has_fields
        (self.query_one(Typed) if has_fields else self.query_one("#cancel")).focus()
        self.action_move(1)
        self._redraw_keys()

    def action_move(self, lines: int) -> None:
        """Move the cursor, and the text with it."""
        self._cursor = min(max(self._cursor + lines, 0), len(self._question.plans) - 1)
        self._fit()
        facts = self.query_one("#facts", Static).visual
        texts = facts.plain.split("\n") if isinstance(facts, Content) else []
        row = next((row for row, text in enumerate(texts) if text[1:2] == CURSOR), 0)
        box = self.query_one("#consequences", VerticalScroll)
        box.scroll_to(y=row - box.size.height // 2, animate=False)


class Digits(Typed):
    """A field for a number: letters are keys of the dialog."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character.isdigit()

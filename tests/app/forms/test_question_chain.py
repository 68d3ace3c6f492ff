"""Questions that follow each other: what Escape on a later one leaves, and what stays entered."""

from typing import Any

from tests.doubles.tables import table

from flagtui.app.forms.question_chain import ask_in_turn
from flagtui.app.shell.change_tasks import CHAIN
from flagtui.app.widgets.dialog import Dialog

LEFT = "left: "
"""Begins a text that is typed before Escape."""
CLOSED = "closed"
"""The program closes the dialog."""


class Question(Dialog[str | None]):
    """A dialog that begins with what was entered in the same question."""

    entered: str | None = None
    began_with: str | None = None

    def __init__(self, name: str) -> None:
        super().__init__()
        self._question = name

    @property
    def question(self) -> str:
        return self._question

    def recall(self, entered: Any) -> None:
        self.began_with = entered


@table("typed, answers, shown", {
    "all answered": (["a", "b"], ["a", "b"], [("first", None), ("second", None)]),
    "the first left": ([LEFT], None, [("first", None)]),
    "back to the first, with its answer and the later text": (["a", "left: dra", "c", "b"], ["c", "b"],
        [("first", None), ("second", None), ("first", "a"), ("second", "dra")]),
    "another question after another answer": (["a", "left: dra", "other", "b"], ["other", "b"],
        [("first", None), ("second", None), ("first", "a"), ("second of other", None)]),
    "left step by step": (["a", "left: dra", LEFT], None,
        [("first", None), ("second", None), ("first", "a")]),
    "closed by the program": (["a", CLOSED], None, [("first", None), ("second", None)]),
})  # fmt: skip
async def test_escape_asks_the_question_before_with_its_answer(
    typed: list[str], answers: list[str] | None, shown: list[tuple[str, str | None]]
) -> None:
    questions: list[tuple[str, str | None]] = []

    async def show(dialog: Any) -> str | None:
        questions.append((dialog.question, dialog.began_with))
        assert dialog.leaves == ("leave" if dialog.question == "first" else "back")
        text = typed[len(questions) - 1]
        dialog.entered = text.removeprefix(LEFT) or None
        dialog.was_closed = text == CLOSED
        return None if dialog.was_closed or text.startswith(LEFT) else text

    async def ask(name: str) -> Any:
        chain = CHAIN.get()
        assert chain is not None
        return await chain(Question(name), show)

    async def ask_both() -> list[str] | None:
        first = await ask("first")
        second = None if first is None else await ask(f"second{' of other' * (first == 'other')}")
        return None if second is None else [first, second]

    # A chain in a chain is a part of it.
    assert await ask_in_turn(lambda: ask_in_turn(ask_both)) == answers
    assert questions == shown
    assert CHAIN.get() is None

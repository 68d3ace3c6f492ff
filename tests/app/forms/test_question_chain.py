"""Questions that follow each other: what Escape on a later one leaves."""

from collections.abc import Sequence
from typing import Any

from tests.doubles.tables import table

from flagtui.app.forms.question_chain import ask_in_turn


@table("typed, answers, shown", {
    "all answered": (["a", "b"], ["a", "b"], [("first", None), ("second", None)]),
    "the first left": ([None], None, [("first", None)]),
    "back to the first, with its answer": (["a", None, "c", "b"], ["c", "b"],
        [("first", None), ("second", None), ("first", "a"), ("second", None)]),
    "left step by step": (["a", None, None], None, [("first", None), ("second", None), ("first", "a")]),
})  # fmt: skip
async def test_escape_asks_the_question_before_with_its_answer(
    typed: list[str | None], answers: list[str] | None, shown: list[tuple[str, str | None]]
) -> None:
    questions: list[tuple[str, str | None]] = []

    def question(name: str) -> Any:
        async def ask(_answers: Sequence[Any], last: str | None) -> str | None:
            questions.append((name, last))
            return typed[len(questions) - 1]

        return ask

    assert await ask_in_turn(question("first"), question("second")) == answers
    assert questions == shown

"""The questions of one command: Escape in a later one asks the one before again; entered text stays."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from textual.screen import Screen

from flagtui.app.shell.change_tasks import CHAIN
from flagtui.app.widgets.dialog import Dialog

AnswerT = TypeVar("AnswerT")


class QuestionLeft(Exception):
    """Escape left a later question of a chain."""


class QuestionChain:
    """Answers of the questions so far; a repeated run gets them without a dialog."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)
        """By question, what an earlier run of the program left in it."""
        self._place = 0
        self._answers: list[tuple[Any, Any]] = []
        """Each question with its answer."""
        self._entered: dict[int, tuple[Any, Any]] = {}
        """By place, the question and what was entered last, accepted or not."""

    def restart(self) -> None:
        """Begin again with the first question."""
        self._place = 0

    async def ask(
        self, screen: Screen[AnswerT], show: Callable[[Screen[AnswerT]], Awaitable[AnswerT | None]]
    ) -> AnswerT | None:
        """Return the answer, from the run before where there is one; None when the first one is left.

        A question that is closed with what covers a list is not left: the whole chain ends.
        """
        assert isinstance(screen, Dialog)
        place, question = self._place, screen.question
        self._place += 1
        if place < len(self._answers):
            before, answer = self._answers[place]
            if before == question:
                return answer  # type: ignore[no-any-return]
            # What was read since made another question of it.
            del self._answers[place:]
        if place:
            screen.leaves = "back"
        before, entered = self._entered.get(place, (None, None))
        if entered is not None and before == question:
            screen.recall(entered)
        elif (text := self._texts.pop(str(question), None)) is not None:
            screen.recall(text)
        answer = await show(screen)
        self._entered[place] = question, screen.entered
        if answer is not None:
            self._answers.append((question, answer))
        elif place and not screen.was_closed:
            self._answers.pop()
            raise QuestionLeft
        return answer


async def ask_in_turn(ask: Callable[[], Awaitable[AnswerT]], texts: Mapping[str, str] = {}) -> AnswerT:
    """Return what the function makes of its questions: one chain, or a part of that of the caller.

    The function runs again from its start after Escape: it changes nothing before its last question.
    A write ends the chain. Its questions begin with the `texts` that an earlier run left in them.
    """
    if CHAIN.get() is not None:
        return await ask()
    chain = QuestionChain(texts)
    token = CHAIN.set(chain.ask)
    try:
        while True:
            try:
                return await ask()
            except QuestionLeft:
                chain.restart()
    finally:
        CHAIN.reset(token)

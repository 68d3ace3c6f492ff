"""Ask several questions one after the other; Escape on a later one asks the one before again."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from flagtui.app.widgets.dialog import LEAVES

Ask = Callable[[Sequence[Any], Any], Awaitable[Any]]
"""Asks a question, given the answers so far and its own last answer, None at first; None when it is left."""


async def ask_in_turn(*questions: Ask) -> Sequence[Any] | None:
    """Return the answers, one for each question; None when the first one is left."""
    answers: list[Any] = []
    last: dict[int, Any] = {}
    while (place := len(answers)) < len(questions):
        token = LEAVES.set("back") if answers else None
        try:
            answer = await questions[place](answers, last.get(place))
        finally:
            if token is not None:
                LEAVES.reset(token)
        if answer is not None:
            last[place] = answer
            answers.append(answer)
        elif answers:
            answers.pop()
        else:
            return None
    return answers

"""The needs of a confirmation: as words for dry runs, and as the options that meet them."""

from shlex import quote
from typing import Any, Final

from flagtui.changes.guard import Question
from flagtui.safe_text import safe_text

OPTION_OF: Final = {"reason": "reason WHY"}
"""Options of needs that take a value which the need does not name."""


def needs_of(question: Question[Any]) -> tuple[str, ...]:
    """Return what a confirmation needs: `yes` or `type TEXT`, `overwrite`, `reason`, `without-journal`."""
    needs = ["yes"] if question.type_this is None else [f"type {question.type_this}"]
    needs += ["overwrite"] if question.conflicts else []
    needs += ["reason"] if question.reason_required else []
    needs += ["without-journal"] if question.without_journal else []
    return tuple(needs)


def how_to_agree(question: Question[Any]) -> str:
    """Return the options that supply the missing parts."""
    parts = (OPTION_OF.get(need, need).partition(" ") for need in needs_of(question))
    options = [f"--{name}{blank}{quote(value)}" if value else f"--{name}" for name, blank, value in parts]
    return f"to agree: {safe_text(' '.join(options), 200)}"

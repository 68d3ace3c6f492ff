"""Trouble that ends a command: a sentence for a person, never a traceback."""

import os
import sys
from typing import TYPE_CHECKING

from flagtui.safe_text import safe_text

if TYPE_CHECKING:
    from flagtui.api.errors import ApiError


class Trouble(Exception):
    """Says what happened and what to do next; ends the program with code 2."""

    def __str__(self) -> str:
        return safe_text(super().__str__(), 1_000)


def in_words(error: "ApiError") -> Trouble:
    """What a server said, or why it could not be asked, with what to do next."""
    return Trouble(f"{error.what} {error.next}")


def require_terminal() -> None:
    """Make sure there is a terminal to draw on and to read keys from.

    Raises:
        Trouble: when input or output is not a terminal, or the terminal cannot be addressed.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Trouble(
            "this opens a screen and needs a terminal for its input and output. "
            "Run it in one (over ssh: ssh -t HOST flagtui)."
        )
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        raise Trouble(
            f"the terminal says it is {os.environ.get('TERM', '') or 'nothing'!r} and cannot be drawn on. "
            "Set TERM to what it really is, such as: TERM=xterm-256color flagtui"
        )

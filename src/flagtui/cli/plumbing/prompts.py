"""Prompts: questions to the user in lines, when input and output are a terminal."""

import getpass
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click
import msgspec

from flagtui.cli.plumbing.output.lines import print_line
from flagtui.safe_text import safe_text


class Prompts(msgspec.Struct, frozen=True):
    """Asks the user at the terminal."""

    is_there: bool
    """Whether there is a user to ask."""

    def ask(self, question: str, default: str) -> str:
        """Ask for a line; enter alone returns the default."""
        with _stoppable():
            answer: str = click.prompt(safe_text(question, 300), default=default, show_default=bool(default))
        return answer.strip()

    def ask_hidden(self, question: str) -> str:
        """Ask for a line that the terminal does not show."""
        try:
            return getpass.getpass(f"{safe_text(question, 300)}: ")
        except EOFError:
            raise click.Abort from None

    def agree(self, question: str) -> bool:
        """Ask a yes-or-no question; enter alone is no."""
        with _stoppable():
            return click.confirm(safe_text(question, 300), default=False)

    def choose(self, question: str, choices: Sequence[str], default: int = 0) -> int:
        """Return the place of the one chosen, by its number."""
        for place, choice in enumerate(choices, 1):
            print_line(f"  {place}  {choice}")
        limits = click.IntRange(1, len(choices))
        with _stoppable():
            number: int = click.prompt(safe_text(question, 300), type=limits, default=default + 1)
        return number - 1


NO_PROMPTS: Final = Prompts(is_there=False)


@contextmanager
def _stoppable() -> Iterator[None]:
    """End the question on Ctrl+C at once: within an event loop it would wait for the answer."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def find_prompts() -> Prompts:
    """Return the prompts of this terminal; they ask nothing unless input and output are a terminal."""
    return Prompts(sys.stdin.isatty() and sys.stdout.isatty())

"""Prompts: questions to the user in lines, when input and output are a terminal."""

import asyncio
import getpass
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import click
import msgspec

from flagtui.cli.plumbing.output.lines import print_line, progress
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


STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
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


class Interrupts:
    """Ctrl+C, SIGTERM or a closed terminal while changes are in flight: the change in flight is finished."""

    number = 0
    """The first signal that came; 0 for none."""

    def __enter__(self) -> None:
        self._task, self._loop = asyncio.current_task(), asyncio.get_running_loop()
        self._before: dict[signal.Signals, Any] = {}
        for number in STOP_SIGNALS:
            before = signal.getsignal(number)
            # Only the main thread of a Unix process can handle signals; a signal ignored (nohup) stays so.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if before is not signal.SIG_IGN:
                    self._loop.add_signal_handler(number, self._stop, number)
                    self._before[number] = before

    @property
    def is_asked(self) -> bool:
        """Whether a signal asked to stop."""
        return self.number != 0

    @property
    def exit_code(self) -> int:
        """The exit code that a shell reports for the signal."""
        return 128 + (self.number or signal.SIGINT)

    def _stop(self, number: signal.Signals) -> None:
        if self.is_asked and self._task is not None:
            self._task.cancel()
            return
        self.number = number
        # A closed terminal takes no message.
        with suppress(OSError):
            progress("stopping after the change in flight; ctrl+c again stops without waiting for it")

    def __exit__(self, *_raised: object) -> None:
        for number, before in self._before.items():
            self._loop.remove_signal_handler(number)
            # The loop restores Python's default handler, which would end the report.
            with suppress(ValueError):
                signal.signal(number, before)

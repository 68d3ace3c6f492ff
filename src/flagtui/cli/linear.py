"""`flagtui --linear`: the commands as lines and prompts, for a screen reader, a braille line, a slow link.

Nothing is addressed on the screen, nothing is drawn with box characters, no value is cut: a line is asked
for, lines answer. Earlier lines come back with the arrow keys where Python has `readline`.
"""

import importlib
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO, cast

from flagtui.cli.plumbing.output.lines import VOICE, print_line
from flagtui.config.locations import KEY_VARIABLE, take_variable

LEAVING = ("quit", "exit", "q")
HELP = ("help", "?")
DRAWN = dict.fromkeys(range(0x2500, 0x2580))
"""Box characters: bars and frames, which add nothing to the words beside them."""


class WithoutDrawing:
    """Standard output without decoration."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.translate(DRAWN))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def without_program(words: list[str]) -> list[str]:
    """Return the words of a command, also of one that was copied with the name of the program before it."""
    from flagtui.cli.plumbing.profile_choice import program_words

    program = program_words()
    count = len(program) if words[: len(program)] == program else words[:1] == program[:1]
    return words[count:] or ["help"]


def start_history() -> Callable[[str], None]:
    """Let the arrow keys edit lines and bring back earlier ones; return what remembers a line."""
    if sys.stdin.isatty():
        # Python for Windows is without it.
        with suppress(ImportError):
            readline = importlib.import_module("readline")
            # Its escape sequences would be read aloud.
            readline.parse_and_bind("set enable-bracketed-paste off")
            # Answers to questions are no commands.
            readline.set_auto_history(False)
            return cast(Callable[[str], None], readline.add_history)
    return lambda _line: None


def run_linear(run: Callable[[list[str]], int], common: list[str]) -> int:
    """Ask for commands until the person leaves; `common` are the options that each of them gets."""
    key = take_variable(KEY_VARIABLE)
    remember = start_history()
    sys.stdout = cast(TextIO, WithoutDrawing(sys.stdout))
    sys.stderr = cast(TextIO, WithoutDrawing(sys.stderr))
    print_line(
        "flagtui, line by line. Type a command: flags list, flags disable KEY, undo. Also: help, quit."
    )
    while True:
        try:
            line = input("flagtui> ").strip()
        except (EOFError, KeyboardInterrupt):
            print_line("")
            return 0
        if line in LEAVING:
            return 0
        if not line:
            continue
        remember(line)
        try:
            words = shlex.split(line)
        except ValueError as wrong:
            print_line(f"The line cannot be read: {wrong}.")
            continue
        words = without_program(words)
        if words[0] in HELP:
            words = [*words[1:], "--help"]
        if key:
            # The command takes it out of the environment before anything else.
            os.environ[KEY_VARIABLE] = key
        VOICE.is_linear = True
        try:
            code = run([*common, *words])
        finally:
            VOICE.is_linear = False
        take_variable(KEY_VARIABLE)
        if code:
            print_line(f"ended with {code}")

"""Single lines of output, each made safe to draw, and broken between words on a terminal."""

import json
import re
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any, Final, TextIO, TypeVar

from flagtui.safe_text import safe_text

_COMMAND: Final = re.compile(r"(?<=[:;] )flagtui .*?(?=;|\.? *$|\. )")
_JOINT: Final = "\0"
"""A space where no line may break; safe text has none of its own."""
RowT = TypeVar("RowT")


class Voice:
    """The amount of output for people."""

    is_quiet = False
    """Whether progress and the outcomes of successful changes are not printed."""
    is_linear = False
    """Whether lines are read aloud or line by line: rows are whole, and not aligned."""


VOICE: Final = Voice()


def print_line(line: str, label: int = 0) -> None:
    """Print one line on standard output; further lines leave the cells of its label blank."""
    _print(safe_text(line, 2_000), sys.stdout, label)


def print_json(value: Any) -> int:
    """Print it in plain ASCII; 0, as a command that did so ends."""
    print(json.dumps(value, ensure_ascii=True, indent=2))
    return 0


def warn(line: str) -> None:
    """Print one line on standard error, where it does not get among the data."""
    _print(f"flagtui: {safe_text(line, 2_000)}", sys.stderr)


def progress(line: str) -> None:
    """Print how far a command has come, on standard error; nothing with `--quiet`."""
    if not VOICE.is_quiet:
        _print(safe_text(line, 2_000), sys.stderr)


def keep_first(
    rows: Sequence[RowT], limit: int, usual: int, rest: str = "the others are not printed. To print more"
) -> Sequence[RowT]:
    """Return at most `limit` of the changes that match, and report more on standard error.

    A smaller limit than the usual one names a few on purpose.
    """
    if len(rows) > limit >= usual:
        warn(f"more than {limit:,} changes match; {rest}: --limit {10 * limit}")
    return rows[:limit]


class Steps:
    """Progress of a slow task, reported on standard error at intervals; quick tasks report nothing."""

    def __init__(self, count: int, doing: str, every: float = 2.0) -> None:
        """Report `doing` of a count of steps, with so many seconds between two lines."""
        self.count = count
        self.doing = doing
        self.done = 0
        self.every = every
        self.reported_at = time.monotonic()

    def take(self, done: int = 1) -> None:
        """Count the next steps and report the progress now and then."""
        self.done += done
        if done and self.done < self.count and time.monotonic() - self.reported_at >= self.every:
            self.reported_at = time.monotonic()
            progress(f"{self.done}/{self.count} {self.doing}")


def _print(line: str, stream: TextIO, label: int = 0) -> None:
    print(
        wrap_line(line, shutil.get_terminal_size().columns, label) if stream.isatty() else line,
        file=stream,
        flush=True,
    )


def wrap_line(line: str, width: int, label: int = 0) -> str:
    """Return the line in as many as it needs for so many cells, others below its first word or label.

    A command after a colon stays in one line, also if it is longer: pasted in parts, it would be others.
    """
    if len(line) <= width:
        return line
    import textwrap

    indent = " " * (label or len(line) - len(line.lstrip()))
    solid = _COMMAND.sub(lambda command: command[0].replace(" ", _JOINT), line)
    lines = textwrap.wrap(
        solid, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace(_JOINT, " ")

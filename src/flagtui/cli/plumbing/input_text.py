"""The text of a file or of standard input, for commands with `--from`."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from flagtui.cli.plumbing.errors import Trouble, require_text
from flagtui.safe_text import safe_text

LONGEST: Final = 4_000_000
"""Characters of a file that are read."""


def read_text(source: str | None) -> str | None:
    """Return a file, or standard input for `-`; None for no source.

    Raises Trouble, also for an empty one and one that is too long.
    """
    if source == "-" and sys.stdin.isatty():
        raise Trouble("- reads standard input, which is a terminal.", "Pipe the JSON in.", code="usage")
    if source is None:
        return None
    name = "standard input" if source == "-" else source
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            text = require_text(file.read(LONGEST + 1))
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        fix = "Name a file, or - for standard input."
        raise Trouble(f"{safe_text(name, 120)} cannot be read: {why}.", fix, code="usage") from None
    if len(text) > LONGEST:
        raise Trouble(f"{name} has more than {LONGEST:,} characters.", "Divide it.", code="usage")
    if not text.strip("\ufeff \t\r\n"):
        raise Trouble(f"{name} is empty; nothing was done.", code="nothing_to_do")
    return text.removeprefix("\ufeff")

"""Single lines of output, each made safe to draw."""

import json
import sys
from typing import Any

from flagtui.safe_text import safe_text


def say(line: str) -> None:
    """Print one line on standard output."""
    print(safe_text(line, 2_000), flush=True)


def print_json(value: Any) -> int:
    """Print it in plain ASCII; 0, as a command that did so ends."""
    print(json.dumps(value, ensure_ascii=True, indent=2))
    return 0


def warn(line: str) -> None:
    """Print one line on standard error, where it does not get among the data."""
    print(f"flagtui: {safe_text(line, 2_000)}", file=sys.stderr, flush=True)


def progress(line: str) -> None:
    """Print how far a command has come, on standard error."""
    print(safe_text(line, 2_000), file=sys.stderr, flush=True)

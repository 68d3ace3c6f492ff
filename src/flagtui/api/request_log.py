"""One line per request for `--log FILE`: never a header, a query, a body or a key."""

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import asdict


class LogLine(msgspec.Struct, frozen=True):
    """The facts about a request that any reader of the log file may know."""

    method: str
    path: str
    attempt: int = 1
    status: int | None = None
    milliseconds: float = 0.0
    size: int = 0
    """Bytes of the unpacked response."""
    fault: str = ""


Log: TypeAlias = Callable[[LogLine], None]


def log_to(path: Path) -> Log:
    """Return a log that appends ASCII JSON lines to a file that only its owner can read."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    # Only a file is ours: as root it would close /dev/null to everyone else.
    if stat.S_ISREG(os.fstat(handle).st_mode) and hasattr(os, "fchmod"):
        os.fchmod(handle, 0o600)

    def write(line: LogLine) -> None:
        # A full disk loses the line, not the request.
        with suppress(OSError):
            os.write(handle, json.dumps(asdict(line), ensure_ascii=True).encode() + b"\n")

    return write

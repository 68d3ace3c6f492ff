"""Crash reports: a file without values and keys."""

import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final
from uuid import uuid4

from flagtui import __version__, local_time
from flagtui.config.files import write_new
from flagtui.private_folders import make_private
from flagtui.safe_text import safe_lines

SOURCE: Final = Path(__file__).parents[1] / "__init__.py"
"""Has the version."""


def crash_report(error: BaseException, redact: Callable[[str], str] = str) -> str:
    """Return the traceback without locals; `redact` removes the key from it."""
    text = redact("".join(traceback.format_exception(error)))
    lines = safe_lines(text, 100_000, 2_000)
    system = f"flagtui {__version__}, Python {sys.version.split()[0]}, {sys.platform}"
    return "\n".join([system, local_time.stamp(time.time()), "", *lines, ""])


def keep_report(report: str, folder: Path) -> Path | None:
    """Write the report, readable by its owner only; return None when the folder cannot be written."""
    # Two crashes within a second are two reports.
    path = folder / f"crash-{local_time.file_stamp(time.time())}-{os.getpid()}-{uuid4().hex[:6]}.txt"
    try:
        make_private(folder)
        write_new(path, report)
    except (OSError, UnicodeEncodeError):
        return None
    return path


def report_place(path: Path | None, source: Path = SOURCE) -> str:
    """Return where the crash report is, None if it could not be written; name an upgrade meanwhile."""
    where = f"The report is in {path}." if path else "The report could not be written."
    version = _installed_version(source)
    upgraded = f"flagtui {version} was installed meanwhile; start it again. "
    return where if version == __version__ else upgraded + where


def _installed_version(source: Path) -> str:
    """Return the version of the files, which an upgrade replaces while the program runs."""
    try:
        text = source.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return __version__
    return text.partition('__version__ = "')[2].partition('"')[0] or __version__

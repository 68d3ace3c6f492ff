"""What a change passes through: files, functions and envelope types of the client, seen by a profiler."""

import inspect
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"
ENVELOPES: Final = "flagtui.changes."
"""Types of this package that are created carry the change from one step to the next."""


@dataclass
class WriteTrace:
    """Distinct files and functions that were entered, and types of `changes` that were passed on.

    Only a `def` counts: a comprehension has no frame from Python 3.12 on, and a class body runs when its
    module is first imported.
    """

    files: set[str] = field(default_factory=set)
    functions: set[tuple[str, str]] = field(default_factory=set)
    envelopes: set[str] = field(default_factory=set)

    def notice(self, frame: FrameType, event: str, value: Any) -> None:
        if event == "return":
            self._note(value)
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(str(SOURCE)):
            path = code.co_filename[len(str(SOURCE)) + 1 :]
            if not _is_service(frame) and code.co_flags & inspect.CO_OPTIMIZED:
                self.files.add(path)
                if not code.co_name.startswith("<"):
                    self.functions.add((path, code.co_qualname))

    def _note(self, value: object) -> None:
        kind = type(value)
        if kind.__module__.startswith(ENVELOPES):
            self.envelopes.add(kind.__name__)


def _is_service(frame: FrameType | None) -> bool:
    """Whether the service runs, which may be in this process, or the evaluator for it."""
    while frame is not None:
        path = frame.f_code.co_filename.removeprefix(f"{SOURCE}/")
        if path != frame.f_code.co_filename and not path.startswith("evaluate/"):
            return path.startswith("service/")
        frame = frame.f_back
    return False


@contextmanager
def tracing_writes() -> Iterator[WriteTrace]:
    """Trace this thread, and threads that start meanwhile."""
    trace = WriteTrace()
    threading.setprofile(trace.notice)
    sys.setprofile(trace.notice)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)

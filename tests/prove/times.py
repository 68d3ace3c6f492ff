"""A pytest plugin: how long each test took, as JSON lines in the file that FLAGTUI_TIMES names."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

SECONDS = defaultdict[str, float](float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write them once; a worker of a distributed run has reported its own to the process that writes."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        lines = (json.dumps([test, round(seconds, 4)]) for test, seconds in SECONDS.items())
        Path(os.environ["FLAGTUI_TIMES"]).write_text("\n".join(lines), encoding="utf-8")

"""What holds for every test."""

import gc
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from tests.doubles.parsed_styles import parse_once
from tests.doubles.slices import at_most, is_left_out

from flagtui.local_time import use_zone

# Screens name the person's zone and have as many colours as TERM promises; tests must not depend on either.
os.environ.update(TZ="UTC", TERM="xterm-256color")
time.tzset()
# In a background job SIGINT is ignored, by every program that a test starts too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of databases that wait for a disk at each commit were half the time of a run. What a test leaves
# behind goes when it has passed, so this much is room enough.
_MEMORY = Path("/dev/shm")
_ROOM = 2 * 1024**3


_DEPTH = sys.getrecursionlimit()


def _keep_files_in_memory() -> None:
    if "PYTEST_DEBUG_TEMPROOT" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return
    place = os.statvfs(_MEMORY)
    if place.f_bavail * place.f_frsize >= _ROOM and not place.f_flag & os.ST_NOEXEC:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_MEMORY)
        _remove_files_of_killed_runs()


def _remove_files_of_killed_runs() -> None:
    """Free the memory at once: pytest keeps what a killed run left for three days."""
    for lock in _MEMORY.glob("pytest-of-*/pytest-*/.lock"):
        with suppress(OSError, ValueError):
            if not Path(f"/proc/{int(lock.read_text())}").exists():
                shutil.rmtree(lock.parent, ignore_errors=True)


_keep_files_in_memory()

# On a build machine the same examples every time: a new find belongs to a run that looks for it,
# not to the next change.
EXAMPLES = at_most(40, 100)
settings.register_profile("same", derandomize=True, deadline=None, max_examples=EXAMPLES)
settings.register_profile("new", deadline=None, max_examples=EXAMPLES)
settings.load_profile("same" if os.environ.get("CI") else "new")

# Thousands of tests and the modules they load stay until the end. Looking through them for garbage again
# and again took a fifth of the time of a run.
gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make check-slice` and `make check-modes` run."""
    left_out = {item for item in items if is_left_out(item)}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """From now on garbage is looked for among what the tests themselves make."""
    gc.freeze()
    # Few objects at a time: they are still in the caches of the processor.
    gc.set_threshold(30_000, 20, 100)
    gc.enable()


def pytest_runtest_setup() -> None:
    """Begin every test at the same depth: hypothesis raises the limit, and may leave it raised."""
    sys.setrecursionlimit(_DEPTH)


@pytest.fixture(scope="session", autouse=True)
def _styles_parsed_once() -> Iterator[None]:
    with parse_once():
        yield


@pytest.fixture
def berlin() -> Iterator[None]:
    """The person is in Berlin, as the settings say: an hour ahead of UTC in winter, two in summer."""
    use_zone("Europe/Berlin")
    yield
    use_zone("")


@pytest.fixture(params=["time_zone", "TZ"])
def in_berlin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same, said by the settings or by the environment."""
    if request.param == "TZ":
        monkeypatch.setenv("TZ", "Europe/Berlin")
        time.tzset()
    else:
        use_zone("Europe/Berlin")
    yield request.param
    use_zone("")
    monkeypatch.undo()
    time.tzset()

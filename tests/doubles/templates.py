"""The databases that journeys, golden screens and terminals begin with, each made once in a run."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.whole_program import make_template

from flagtui.cli.launch.demo_service import KEY
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample


def make_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the path of a file or folder for all workers: the first one makes it, the others wait."""
    base = folders.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    path, begun = base / name, base / f"begun-{name}"
    with (base / f"lock-{name}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make(begun)
            begun.rename(path)
    return path


def sample_database(
    folders: pytest.TempPathFactory, *, one_in: int = 1, nasty: bool = False, few_events: bool = False
) -> Path:
    """The sample, or the one whose every text tries to harm the terminal; one in so many people stay."""
    name = f"{'nasty' if nasty else 'sample'}-{one_in}-{few_events}.db"
    return make_once(
        folders, name, lambda path: make_template(path, one_in=one_in, few_events=few_events, nasty=nasty)
    )


def demo_folder(folders: pytest.TempPathFactory) -> Path:
    """The data that the first `flagtui demo` makes, which takes as long as the start itself.

    That a start makes it is for tests/cli/test_first_start.py and tests/test_packaging.py.
    """
    return make_once(folders, "demo-data", _make_demo_data)


def _make_demo_data(folder: Path) -> None:
    folder.mkdir()
    close_service(create_service(folder / "demo.db", key=KEY, sample=sample()))

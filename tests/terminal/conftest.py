"""Folders of a person who has the demo's database already."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.templates import make_once
from tests.doubles.terminal import Terminal

from flagtui.cli.launch.demo_service import KEY
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample

DEMO = [sys.executable, "-m", "flagtui", "demo"]
SIZE = (132, 40)
FOLDERS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")

Furnish = Callable[[Path], dict[str, str]]
"""Makes a folder a person's home and returns the variables that say so."""


@pytest.fixture(scope="session")
def furnish(tmp_path_factory: pytest.TempPathFactory) -> Furnish:
    """Homes with the database that the first `flagtui demo` makes, which takes as long as the start itself.

    That a start makes it is for tests/cli/test_first_start.py and tests/test_packaging.py.
    """
    made = make_once(tmp_path_factory, "demo-home", _make_demo_home)

    def furnish_home(home: Path) -> dict[str, str]:
        shutil.copytree(made, home / "flagtui")
        return dict.fromkeys(FOLDERS, str(home))

    return furnish_home


def _make_demo_home(folder: Path) -> None:
    folder.mkdir()
    close_service(create_service(folder / "demo.db", key=KEY, sample=sample(), max_flags=2_000))


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> Path:
    """The home of a person who has left the demo from a live list."""
    home = tmp_path_factory.mktemp("left")
    folders = furnish(home)
    for _ in range(4):
        with Terminal(DEMO, size=SIZE, environment=folders) as terminal:
            terminal.wait_for("alice@acme.com +● synced")
            terminal.press("q")
            assert terminal.wait_for_end() == 0
        if list(home.glob("flagtui/frames/frame-*")):
            return home
    pytest.fail("no screen was kept")


@pytest.fixture
def kept(left: Path, tmp_path: Path) -> dict[str, str]:
    """Folders of such a person."""
    shutil.copytree(left, tmp_path, dirs_exist_ok=True)
    return dict.fromkeys(FOLDERS, str(tmp_path))

"""Folders of a person who has the demo's database already."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.templates import demo_folder
from tests.doubles.terminal import FOLDERS, Terminal

DEMO = [sys.executable, "-m", "flagtui", "demo"]
SIZE = (132, 40)

Furnish = Callable[[Path], dict[str, str]]
"""Makes a folder a person's home and returns the variables that say so."""


@pytest.fixture(scope="session")
def furnish(tmp_path_factory: pytest.TempPathFactory) -> Furnish:
    """Homes with the data of a demo that was here before."""
    made = demo_folder(tmp_path_factory)

    def furnish_home(home: Path) -> dict[str, str]:
        shutil.copytree(made, home / "flagtui")
        return dict.fromkeys(FOLDERS, str(home))

    return furnish_home


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory, furnish: Furnish) -> Path:
    """The home of a person who has left the demo from a live list."""
    home = tmp_path_factory.mktemp("left")
    folders = furnish(home)
    for _ in range(4):
        with Terminal(DEMO, size=SIZE, environment=folders) as terminal:
            terminal.wait_for("alice@acme.com +● synced")
            assert terminal.press_to_end("q") == 0
        if list(home.glob("flagtui/frames/frame-*")):
            return home
    pytest.fail("no screen was kept")


@pytest.fixture
def kept(left: Path, tmp_path: Path) -> dict[str, str]:
    """Folders of such a person."""
    shutil.copytree(left, tmp_path, dirs_exist_ok=True)
    return dict.fromkeys(FOLDERS, str(tmp_path))


def assert_restored(terminal: Terminal) -> None:
    """Fail unless the shell has its terminal back as it was."""
    assert terminal.attributes() == terminal.attributes_before
    assert terminal.modes_on() == set()

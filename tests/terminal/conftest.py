"""Folders of a person who has the demo's database already."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flagtui.cli.demo_service import KEY
from flagtui.service import close_service, create_service
from flagtui.service.sample_data import sample

FOLDERS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")

Furnish = Callable[[Path], dict[str, str]]
"""Makes a folder a person's home and returns the variables that say so."""


@pytest.fixture(scope="session")
def furnish(tmp_path_factory: pytest.TempPathFactory) -> Furnish:
    """Homes with the database that the first `flagtui demo` makes, which takes as long as the start itself.

    That a start makes it is for tests/cli/test_first_start.py and tests/test_packaging.py.
    """
    made = tmp_path_factory.mktemp("demo")
    close_service(create_service(made / "demo.db", key=KEY, sample=sample(), max_flags=2_000))

    def furnish_home(home: Path) -> dict[str, str]:
        shutil.copytree(made, home / "flagtui")
        return dict.fromkeys(FOLDERS, str(home))

    return furnish_home

"""Flags as the server would send them, and the surroundings of a plan."""

from pathlib import Path
from typing import Any

import pytest
from tests.changes.office import Office
from tests.doubles.flag_server import raw_flag

from flagtui.changes.blocked import Linked
from flagtui.changes.flags.flag_context import Context, Reach
from flagtui.models.flag import Flag

NOW = 1_780_000_000.0


class FlagMaker:
    """Makes a flag from the fields a test is about."""

    def __call__(self, **fields: Any) -> Flag:
        return Flag.of(raw_flag(**fields))


@pytest.fixture
def flag() -> FlagMaker:
    return FlagMaker()


@pytest.fixture
def calm() -> Context:
    """Everything is known, and nothing speaks against the change."""
    return Context(now=NOW, reach=Reach(before=41_230, after=0, total=82_460), dependents=())


@pytest.fixture
def child() -> Linked:
    """Another flag that asks for the one under test, and is on."""
    return Linked(9, "child", True)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)

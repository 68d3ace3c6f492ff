"""Golden screens start from the same sample as the journeys."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.slices import FULL
from tests.doubles.templates import sample_database
from tests.doubles.whole_program import WIDE, Program, Setting

HERE = Path(__file__).parent
WRITES = os.environ.get("FLAGTUI_GOLDEN") == "write"
SIZES = [(132, 40), (80, 24), (60, 15)] if FULL or WRITES else [(132, 40), (60, 15)]
"""The widest and the narrowest; a full run draws every screen at the size between them, too."""


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_database(tmp_path_factory, one_in=16)


@pytest.fixture(scope="session")
def nasty_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_database(tmp_path_factory, one_in=16, nasty=True)


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


class Golden:
    """Compares a screen with the text kept beside this file; FLAGTUI_GOLDEN=write keeps what is drawn now."""

    def check(self, name: str, drawn: str) -> None:
        path = HERE / f"{name}.txt"
        if WRITES:
            path.write_text(drawn, encoding="utf-8")
        assert drawn == path.read_text(encoding="utf-8"), f"{name} is drawn differently; see {path.name}"


async def draw(
    program: Program,
    golden: Golden,
    name: str,
    see: Callable[[Program], str] = lambda open_program: open_program.screen,
) -> None:
    """Compare the screen at every size."""
    for width, height in SIZES:
        await program.pilot.resize_terminal(width, height)
        await program.settle()
        golden.check(f"{name}-{width}x{height}", see(program))


@pytest.fixture
def golden() -> Golden:
    return Golden()

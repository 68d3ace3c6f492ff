"""What every journey starts from."""

from collections import Counter
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace
from tests.doubles.frame_truth import COMPARED as FRAMES
from tests.doubles.setting import USUAL_SIZE
from tests.doubles.shared_program import SharedProgram
from tests.doubles.templates import sample_database
from tests.doubles.two_displays import COMPARED, DisplaysDiffer
from tests.doubles.whole_program import WIDTH, Program, Setting, running
from tests.journeys.modes import MODES, NARROW_MODES


@pytest.fixture(scope="session")
def few_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_database(tmp_path_factory, one_in=16, few_events=True)


@pytest.fixture(scope="session")
def everybody(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For journeys about certain people, or about how many there are."""
    return sample_database(tmp_path_factory)


@pytest.fixture
def template(few_people: Path) -> Path:
    return few_people


@pytest.fixture
def setting(template: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Setting:
    """At the size that the module names as its `SIZE`."""
    return Setting(template, tmp_path, getattr(request.module, "SIZE", USUAL_SIZE))


@pytest.fixture(params=MODES)
def any_mode(setting: Setting, request: pytest.FixtureRequest) -> Setting:
    """The same on each kind of server."""
    return replace(setting, options=MODES[request.param])


@pytest.fixture(params=NARROW_MODES)
def narrow_mode(setting: Setting, request: pytest.FixtureRequest) -> Setting:
    """The same on each kind of server, the old one with what the product keeps from keys."""
    return replace(setting, options=NARROW_MODES[request.param])


@pytest.fixture(scope="module")
def shared_setting(
    few_people: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Setting:
    """What the program begins with that the journeys of a file share."""
    size = getattr(request.module, "SIZE", USUAL_SIZE)
    return Setting(few_people, tmp_path_factory.mktemp("shared"), size)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_program(shared_setting: Setting) -> AsyncIterator[SharedProgram]:
    async with running(shared_setting) as program:
        yield SharedProgram(program)


@pytest_asyncio.fixture(loop_scope="module")
async def shared(shared_program: SharedProgram) -> Program:
    """The program of this file as if it had just started; for journeys that change nothing on the server."""
    return await shared_program.start_over()


@pytest_asyncio.fixture(loop_scope="module")
async def program(setting: Setting) -> AsyncIterator[Program]:
    """A program of its own, for journeys that change something."""
    async with running(setting) as program:
        yield program


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the journeys of a file run in one loop, which is that of the program that they share."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """At a width it was not written for, a journey is told as far as its own assertions allow.

    What fails it then is a difference between the two displays alone.
    """
    report = yield
    report.user_properties += [(f"frame: {part}", number) for part, number in FRAMES.items()]
    FRAMES.clear()
    if WIDTH and call.when == "call":
        report.user_properties.append(("compared", COMPARED.total()))
        COMPARED.clear()
        if call.excinfo is not None and not call.excinfo.errisinstance(DisplaysDiffer):
            report.outcome = "passed"
            report.user_properties.append(("cut short", 1))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many screens were compared, and how many steps of the frame, part by part."""
    counted = Counter[str]()
    for report in [
        report for each in ("", "passed", "failed") for report in terminalreporter.getreports(each)
    ]:
        for name, value in report.user_properties:
            counted[name] += value
    parts = [
        (name.removeprefix("frame: "), number) for name, number in counted.items() if name[:5] == "frame"
    ]
    steps = dict(parts).pop("steps", 0)
    named = ", ".join(f"{name} {number:,}" for name, number in sorted(parts) if name != "steps")
    if steps:
        terminalreporter.write_line(f"{steps:,} steps compared with the model: {named}")
    if not WIDTH:
        return
    terminalreporter.write_line(
        f"{WIDTH} columns: {counted['compared']} pairs of screens compared; "
        f"{counted['cut short']} journeys went only as far as this width lets them"
    )

"""The steps of docs/architecture.md are walked: each function named there is entered, in that order."""

import asyncio
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from msgspec.structs import replace
from tests.doubles.whole_program import Setting, running

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.service import create_service
from flagtui.service.application import close_service

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "flagtui"
TEXT: Final = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP: Final = re.compile(r"^\| [^|]+ \| `([\w/]+\.py)` `([\w.]+)` \|$", re.MULTILINE)
NOWHERE: Final = "http://127.0.0.1:8010"
Step = tuple[str, str]


def steps_under(heading: str) -> list[Step]:
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    steps = STEP.findall(section)
    assert len(steps) > 3, f"no steps under {heading}"
    return steps


@contextmanager
def trace_entered() -> Iterator[list[Step]]:
    """Functions of ours in the order in which each is entered first, also in threads that begin meanwhile."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
    order: dict[Step, None] = {}

    def notice(frame: FrameType, event: str, _arg: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(SOURCE)):
            order[file[len(str(SOURCE)) + 1 :], frame.f_code.co_qualname] = None

    steps: list[Step] = []
    threading.setprofile(notice)
    sys.setprofile(notice)
    try:
        yield steps
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        steps += order


def not_in_order(expected: list[Step], steps: list[Step]) -> list[Step]:
    """Steps that were not entered, or before the one that is named above them."""
    places = [steps.index(step) if step in steps else -1 for step in expected]
    furthest, wrong = -1, []
    for step, place in zip(expected, places, strict=True):
        if place < furthest:
            wrong.append(step)
        furthest = max(furthest, place)
    return wrong


async def test_space_on_a_flag_takes_the_steps_of_the_map(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        with trace_entered() as steps:
            await program.press("space", "y")
        assert not (await program.stored("new-nav")).active
    assert not_in_order(steps_under("Space on a flag"), steps) == []


async def test_letter_in_the_search_line_takes_the_documented_steps(setting: Setting) -> None:
    # Two terminals have every frame drawn, also those before the program is at rest.
    async with running(replace(setting, two_displays=True)) as program:
        await program.press("slash", "n")
        with trace_entered() as steps:
            await program.press("e")
    assert not_in_order(steps_under("A letter in the search line"), steps) == []


async def test_request_takes_the_documented_steps_in_the_service(tmp_path: Path) -> None:
    with trace_entered() as steps:
        # Its threads begin with it.
        service = create_service(tmp_path / "flags.db", key="phx_everything")
        async with Client(NOWHERE, "phx_everything", 1, transport=in_process(service)) as client:
            made = await client.flags.create({"key": "one"})
            await client.flags.update(made.id, {"active": False})
        close_service(service)
    assert not [step for step in steps_under("The same request in the service") if step not in steps]

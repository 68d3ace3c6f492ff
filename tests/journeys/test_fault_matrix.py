"""Every fault while the app reads a list and each kind of record."""

import re
from collections.abc import Callable, Sequence
from typing import Final

import httpx
from tests.doubles.faults import FAULTS
from tests.doubles.slices import FULL, cross
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import Fault as WireFault
from tests.doubles.wire import Wire

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.app.shell.sign_in import SignInScreen

CASES: Final[Sequence[str]] = (
    list(FAULTS) if FULL else list({FAULTS[name].means: name for name in FAULTS}.values())
)
"""In a short run one for each meaning: tests/cli/test_fault_matrix.py holds what each fault is called,
and tests/changes/test_every_kind.py how a change ends after it."""


def faulty(name: str, is_meant: Callable[[httpx.Request], bool]) -> WireFault:
    """The fault in place of the answers to some requests."""
    real = httpx.Response(200, content=b'{"count": 3, "results": [')
    return lambda request: FAULTS[name].serve(request, real) if is_meant(request) else None


async def end_faults(program: Program) -> None:
    """The server answers again; a dialog that asks for another key is left."""
    program.wire.heal()
    if isinstance(program.app.screen, SignInScreen):
        await program.press("escape")


async def read_list(setting: Setting, cases: Sequence[str]) -> None:
    """What is wrong is said, and F5 brings the rows once it is over."""
    for name in cases:

        def wire(wire: Wire, name: str = name) -> None:
            is_list = "/api/projects/1/feature_flags/"
            wire.before = faulty(name, lambda request: request.url.path == is_list)

        async with running(setting, wire) as program:
            program.see(FAULTS[name].words)
            await end_faults(program)
            await program.press("f5", front=FlagsScreen, rows=248)


async def read_record(program: Program, cases: Sequence[str], *, tab: str) -> None:
    """The page opens with what is wrong, and F5 brings the rest once it is over; each of another record."""
    noun = NOUNS[tab]
    is_record = re.compile(rf"/api/projects/1/{noun}/[^/]+/")
    await program.press(tab)
    for name in cases:
        program.wire.before = faulty(name, lambda request: bool(is_record.fullmatch(request.url.path)))
        await program.press("enter")
        assert any(isinstance(screen, RecordScreen) for screen in program.app.screen_stack), name
        program.see(FAULTS[name].words)
        await end_faults(program)
        await program.press("f5", lacks=FAULTS[name].words, front=RecordScreen)
        await program.press("escape", "down")
        program.app.clear_notifications()


NOUNS: Final = {"1": "feature_flags", "2": "experiments", "3": "event_definitions"}
"""By the key of a tab: where its records are read."""
READS: Final = cross(("list", *NOUNS), CASES)


async def test_a_fault_of_a_first_read_is_named_and_passes(setting: Setting) -> None:
    await read_list(setting, [name for kind, name in READS if kind == "list"])


async def test_a_fault_of_a_record_is_named_and_passes(program: Program) -> None:
    for tab in NOUNS:
        await read_record(program, [name for kind, name in READS if kind == tab], tab=tab)

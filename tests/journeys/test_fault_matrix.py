"""Every fault while the app reads a list, reads each kind of record, and changes one or several."""

import re
from collections.abc import Callable, Sequence
from typing import Final

import httpx
import pytest
from tests.doubles.faults import DONE_OR_NOT, ENDINGS, FAULTS, SENT_AGAIN
from tests.doubles.slices import FULL, cross
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Fault as WireFault
from tests.doubles.wire import Wire

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.app.shell.sign_in import SignInScreen

Case = tuple[str, bool]
"""A fault, and whether the server had acted by then."""
CASES: Final[Sequence[Case]] = (
    DONE_OR_NOT
    if FULL
    else list({(FAULTS[name].means, is_done): (name, is_done) for name, is_done in DONE_OR_NOT}.values())
)
"""In a short run one for each outcome: tests/changes/test_every_kind.py holds which fault leads to which,
and tests/cli/test_fault_matrix.py what each is called."""
SAID_OTHERWISE: Final = {("event_definitions", "500"): "may have been deleted"}
"""The product answers 500 for a definition that is gone."""


def faulty(name: str, is_meant: Callable[[httpx.Request], bool]) -> WireFault:
    """The fault in place of the answers to some requests."""
    real = httpx.Response(200, content=b'{"count": 3, "results": [')
    return lambda request: FAULTS[name].serve(request, real) if is_meant(request) else None


async def end_faults(program: Program) -> None:
    """The server answers again; a dialog that asks for another key is left."""
    program.wire.before = program.wire.after = lambda request: None
    if isinstance(program.app.screen, SignInScreen):
        await program.press("escape")


async def read_list(setting: Setting, cases: Sequence[Case]) -> None:
    """What is wrong is said, and F5 brings the rows once it is over."""
    for name, _ in cases:

        def wire(wire: Wire, name: str = name) -> None:
            is_list = "/api/projects/1/feature_flags/"
            wire.before = faulty(name, lambda request: request.url.path == is_list)

        async with running(setting, wire) as program:
            assert FAULTS[name].words in words(program.screen), name
            await end_faults(program)
            await program.press("f5")
            assert isinstance(program.app.screen, FlagsScreen)
            assert program.rows.shown == 248, name


async def read_record(program: Program, cases: Sequence[Case], *, tab: str) -> None:
    """The page opens with what is wrong, and F5 brings the rest once it is over; each of another record."""
    noun = NOUNS[tab]
    is_record = re.compile(rf"/api/projects/1/{noun}/[^/]+/")
    await program.press(tab)
    for name, _ in cases:
        message = SAID_OTHERWISE.get((noun, name), FAULTS[name].words)
        program.wire.before = faulty(name, lambda request: bool(is_record.fullmatch(request.url.path)))
        await program.press("enter")
        assert any(isinstance(screen, RecordScreen) for screen in program.app.screen_stack), name
        assert message in words(program.screen), name
        await end_faults(program)
        await program.press("f5")
        assert isinstance(program.app.screen, RecordScreen), name
        assert message not in words(program.screen), name
        await program.press("escape", "down")
        program.app.clear_notifications()


async def change(program: Program, cases: Sequence[Case], *, keys: tuple[str, ...]) -> None:
    """Journal and rows say what the server did, which is asked once."""
    for name, is_done in cases:
        before = {key: program.row(key).active for key in keys}
        for key in keys:
            await program.go_to(key, "x")
        entry_count, program.wire.passed[:] = len(program.journal.entries()), ()
        answer = faulty(name, lambda request: request.method == "PATCH")
        if is_done:
            program.wire.after = answer
        else:
            program.wire.before = answer
        await program.press("space", "y")
        sent = program.wire.writes()
        assert sent, name
        assert len(sent) == len(set(sent)) or name in SENT_AGAIN, name
        ending = ENDINGS[FAULTS[name].means, is_done]
        # The newest one is first.
        entries = program.journal.entries()
        assert {entry.ending for entry in entries[: len(entries) - entry_count]} == {ending}, name
        await end_faults(program)
        for key in keys:
            assert (await program.stored(key)).active is (before[key] is not is_done), name
            assert program.row(key).active is (before[key] is not is_done), name
        program.app.uncover_list()
        program.rows.action_clear_marks()
        await program.settle()


KEYS: Final = ("new-nav", "billing-usage-alerts")
NOUNS: Final = {"1": "feature_flags", "2": "experiments", "3": "event_definitions"}
"""By the key of a tab: where its records are read."""
NUMBERS: Final = {"one": KEYS[:1], "several": KEYS}
READS: Final = cross(("list", *NOUNS), [case for case in CASES if not case[1]])


async def test_a_fault_of_a_first_read_is_named_and_passes(setting: Setting) -> None:
    await read_list(setting, [case for name, case in READS if name == "list"])


async def test_a_fault_of_a_record_is_named_and_passes(setting: Setting) -> None:
    async with running(setting) as program:
        for tab in NOUNS:
            await read_record(program, [case for name, case in READS if name == tab], tab=tab)


@pytest.mark.parametrize("number", NUMBERS)
async def test_every_fault_of_a_change_has_its_own_outcome(setting: Setting, number: str) -> None:
    chosen = cross(NUMBERS, CASES)
    async with running(setting) as program:
        await change(program, [case for name, case in chosen if name == number], keys=NUMBERS[number])

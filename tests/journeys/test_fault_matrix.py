"""Every fault against what the app does: it reads a list, each kind of record, and changes one or several."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

import httpx
import pytest
from tests.doubles.faults import DONE_OR_NOT, ENDINGS, FAULTS, SENT_AGAIN
from tests.doubles.slices import crossed
from tests.doubles.whole_program import Program, Setting, running, words
from tests.doubles.wire import Fault as WireFault
from tests.doubles.wire import Wire

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.widgets.row_list import RowList

KEYS: Final = ("new-nav", "billing-usage-alerts")
SAID_OTHERWISE: Final = {("event_definitions", "500"): "may have deleted it"}
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


async def read_list(setting: Setting, name: str, is_done: bool) -> None:
    """What is wrong is said, and F5 brings the rows once it is over."""

    def wire(wire: Wire) -> None:
        is_list = "/api/projects/1/feature_flags/"
        wire.before = faulty(name, lambda request: request.url.path == is_list)

    async with running(setting, wire) as program:
        assert FAULTS[name].words in words(program.screen)
        await end_faults(program)
        await program.press("f5")
        assert isinstance(program.app.screen, FlagsScreen)
        assert program.app.screen.query_one(RowList).shown == 248


async def read_record(
    setting: Setting, name: str, is_done: bool, *, tab: str, searched: str, noun: str
) -> None:
    """The page opens with what is wrong, and F5 brings the rest once it is over."""
    said = SAID_OTHERWISE.get((noun, name), FAULTS[name].words)
    async with running(setting) as program:
        await program.press(tab, "slash", *searched, "enter")
        is_record = re.compile(rf"/api/projects/1/{noun}/[^/]+/")
        program.wire.before = faulty(name, lambda request: bool(is_record.fullmatch(request.url.path)))
        await program.press("enter")
        assert any(isinstance(screen, RecordScreen) for screen in program.app.screen_stack)
        assert said in words(program.screen)
        await end_faults(program)
        await program.press("f5")
        assert isinstance(program.app.screen, RecordScreen)
        assert said not in words(program.screen)


async def change(setting: Setting, name: str, is_done: bool, *, keys: tuple[str, ...]) -> None:
    """Journal and rows say what the server did, which is asked once."""
    async with running(setting) as program:
        for key in keys:
            await program.go_to(key)
            await program.press("x")
        answer = faulty(name, lambda request: request.method == "PATCH")
        if is_done:
            program.wire.after = answer
        else:
            program.wire.before = answer
        await program.press("space", "y")
        sent = program.wire.writes()
        assert sent
        assert len(sent) == len(set(sent)) or name in SENT_AGAIN
        ending = ENDINGS[FAULTS[name].means, is_done]
        assert {entry.ending for entry in program.journal.entries()} == {ending}
        await end_faults(program)
        for key in keys:
            assert (await program.stored(key)).active is not is_done
            assert program.row(key).active is not is_done


OPERATIONS: Final[Mapping[str, Callable[[Setting, str, bool], Awaitable[None]]]] = {
    "list": read_list,
    "flag": partial(read_record, tab="1", searched="new-nav", noun="feature_flags"),
    "experiment": partial(read_record, tab="2", searched="checkout", noun="experiments"),
    "event": partial(read_record, tab="3", searched="check comp", noun="event_definitions"),
    "one change": partial(change, keys=KEYS[:1]),
    "several changes": partial(change, keys=KEYS),
}


@pytest.mark.parametrize(
    ("operation", "name", "is_done"),
    [
        (operation, name, is_done)
        for operation, (name, is_done) in crossed(OPERATIONS, DONE_OR_NOT)
        if "change" in operation or not is_done
    ],
)
async def test_a_fault_is_told_as_what_it_is_and_passes(
    setting: Setting, operation: str, name: str, is_done: bool
) -> None:
    await OPERATIONS[operation](setting, name, is_done)

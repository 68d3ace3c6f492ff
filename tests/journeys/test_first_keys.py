"""Keys on rows of the last run, pressed before there is a connection: queued in order, or refused."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.whole_program import WIDE, Program, Setting, running
from textual import events

from flagtui.app.events.event_screen import EventScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.config.preferences import Preferences

THIRD = ("down", "down")
"""Keys that lead to a flag which is not the first."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def last_run(shared_setting: Setting) -> Setting:
    """The setting of an earlier run, with the rows that it left."""
    memory = Preferences(memory=Path(shared_setting.folder) / "memory")
    remembering = replace(shared_setting, snapshots=True, preferences=memory, size=WIDE)
    async with running(remembering):
        pass
    (remembering.folder / "service.db").unlink()
    return remembering


@pytest.fixture
def setting(last_run: Setting, tmp_path: Path) -> Setting:
    folder = tmp_path / "run"
    shutil.copytree(last_run.folder, folder)
    return replace(last_run, folder=folder, preferences=Preferences(memory=folder / "memory"))


@asynccontextmanager
async def connecting(
    setting: Setting, *, has_key: bool = True
) -> AsyncIterator[tuple[Program, asyncio.Event]]:
    """A start on rows of an earlier run whose connection waits for the event."""
    connected = asyncio.Event()
    waiting = replace(setting, key_found=connected, has_key=has_key)
    async with running(waiting, wait=False) as program:
        while not isinstance(program.app.screen, WorkspaceList) or not program.app.screen.rows.shown:
            await program.pilot.pause()
        yield program, connected


async def press(program: Program, *keys: str) -> None:
    for key in keys:
        await program.press_without_waiting(key)
    program.see(front=WorkspaceList)
    assert not program.wire.passed


def row(program: Program) -> str:
    """The key of the flag under the cursor."""
    return str(require(program.front(ListScreen).record).key)


async def test_queued_keys_keep_order_and_row_and_escape_drops_them(setting: Setting) -> None:
    async with connecting(setting) as (program, connected):
        await press(program, "x", "s", "down", "v")
        assert len(program.rows.marks) == 1, "what needs no server is handled at once"
        await press(program, "space", "j", "escape")
        program.see(toasts="Escape: 2 queued keys dropped")
        flag = row(program)
        await press(program, "enter", "h", "escape", "h")
        assert row(program) == flag
        await press(program, "enter", "h")
        connected.set()
        await program.settle(shows=flag, front=FlagScreen)
        assert "compare" in program.last_line


async def test_queued_y_confirms_no_question(setting: Setting) -> None:
    async with connecting(setting) as (program, connected):
        await press(program, *THIRD)
        flag = row(program)
        await press(program, "space", "y", "y", "enter")
        connected.set()
        await program.settle(shows=flag, front=ConfirmScreen, sent=0)
        assert program.notices == ["A dialog takes only keys pressed after it opened: 3 queued keys dropped"]


async def test_failed_connection_drops_queued_keys_and_refuses_more(setting: Setting) -> None:
    async with connecting(setting, has_key=False) as (program, connected):
        await press(program, "e")
        connected.set()
        await program.settle(toasts="The project is not open: 1 queued key dropped")
        await program.press("escape", "n")
        program.see(toasts="not possible now: The project is not open; F5 tries again.", front=WorkspaceList)


async def test_ctrl_q_is_obeyed_before_queued_keys(setting: Setting) -> None:
    async with connecting(setting) as (program, _connected):
        await press(program, "space", "j")
        await program.pilot.press("ctrl+q")
        # The program itself ends a moment later on a busy machine.
        assert program.app._exit
        program.see(sent=0)


async def test_keys_about_rows_wait_for_rows_with_their_cause(program: Program) -> None:
    program.wire.hold("/event_definitions/$")
    await program.press_without_waiting("3", front=WorkspaceList)
    assert not program.rows.shown
    assert program.header.endswith("◌ loading…")
    assert program.screen.splitlines()[3].rstrip().endswith("kind any")
    for key, opened in (("p", "Picker"), ("equals_sign", "Since"), ("J", "Journal")):
        await program.press_without_waiting(key)
        assert opened in type(program.app.screen).__name__
        await program.press_without_waiting("z" if key == "J" else "home")
        await program.press_without_waiting("escape", front=WorkspaceList)
    assert not any("dropped" in notice for notice in program.notices)
    await program.press_without_waiting("enter")
    program.app.runner._keys._announce()
    await program.press_without_waiting("j")
    program.see(toasts="Loading rows…; your keys are queued until then. Esc drops them.")
    await program.let_go(front=EventScreen)
    await program.press("escape")
    assert program.screen.splitlines()[3].rstrip().endswith("1/513")


async def test_change_in_preparation_holds_no_keys(setting: Setting) -> None:
    async with connecting(setting) as (program, connected):
        await press(program, "space")
        program.wire.held = lambda request: not program.app.runner.prepared.is_set()
        connected.set()
        await program.wire.is_holding.wait()
        marked, left = (program.app.runner._keys.hold(events.Key(key, None)) for key in ("x", "escape"))
        assert (marked, left) == (False, False)
        await program.let_go(front=ConfirmScreen)

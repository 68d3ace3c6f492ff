"""Before there is a connection: rows of the last run, the same that come with it, and nothing to change."""

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx
from tests.doubles.whole_program import WIDE, Program, Setting, running
from tests.doubles.wire import Wire

from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.config.preferences import Preferences


def remembering(setting: Setting) -> Setting:
    memory = Path(setting.folder) / "memory"
    return replace(setting, snapshots=True, preferences=Preferences(memory=memory), size=WIDE)


def drawn(program: Program) -> list[str]:
    """The rows as they stand on the screen, and the line above them."""
    return [line[:70] for line in program.screen.splitlines()[3:30]]


def rows(program: Program) -> int:
    screen = program.app.screen
    assert isinstance(screen, WorkspaceList)
    return screen.rows.shown


async def until_rows(program: Program) -> None:
    while not isinstance(program.app.screen, WorkspaceList) or not rows(program):
        await program.pilot.pause()


async def test_cached_rows_are_searchable_but_not_changed_without_a_connection(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        before = drawn(program)
    found = asyncio.Event()
    async with running(replace(remembering(setting), key_found=found), wait=False) as program:
        await until_rows(program)
        assert program.app.app_state.workspace is None
        # No copy of schedules is stored, so their mark waits for the first reading.
        assert drawn(program) == [line.replace("◷", " ") for line in before]
        assert "as of <1 min ago, connecting" in program.screen.splitlines()[0]
        for key in ("slash", *"new-nav", "enter"):
            await program.press_without_waiting(key)
        assert rows(program) == 1
        assert not program.wire.passed
        for key in ("escape", "home"):
            await program.press_without_waiting(key)
        found.set()
        await program.settle()
        assert program.app.app_state.workspace is not None
        assert drawn(program) == before

    def cut(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down")

    async with running(remembering(setting), cut) as program:
        assert rows(program) == 248
        assert "offline" in program.screen.splitlines()[0]
        await program.go_to("new-nav")
        await program.press("space")
        assert not program.app.screen.is_modal
        assert program.wire.writes() == []
        assert program.journal.entries() == []
        assert "new-nav" in program.notices[-1]


async def test_cached_rows_of_the_front_tab_disappear_without_a_key(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("2", "q")
    found = asyncio.Event()
    without = replace(remembering(setting), key_found=found, has_key=False)
    async with running(without, wait=False) as program:
        await until_rows(program)
        assert program.app.tabs.current == "2"
        assert "Chart colours" in program.screen
        found.set()
        await program.settle()
        assert "paste a personal API key" in program.screen
        await program.press("escape")
        assert rows(program) == 0
        assert "There is no API key." in program.screen
        assert "ctrl+l signs in" in program.screen
        assert "Chart colours" not in program.screen


async def test_activity_is_not_cached_and_shows_that_it_loads(setting: Setting) -> None:
    async with running(remembering(setting)) as program:
        await program.press("4", "q")
    found = asyncio.Event()
    async with running(replace(remembering(setting), key_found=found), wait=False) as program:
        while "Loading the activity" not in program.screen:
            await program.pilot.pause()
        found.set()
        await program.settle()
        assert "rollout 50 % → 100 %" in program.screen

"""From one profile to another."""

from dataclasses import replace

import httpx
from tests.doubles.whole_program import Setting, running, words
from tests.journeys.keys import another_key, type_key

from flagtui.app.dialogs.picker import PickerScreen
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.changes.guard import Level
from flagtui.service.keys import NewKey, create_key


async def test_another_profile_replaces_badge_and_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("prod",))) as program:
        await program.go_to("checkout")
        await program.press("x")
        await program.press("P")
        assert "prod" in words(program.screen)
        await program.press("down", "enter")
        header = program.header
        assert "PROD" in header
        assert "TEST" not in header
        assert program.app.app_state.session.rules.level is Level.READ_ONLY
        assert not program.rows.marks
        await program.press("P", "up", "enter")
        assert "TEST" in program.header
        await program.press("3")
        assert program.rows.shown > 0
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("P", "down", "enter")
        for tab in ("3", "1"):
            await program.press(tab)
            assert "PROD" in program.header
            assert program.rows.shown == 0
            assert "new-nav" not in program.screen


async def test_profile_without_a_key_shows_no_earlier_rows(setting: Setting) -> None:
    async with running(replace(setting, neighbours=("keyless",))) as program:
        await program.press("P", "down", "enter")
        assert isinstance(program.app.screen, SignInScreen)
        await program.press("escape")
        assert "KEYLESS" in program.header
        assert program.rows.shown == 0
        assert "There is no API key." in program.screen
        await program.press("ctrl+l")
        await type_key(program, another_key(program))
        assert isinstance(program.app.screen, PickerScreen)
        assert "#1 " in program.screen
        assert "#2 " in program.screen
        await program.press(*"Web", "enter")
        assert program.rows.shown == 248
        header = program.header
        assert "KEYLESS" in header
        assert "Web app #1" in header


async def test_key_for_other_projects_asks_which_to_open(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("P")
        assert "flagtui auth login" in program.notices[-1]
        await program.press("ctrl+l")
        other = max(project.id for project in await program.colleague().projects.list())
        key = create_key(program.database, NewKey("elsewhere", ("*",), teams=(other,)))
        await type_key(program, key)
        assert isinstance(program.app.screen, PickerScreen)
        await program.press("enter")
        assert f"#{other}" in program.header
        assert 0 < program.rows.shown < 248

"""The palette offers records by name, whenever it is opened."""

import asyncio

import httpx
from tests.doubles.whole_program import Setting, running

from flagtui.app.lists.record_search import RecordSearch


async def test_palette_waits_for_records_and_admits_an_incomplete_search(setting: Setting) -> None:
    async with running(setting) as program:
        app_state = program.app.app_state
        search = RecordSearch(app_state, lambda link: None, lambda project: None)
        workspace, app_state.workspace = app_state.workspace, None
        asked = asyncio.create_task(search.ask("team-invites"))
        await program.settle()
        assert not asked.done()
        app_state.workspace = workspace
        app_state.notify_watchers()
        assert await asked == "more"
        assert "team-invites-v3" in [place.name for place in search.places("team-invites")]
        await program.press("colon", *"zzzz")
        assert "no match for zzzz" in program.screen
        assert "could not be searched" not in program.screen
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("y")
        assert "no match for zzzzy here; the server could not be searched" in program.screen
        program.wire.before = lambda request: None
        await program.press("backspace")
        assert "no match for zzzz" in program.screen
        assert "could not be searched" not in program.screen

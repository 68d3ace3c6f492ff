"""A list that never ends is read up to a limit, and the program says so."""

import httpx
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import Setting, running, words

from flagtui.store.record_list import WHOLE_AGAIN

ADDRESS = "/event_definitions/"


def repeat_flags(request: httpx.Request) -> httpx.Response | None:
    """A thousand flags by the count, and the same one on every page."""
    if not request.url.path.endswith("/feature_flags/"):
        return None
    row = {"id": 1, "key": "only", "active": True, "version": 1, "filters": {"groups": []}}
    return httpx.Response(200, json={"count": 1_000, "next": "https://x", "results": [row]})


def answer_for_ever(request: httpx.Request) -> httpx.Response | None:
    """A million definitions by the count, and the same ones on every page."""
    if not request.url.path.endswith(ADDRESS):
        return None
    rows = [{"id": f"u-{number}", "name": f"event {number}"} for number in range(100)]
    return httpx.Response(200, json={"count": 10**6, "next": "https://x", "results": rows})


async def test_an_endless_list_stops_and_the_header_says_where(setting: Setting) -> None:
    async with running(setting) as program:
        clock = await start_polling(program, 60.0)
        program.wire.before = answer_for_ever
        await program.press("3")
        header, tabs = program.screen.splitlines()[:2]
        assert "stopped at 100 rows; the server has more" in header
        assert "100 of 1,000,000" in tabs
        assert await pass_time(program, clock, 60.0) == 1
        await program.press("slash", *"zz")
        assert "999,900 of 1,000,000 not loaded: the list is too long" in words(program.screen)


async def test_flags_cut_by_a_fault_that_passed_are_loaded_again(setting: Setting) -> None:
    async with running(setting, lambda wire: setattr(wire, "before", repeat_flags)) as program:
        clock = await start_polling(program, 60.0)
        assert "stopped at 1 rows" in program.screen
        program.wire.before = lambda request: None
        await pass_time(program, clock, 60.0)
        assert "stopped at 1 rows" in program.screen
        await pass_time(program, clock, WHOLE_AGAIN)
        assert "synced just now" in program.screen
        assert "1 Flags 248" in program.screen

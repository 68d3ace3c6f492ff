"""A list with missing pages shows it and loads the rest automatically; an endless one stops."""

import re
from collections.abc import Mapping

import httpx
import pytest
from tests.doubles.expected import require
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import Wire

from flagtui.store.record_list import WHOLE_AGAIN

MINUTE = 60.0


def lose_pages_after(wire: Wire, offset: int, fault: Exception, path: str = "/feature_flags/") -> None:
    """Pages of flags from this offset on fail on their way."""

    def lose(request: httpx.Request) -> httpx.Response | Exception | None:
        is_lost = request.url.path.endswith(path) and int(request.url.params.get("offset", "0")) >= offset
        return fault if is_lost else None

    wire.before = lose


async def test_half_loaded_list_names_missing_pages_and_searches_the_server(setting: Setting) -> None:
    async with running(
        setting, lambda wire: lose_pages_after(wire, 200, httpx.ReadTimeout("late"))
    ) as program:
        program.see("1 Flags 200 of 248")
        assert program.screen.splitlines()[3].endswith("200 of 248")
        assert program.link == "◔ no response, 200 of 248"
        await program.press("slash", *"zzzz", shows="No match in the 200 rows loaded for zzzz")
        program.see("48 of 248 not loaded yet; loading continues automatically")
        await program.press("escape", "escape", "slash", *"check")
        assert re.search(r" 1/12 found · 20\d of 248 loaded$", program.screen.splitlines()[3])
        here = {row.key for row in program.workspace.flags.rows}
        pages = [page async for page in program.colleague().flags.pages()]
        far = next(row.key for page in pages for row in page.rows if row.key not in here)
        await program.press("escape", "escape", "slash", *far)
        assert f" {far} " in program.screen, "the server is searched for what is missing"
        await program.press("escape", "escape", "j", "enter", "escape")
        assert program.link.startswith("◔ no response, 20")
        program.wire.cut()
        await program.press("f5")
        assert program.link.startswith("▲ offline")


async def test_inbox_of_missing_events_is_refused_with_its_key(setting: Setting) -> None:
    async with running(
        setting, lambda wire: lose_pages_after(wire, 1, httpx.ReadTimeout("late"), "/event_definitions/")
    ) as program:
        await program.press("3", "i")
        program.see(toast="not all events have arrived yet; i opens the inbox once they have")
        program.wire.answer("/event_definitions/", httpx.Response(404, html="<html>"))
        await program.press("f5", "i", toast="the inbox needs all events: A proxy or an old server responded")


async def test_missing_pages_alone_are_requested_automatically(setting: Setting) -> None:
    async with running(
        setting, lambda wire: lose_pages_after(wire, 200, httpx.ConnectError("down"))
    ) as program:
        await program.press("j", "enter", "escape")
        assert program.link == "◔ retrying, 200 of 248"
        clock = await start_polling(program, MINUTE)
        assert clock.next_alarm == 5
        assert await pass_time(program, clock, 5) > 0
        program.see("1 Flags 200 of 248")
        assert 5 <= (clock.next_alarm or 0) <= 10
        program.wire.heal()
        program.wire.passed.clear()
        waited = 5.0
        while "200 of 248" in program.screen and waited < MINUTE:
            assert clock.next_alarm is not None
            waited += clock.next_alarm
            await pass_time(program, clock, clock.next_alarm)
        assert waited <= MINUTE
        assert program.wire.passed == ["GET /api/projects/1/feature_flags/"]
        program.see("1 Flags 248 ")
        assert program.link == "● synced just now"


async def test_requested_refresh_shows_its_progress(program: Program) -> None:
    program.timing.now += 5 * MINUTE
    program.wire.hold("/feature_flags/$")
    await program.press_without_waiting("f5")
    assert program.link == "◌ loading…, data 5 min old"
    await program.let_go()
    program.wire.let_go.clear()
    program.wire.held = lambda request: int(request.url.params.get("offset", "0")) > 0
    await program.press_without_waiting("f5")
    assert program.link == "◌ loading 100 of 248"
    await program.let_go()
    assert program.link == "● synced just now"


def page(count: int, *rows: Mapping[str, object]) -> httpx.Response:
    """These rows on every page of so many."""
    return httpx.Response(200, json={"count": count, "next": "https://x", "results": rows})


async def test_an_endless_list_stops_and_the_header_says_where(program: Program) -> None:
    clock = await start_polling(program, 60.0)
    rows = [{"id": f"u-{number}", "name": f"event {number}"} for number in range(100)]
    program.wire.answer("/event_definitions/$", page(10**6, *rows))
    await program.press("3")
    header, tabs = program.screen.splitlines()[:2]
    assert "stopped at 100 rows; the server has more" in header
    assert "100 of 1,000,000" in tabs
    assert await pass_time(program, clock, 60.0) == 1
    await program.press("slash", *"zz", shows="999,900 of 1,000,000 not loaded: the list is too long")


async def test_flags_cut_by_a_fault_that_passed_are_loaded_again(setting: Setting) -> None:
    row = {"id": 1, "key": "only", "active": True, "version": 1, "filters": {"groups": []}}
    async with running(setting, lambda wire: wire.answer("/feature_flags/$", page(1_000, row))) as program:
        clock = await start_polling(program, 60.0)
        program.see("stopped at 1 row;")
        program.wire.heal()
        await pass_time(program, clock, 60.0)
        program.see("stopped at 1 row;")
        await pass_time(program, clock, WHOLE_AGAIN)
        program.see("synced just now", "1 Flags 248")


@pytest.mark.parametrize("tab", ["1", "4"])
async def test_owner_that_arrives_later_is_used_by_the_search(program: Program, tab: str) -> None:
    app_state, why = program.app.app_state, "by: the owner of the key is not known"
    workspace = require(app_state.workspace)
    me, workspace.me = workspace.me, None
    await program.press(tab)
    app_state.notify_watchers()
    await program.search("by:me", shows=why)
    workspace.me = me
    app_state.notify_watchers()
    await program.settle(lacks=why)

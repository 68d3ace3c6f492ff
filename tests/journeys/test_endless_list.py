"""A list that never ends is read up to a limit, and the program says so."""

import httpx
from tests.doubles.turned_clock import pass_time, start_polling
from tests.doubles.whole_program import Setting, running, words

ADDRESS = "/event_definitions/"


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
        assert "999,900 of 1,000,000 are not read: the list is too long" in words(program.screen)

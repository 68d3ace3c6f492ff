"""Finding a flag: typing, single keys, sorting, marks, jumping, and what an empty list says."""

import socket
from dataclasses import replace
from typing import Final

import httpx
import pytest
from tests.doubles.slices import one_in
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.doubles.wire import Fault, Wire

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.row_list import RowList

pytestmark = pytest.mark.asyncio(loop_scope="module")


def shown(program: Program) -> int:
    return program.app.screen.query_one(RowList).shown


async def test_every_flag_of_the_project_is_listed_under_its_place(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        assert shown(program) == 248
        header = program.screen.splitlines()[0]
        assert "TEST   acme › Web app #1  service.test" in header
        assert "alice@acme.com  ● synced just now" in header


async def test_typing_narrows_the_list_with_every_key(program: Program) -> None:
    await program.press("slash")
    counts = []
    for letter in "check":
        await program.press(letter)
        counts.append(shown(program))
    assert counts == sorted(counts, reverse=True)
    assert 0 < counts[-1] < counts[0] < 248
    assert f"{counts[-1]} of 248" in program.screen
    await program.press("escape", "escape")
    assert shown(program) == 248


async def test_single_keys_write_the_qualifier_into_the_line(program: Program) -> None:
    await program.press("t", "r")
    assert "type:boolean runtime:server" in program.screen
    assert 0 < shown(program) < 248
    await program.press("t", "t", "t", "t", "r", "r", "r")
    assert shown(program) == 248


async def test_a_wrong_qualifier_is_explained_and_never_empties_the_list(program: Program) -> None:
    await program.press("slash", *"is:stal")
    assert shown(program) == 248
    assert "is: use on" in program.screen


async def test_what_matches_nothing_says_so_and_how_to_go_back(program: Program) -> None:
    await program.press("slash", *"zzzz")
    assert "No match in 248 rows for  zzzz" in program.screen
    assert "esc clears the search" in program.screen


async def test_by_me_finds_flags_of_the_key_s_owner(program: Program) -> None:
    await program.press("b")
    assert 0 < shown(program) < 248
    assert program.app.screen.query_one(RowList).row.creator == "alice@acme.com"  # type: ignore[union-attr]


async def test_the_cursor_stays_on_its_flag_when_the_order_changes(program: Program) -> None:
    await program.go_to("hogql-joins")
    await program.press("escape", "s")
    assert program.app.screen.query_one(RowList).row.key == "hogql-joins"  # type: ignore[union-attr]


async def test_a_refresh_keeps_cursor_marks_and_filter(program: Program) -> None:
    await program.press("slash", *"web", "enter", "down", "x", "down")
    rows = program.app.screen.query_one(RowList)
    before = (rows.row_id, rows.marks, rows.shown, rows.place)
    await program.press("f5")
    assert (rows.row_id, rows.marks, rows.shown, rows.place) == before


async def test_the_palette_jumps_to_a_flag_by_name(program: Program) -> None:
    await program.press("ctrl+p")
    await program.press(*"geo-pri")
    await program.pilot.pause(0.5)
    await program.press("enter")
    assert isinstance(program.app.screen, FlagsScreen)
    assert program.app.screen.record is not None
    assert program.app.screen.record.key == "geo-pricing"


async def test_palette_shows_and_copies_the_cli_equivalent(program: Program) -> None:
    await program.go_to("new-nav")
    await program.press("escape", "ctrl+p")
    assert "ctrl+y copies  flagtui flags disable new-nav" in program.screen
    await program.press(*"undo", "ctrl+y")
    assert program.app.clipboard.startswith("flagtui undo")
    await program.press("escape", "ctrl+p", "ctrl+y")
    assert program.app.clipboard.startswith("flagtui flags disable new-nav --p")
    assert (await program.stored("new-nav")).active


async def test_enter_opens_the_flag_and_escape_comes_back(program: Program) -> None:
    await program.go_to("checkout-redesign")
    await program.press("enter")
    assert isinstance(program.app.screen, FlagScreen)
    assert "email ends with @acme.com" in words(program.screen)
    await program.press("escape")
    assert isinstance(program.app.screen, FlagsScreen)


async def test_flag_is_switched_on_its_own_screen_and_redrawn(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("enter", "space", "y")
        assert isinstance(program.app.screen, FlagScreen)
        assert " OFF " in program.screen
        assert not (await program.stored("new-nav")).active


async def test_preview_shows_who_matches_and_who_changed_the_flag(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        await program.go_to("checkout-redesign")
        await program.settle()
        seen = words(program.screen)
        assert "country is any of DE, FR, NL" in seen
        assert "NEEDED BY checkout-v2-banner" in seen
        assert "#31 Checkout redesign" in seen.replace("…", "")[:10_000] or "#31 Checkout" in seen


async def test_another_project_is_chosen_from_a_list(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("p")
        assert "Mobile" in program.screen
        await program.press(*"mob", "enter")
        assert "Mobile #2" in program.screen.splitlines()[0]
        assert 0 < shown(program) < 248


def unreachable(cause: OSError) -> httpx.ConnectError:
    error = httpx.ConnectError(str(cause))
    error.__cause__ = cause
    return error


def refusing(status: int, body: object, headers: dict[str, str] | None = None) -> Fault:
    return lambda request: httpx.Response(status, json=body, headers=headers)


UNREADABLE: Final[dict[str, tuple[Fault, str, str]]] = {
    "refused": (
        lambda request: unreachable(ConnectionRefusedError(111, "refused")),
        "Nothing listens",
        "offline",
    ),
    "broken": (lambda request: httpx.Response(200, content=b"{"), "answer", "no usable answer"),
    "unknown host": (lambda request: unreachable(socket.gaierror(-2, "unknown")), "no host", "offline"),
    "403": (
        refusing(403, {"detail": "API key missing required scope 'feature_flag:read'"}),
        "feature_flag:read",
        "403",
    ),
    "404": (refusing(404, {"detail": "Project not found."}), "project", "404"),
    "html": (lambda request: httpx.Response(200, html="<h1>Sign in</h1>"), "answer", "no usable answer"),
    "500": (refusing(500, {"detail": "A server error occurred."}), "500", "500"),
}
"""What comes instead of the list, what is said of it in place of rows, and beside the name of the project.

What each fault is called, tests/cli/test_fault_matrix.py has in every run.
"""


@pytest.mark.parametrize(
    ("fault", "sentence", "state"), one_in(3, UNREADABLE.values()), ids=one_in(3, UNREADABLE)
)
async def test_unreadable_server_is_explained_in_place_of_rows(
    setting: Setting, fault: Fault, sentence: str, state: str
) -> None:
    def break_it(wire: Wire) -> None:
        wire.before = fault

    async with running(setting, break_it) as program:
        said = words(program.screen)
        assert sentence.lower() in said.lower()
        assert state in program.screen.splitlines()[0]
        assert "F5 retries" in said


async def test_rows_stay_with_their_age_when_the_link_goes_down(setting: Setting) -> None:
    async with running(setting) as program:
        program.wire.before = lambda request: httpx.ConnectError("down")
        program.timing.now += 300
        await program.press("f5")
        assert shown(program) == 248
        assert "offline, data 5 min old" in program.screen.splitlines()[0]


async def test_cached_rows_are_shown_while_the_first_page_loads(setting: Setting) -> None:
    kept = Setting(setting.template, setting.folder, snapshots=True)
    async with running(kept):
        pass

    def refuse(wire: Wire) -> None:
        wire.before = lambda request: httpx.ConnectError("down")

    async with running(kept, refuse) as program:
        assert shown(program) == 248
        assert "offline" in program.screen.splitlines()[0]


async def test_first_rows_are_searchable_before_the_last_page_arrives(
    setting: Setting,
) -> None:
    def hold_later_pages(wire: Wire) -> None:
        wire.held = lambda request: bool(request.url.params.get("offset"))

    async with running(setting, hold_later_pages, wait=False) as program:
        while shown(program) == 0:
            await program.pilot.pause()
        assert shown(program) == 100
        assert "loading 100 of 248" in program.screen.splitlines()[0]
        await program.pilot.press("slash", *"check")
        assert 0 < shown(program) < 100
        program.wire.let_go.set()
        await program.settle()
        assert "synced" in program.screen.splitlines()[0]


async def test_waiting_for_the_server_is_visible_and_ends_by_itself(setting: Setting) -> None:
    refusals = [httpx.Response(429, json={"detail": "Expected available in 6 seconds."})]

    def refuse_once(wire: Wire) -> None:
        wire.before = lambda request: (
            refusals.pop() if refusals and "feature_flags" in request.url.path else None
        )

    async with running(setting, refuse_once) as program:
        assert shown(program) == 248
        assert "synced" in program.screen.splitlines()[0]

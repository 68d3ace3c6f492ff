"""Finding a flag: typing, single keys, sorting, marks, jumping, and what an empty list says."""

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import WIDE, Program, Setting, running, words

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.search_line import SearchLine

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_flags_are_searched_by_words_and_single_keys(program: Program) -> None:
    await program.press("slash")
    counts = []
    for letter in "check":
        await program.press(letter)
        counts.append(program.rows.shown)
    assert counts == sorted(counts, reverse=True)
    assert 0 < counts[-1] < counts[0] < 248
    assert f"{counts[-1]} of 248" in program.screen
    await program.press("escape", "escape")
    assert program.rows.shown == 248
    await program.press("t", "r")
    assert "type:boolean runtime:server" in program.screen
    assert 0 < program.rows.shown < 248
    await program.press("t", "t", "t", "t", "r", "r", "r")
    assert program.rows.shown == 248
    await program.press("b")
    assert 0 < program.rows.shown < 248
    assert program.rows.row.creator == "alice@acme.com"  # type: ignore[union-attr]
    await program.press("escape", "slash", *"is:stal")
    assert program.rows.shown == 248
    assert "is: use on" in program.screen
    await program.press("escape", "escape", "slash", *"zzzz")
    assert "No match in 248 rows for  zzzz" in program.screen
    assert "esc clears the search" in program.screen
    await program.press("escape", "escape", "slash", *"is:deleted")
    assert "ctrl+r lists flags deleted earlier" in program.screen


async def test_typing_replaces_the_old_search_and_arrows_edit_it(program: Program) -> None:
    line = program.app.screen.query_one(SearchLine)
    await program.press("slash", *"new-nav", "enter", "slash", *"kill")
    assert line.value == "kill"
    assert "kill-search-v2" in program.screen
    await program.press("enter", "slash", "enter")
    assert line.value == "kill"
    await program.press("slash", "right", *"-s")
    assert line.value == "kill-s"
    await program.press("enter", "slash", "end", "backspace")
    assert line.value == "kill-"


async def test_order_and_refresh_keep_cursor_marks_and_filter(program: Program) -> None:
    await program.go_to("hogql-joins", "escape", "s")
    rows = program.rows
    assert rows.row.key == "hogql-joins"  # type: ignore[union-attr]
    await program.go_to("web", "down", "x", "down")
    before = (rows.row_id, rows.marks, rows.shown, rows.place)
    await program.press("f5")
    assert (rows.row_id, rows.marks, rows.shown, rows.place) == before


async def test_palette_jumps_to_flags_and_copies_commands(program: Program) -> None:
    await program.press("ctrl+p", *"geo-pri", "enter")
    assert isinstance(program.app.screen, FlagsScreen)
    assert program.app.screen.record is not None
    assert program.app.screen.record.key == "geo-pricing"
    await program.go_to("new-nav", "escape", "ctrl+p")
    assert "ctrl+y copies  flagtui flags disable new-nav" in program.screen
    await program.press(*"undo", "ctrl+y")
    assert program.app.clipboard.startswith("flagtui undo")
    await program.press("escape", "ctrl+p", "ctrl+y")
    assert program.app.clipboard.startswith("flagtui flags disable new-nav --p")
    assert (await program.stored("new-nav")).active


COPIED = {
    "id": "sent to the terminal's clipboard: {id}",
    "command": "flagtui --profile test --project 1 --flag=new-nav",
    "JSON": "new-nav as JSON",
}
"""By row of the menu: what its toast says."""


async def test_copies_and_links_are_chosen_from_a_menu(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    await program.go_to("new-nav")
    for chosen, expected in COPIED.items():
        await program.press("Y", *chosen, "enter")
        assert expected.format(id=program.row("new-nav").id) in program.notices[-1]
        assert "phx_" not in program.app.clipboard
    assert '"key": "new-nav"' in program.app.clipboard
    monkeypatch.setenv("SSH_CONNECTION", "somewhere")
    await program.press("o")
    assert f"/project/1/feature_flags/{program.row('new-nav').id}" in program.notices[-1]


async def test_projects_list_every_flag_with_what_surrounds_it(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        assert program.rows.shown == 248
        header = program.header
        assert "TEST   acme › Web app #1  service.test" in header
        assert "alice@acme.com  ● synced just now" in header
        await program.go_to("checkout-redesign")
        seen = words(program.screen)
        assert "country is any of DE, FR, NL" in seen
        assert "NEEDED BY checkout-v2-banner" in seen
        assert "#31 Checkout" in seen
        await program.press("enter")
        assert isinstance(program.app.screen, FlagScreen)
        assert "email ends with @acme.com" in words(program.screen)
        await program.press("escape")
        assert isinstance(program.app.screen, FlagsScreen)
        await program.go_to("new-nav")
        workspace, row = program.workspace, program.row("new-nav")
        assert "  ON   " in program.screen
        with workspace.collection("flags").showing(row.id, {"active": False}):
            program.app.app_state.notify_watchers()
            await quiet.settle(program.app, rests=False)
            assert "  OFF   " in program.screen, "the preview follows before the cursor rests"
        await program.press("escape", "p")
        assert "Mobile" in program.screen
        await program.press(*"mob", "enter")
        assert "Mobile #2" in program.header
        assert 0 < program.rows.shown < 248


async def test_reasons_and_marks_have_all_free_cells(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("slash", *"type:bool")
        assert "type: use boolean, multivariant, experiment" in program.screen
        await program.press("backspace", *"lean")
        assert "type boolean" in program.screen
        await program.press("ctrl+u", "enter", "ctrl+a", "slash", *"is:stale")
        assert "safest first   248 marked, at most 100 at once  " in program.screen

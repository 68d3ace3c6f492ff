"""Finding a flag: typing, single keys, sorting, marks, jumping, and what an empty list says."""

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.expected import require
from tests.doubles.whole_program import WIDE, Program, Setting, running

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.lists.list_screen import ListScreen


async def test_flags_are_searched_by_words_and_single_keys(shared: Program) -> None:
    await shared.press("slash")
    counts = []
    for letter in "check":
        await shared.press(letter)
        counts.append(shared.rows.shown)
    assert counts == sorted(counts, reverse=True)
    assert 0 < counts[-1] < counts[0] < 248
    shared.see(f"{counts[-1]} of 248")
    await shared.press("escape", "escape", rows=248)
    await shared.press("t", "r", shows="type:boolean runtime:server")
    assert 0 < shared.rows.shown < 248
    await shared.press("t", "t", "t", "t", "r", "r", "r", rows=248)
    await shared.press("b")
    assert 0 < shared.rows.shown < 248
    assert shared.rows.row.creator == "alice@acme.com"  # type: ignore[union-attr]
    await shared.press("escape", "slash", *"is:stal", shows="is: use on", rows=248)
    await shared.press("escape", "escape", "slash", *"zzzz", shows="No match in 248 rows for  zzzz")
    shared.see("esc clears the search")
    await shared.press("escape", "escape", "slash", *"is:deleted", shows="ctrl+r lists flags deleted earlier")


async def test_order_and_refresh_keep_cursor_marks_and_filter(shared: Program) -> None:
    await shared.go_to("hogql-joins", "escape", "s")
    rows = shared.rows
    assert rows.row.key == "hogql-joins"  # type: ignore[union-attr]
    await shared.go_to("web", "down", "x", "down")
    before = (rows.row_id, rows.marks, rows.shown, rows.place)
    await shared.press("f5")
    assert (rows.row_id, rows.marks, rows.shown, rows.place) == before


async def test_palette_jumps_to_flags_and_copies_commands(shared: Program) -> None:
    await shared.press("ctrl+p", *"geo-pri", "enter", front=FlagsScreen)
    assert require(shared.front(ListScreen).record).key == "geo-pricing"
    await shared.go_to("new-nav", "escape", "ctrl+p", shows="^y copies  flagtui flags disable new-nav")
    await shared.press(*"undo", "ctrl+y")
    assert shared.app.clipboard.startswith("flagtui undo")
    await shared.press("escape", "ctrl+p", "ctrl+y")
    assert shared.app.clipboard.startswith("flagtui flags disable new-nav --p")
    assert (await shared.stored("new-nav")).active


COPIED = {
    "id": "sent to the terminal's clipboard: {id}",
    "command": "flagtui --profile test --project 1 --flag=new-nav",
    "JSON": "new-nav as JSON",
}
"""By row of the menu: what its toast says."""


async def test_copies_and_links_are_chosen_from_a_menu(
    shared: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shared.go_to("new-nav")
    for chosen, expected in COPIED.items():
        await shared.press("Y", *chosen, "enter")
        assert expected.format(id=shared.row("new-nav").id) in shared.notices[-1]
        assert "phx_" not in shared.app.clipboard
    assert '"key": "new-nav"' in shared.app.clipboard
    monkeypatch.setenv("SSH_CONNECTION", "somewhere")
    await shared.press("o", toast=f"/project/1/feature_flags/{shared.row('new-nav').id}")


async def test_projects_list_every_flag_with_what_surrounds_it(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        program.see(rows=248)
        header = program.header
        assert "TEST   acme › Web app #1  service.test" in header
        assert "alice@acme.com  ● synced just now" in header
        await program.go_to("checkout-redesign", shows="country is any of DE, FR, NL")
        program.see("NEEDED BY checkout-v2-banner", "#31 Checkout")
        await program.press("enter", shows="email ends with @acme.com", front=FlagScreen)
        await program.press("escape", front=FlagsScreen)
        await program.go_to("new-nav")
        workspace, row = program.app.app_state.workspace, program.row("new-nav")
        assert workspace is not None
        program.see("  ON   ")
        with workspace.collection("flags").showing(row.id, {"active": False}):
            program.app.app_state.notify_watchers()
            await quiet.settle(program.app, rests=False)
            assert "  OFF   " in program.screen, "the preview follows before the cursor rests"
        await program.press("escape", "p", shows="Mobile")
        await program.press(*"mob", "enter", shows="Mobile #2")
        assert 0 < program.rows.shown < 248


async def test_reasons_and_marks_have_all_free_cells(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("slash", *"type:bool", shows="type: use boolean, multivariant, experiment")
        await program.press("backspace", *"lean", shows="type boolean")
        await program.press("ctrl+u", "enter", "ctrl+a", "slash", *"is:stale")
        program.see("safest first   248 marked, at most 100 at once  ")
        await program.press("ctrl+u", "enter")
        for width, shown, hidden in (
            (55, "  248 marked, at most 100…", "sorted"),
            (45, " 248 marked, at…", "sorted"),
        ):
            await program.pilot.resize_terminal(width, 12)
            await program.settle(shows=shown, lacks=hidden)
        await program.press("escape")
        await program.pilot.resize_terminal(55, 12)
        await program.settle(shows="sorted by updated ↓  1/248")

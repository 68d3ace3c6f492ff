from typing import Any

import pytest
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.list_app import ListApp
from tests.doubles.quiet import run_quietly
from textual.pilot import Pilot
from textual.strip import Strip

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.glyphs import ASCII
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.row_painter import SortSign
from flagtui.models.rows import FlagRow

SIZE = (80, 11)
"""A header line and ten rows."""


def make_flags(count: int, start: int = 0, **same: Any) -> list[FlagRow]:
    return [
        FlagRow(id=n, key=f"flag-{n:03}", active=True, rollout=50, **same)
        for n in range(start, start + count)
    ]


def keys(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines[1:] if line.strip()]


async def test_rows_stand_under_their_titles(app: ListApp) -> None:
    app.rows.show(make_flags(2, tags=("web", "nav"), updated_at=1_799_999_880.0))
    app.rows.set_sort(SortSign("key"))
    await app.pilot.pause()
    assert app.lines()[:2] == [
        "    KEY ↑                 ROLLOUT       TYPE         RUNS ON TAGS       UPDATED",
        " ●  flag-000              ━━━───  50 %  boolean      all     #web #nav       2m",
    ]


async def test_every_line_is_exactly_as_wide_as_the_list() -> None:
    nasty = ["日本語" * 20, "a\x1b[2J", "e\u0301" * 40, "👩‍👩‍👧‍👦" * 9, "", "x" * 5000]
    rows = [FlagRow(id=n, key=key, name=key, tags=(key, key), runtime=key) for n, key in enumerate(nasty)]
    for width in (20, 40, 60, 80, 132):
        app = ListApp()
        async with run_quietly(app, size=(width, 11)) as pilot:
            app.rows.show(rows)
            await pilot.pause()
            strips = [app.rows.render_line(y) for y in range(11)]
            assert {strip.cell_length for strip in strips} == {width}
            assert {Strip(list(strip)).cell_length for strip in strips} == {width}


async def test_hundred_thousand_rows_draw_only_one_screen(app: ListApp) -> None:
    rows = make_flags(1000) * 100
    app.rows.show(rows)
    await app.pilot.pause()
    assert app.rows.shown == 100_000
    app.rows.action_last()
    await app.pilot.pause()
    assert app.rows.place == 99_999
    assert keys(app.lines())[-1] == "flag-999"


async def test_only_lines_that_differ_are_drawn_again(app: ListApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app.rows.show(make_flags(50))
    await app.pilot.pause()
    drawn = watch_drawing(app.rows, monkeypatch)
    app.rows.action_cursor_down()
    await app.pilot.pause()
    assert sorted(drawn) == [1, 2]
    drawn.clear()
    app.rows.show(make_flags(50))
    await app.pilot.pause()
    assert drawn == []


async def test_what_becomes_known_beside_a_record_draws_its_line_alone(
    app: ListApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: dict[str, str] = {}
    app.rows.set_columns([Column("won", "WON", lambda row, _: ((results.get(row.key, "?"), "plain"),), 20)])
    app.rows.show(make_flags(50))
    await app.pilot.pause()
    results["flag-001"] = "won"
    drawn = watch_drawing(app.rows, monkeypatch)
    app.rows.redraw_row(1)
    app.rows.redraw_row(40)
    await app.pilot.pause()
    assert drawn == [2]
    assert [line.split()[0] for line in app.lines()[1:4]] == ["?", "won", "?"]


async def test_cursor_stays_with_its_record_when_rows_arrive_above(app: ListApp) -> None:
    app.rows.show(make_flags(30, start=100))
    app.rows.select(104)
    await app.pilot.pause()
    line = app.lines().index(next(line for line in app.lines() if "flag-104" in line))
    app.rows.show(make_flags(5) + make_flags(30, start=100))
    await app.pilot.pause()
    assert app.rows.row_id == 104
    assert "flag-104" in app.lines()[line]


async def test_cursor_keeps_its_position_when_its_record_is_gone(app: ListApp) -> None:
    rows = make_flags(30)
    app.rows.show(rows)
    app.rows.select(4)
    app.rows.show([row for row in rows if row.id != 4])
    await app.pilot.pause()
    assert app.rows.row_id == 5
    app.rows.show([])
    assert app.rows.row_id is None
    app.rows.show(rows)
    assert app.rows.row_id == 0


async def test_cleared_query_returns_the_cursor_to_its_record(app: ListApp) -> None:
    rows = make_flags(30)
    app.rows.show(rows)
    app.rows.select(14)
    app.rows.show(rows, [3, 5, 7], anchor="top")
    assert app.rows.row_id == 3
    app.rows.show(rows, [3, 7, 14], anchor="top")
    assert app.rows.row_id == 14
    app.rows.show(rows, [5], anchor="top")
    app.rows.show(rows, range(30), anchor="top")
    assert app.rows.row_id == 14
    app.rows.select(2)
    app.rows.show(rows, [], anchor="top")
    app.rows.show(rows, anchor="top")
    await app.pilot.pause()
    assert (app.rows.row_id, keys(app.lines())[0]) == (2, "flag-000")


async def test_a_cursor_nobody_moved_stays_at_the_top_while_typing(app: ListApp) -> None:
    rows = make_flags(30)
    app.rows.show(rows, anchor="top")
    app.rows.show(rows, [9, 8, 0], anchor="top")
    assert app.rows.row_id == 9


async def test_refresh_under_a_query_keeps_the_row_at_the_cursor(app: ListApp) -> None:
    rows = make_flags(30)
    app.rows.show(rows)
    app.rows.select(14)
    app.rows.show(rows, [3, 5, 7], anchor="top")
    app.rows.show(make_flags(30), [1, 3, 5, 7])
    assert app.rows.row_id == 3


async def test_marks_survive_a_filter_and_leave_with_their_record(app: ListApp) -> None:
    rows = make_flags(30)
    app.rows.show(rows)
    app.rows.action_mark()
    app.rows.action_mark()
    assert app.rows.marks == {0, 1}
    assert app.rows.row_id == 2
    app.rows.show(rows, [5, 6], anchor="top")
    assert app.rows.marks == {0, 1}
    app.rows.show(rows[1:])
    app.rows.action_first()
    await app.pilot.pause()
    assert app.rows.marks == {1}
    assert [row.id for row in app.rows.marked_rows()] == [1]
    app.rows.show(rows, [3, 0, 2], anchor="top")
    app.rows.mark([3, 0, 2])
    assert [row.id for row in app.rows.marked_rows()] == [3, 0, 2, 1], "as shown, hidden ones last"
    assert app.lines()[1].startswith("▌")
    assert sum(isinstance(heard, RowList.MarksChanged) for heard in app.heard) == 3


async def test_shown_rows_can_be_marked_and_cleared(app: ListApp) -> None:
    app.rows.show(make_flags(30), [2, 4, 6])
    assert [row.id for row in app.rows.shown_rows()] == [2, 4, 6]
    app.rows.mark([2, 4])
    app.rows.mark([6, 7])
    app.rows.show(make_flags(30), [6, 4], anchor="top")
    app.rows.keep_first_marks(3)
    assert app.rows.marks == {2, 4, 6}, "shown ones first, then hidden ones"
    app.rows.action_clear_marks()
    assert app.rows.marks == frozenset()


async def test_changes_by_others_and_pending_edits_are_marked(app: ListApp) -> None:
    app.rows.show(make_flags(5))
    app.rows.show(make_flags(5), changed=[1])
    await app.pilot.pause()
    assert app.lines()[2].startswith(" ●•")
    app.rows.action_cursor_down()
    await app.pilot.pause()
    assert app.lines()[2].startswith(" ● ")
    app.rows.show(make_flags(5))
    app.rows.set_edits({2}, {})
    await app.pilot.pause()
    assert app.lines()[3].startswith(" ●↻")


async def test_a_list_without_rows_says_why(app: ListApp) -> None:
    app.rows.explain("no flag matches", "esc clears the line \x1b[31m")
    await app.pilot.pause()
    assert app.lines()[2:4] == ["    no flag matches", "    esc clears the line ␛[31m"]
    app.rows.explain(f"no match for {'記録' * 60}")
    await app.pilot.pause()
    assert "".join(app.lines()).count("記") == 60
    app.rows.show(make_flags(1))
    await app.pilot.pause()
    assert keys(app.lines()) == ["flag-000"]
    assert "no flag" not in "".join(app.lines())


async def click(pilot: Pilot[None], x: int, y: int, times: int = 1) -> None:
    await pilot.click(offset=(x, y), times=times)
    await pilot.pause()


async def test_the_mouse_selects_opens_marks_and_sorts(app: ListApp) -> None:
    app.rows.show(make_flags(5))
    await app.pilot.pause()
    await click(app.pilot, 10, 3)
    assert app.rows.row_id == 2
    await click(app.pilot, 0, 4)
    assert app.rows.marks == {3}
    await click(app.pilot, 10, 5, times=2)
    assert isinstance(app.heard[-1], RowList.Opened)
    await click(app.pilot, 30, 0)
    assert [heard.column for heard in app.heard if isinstance(heard, RowList.SortAsked)] == ["rollout"]
    await click(app.pilot, 10, 9)
    assert app.rows.row_id == 4


async def test_a_page_moves_by_the_rows_in_sight(app: ListApp) -> None:
    app.rows.show(make_flags(100))
    app.rows.action_page_down()
    assert app.rows.row_id == 10
    app.rows.action_half_page_down()
    assert app.rows.row_id == 15
    app.rows.action_page_up()
    app.rows.action_half_page_up()
    assert app.rows.row_id == 0
    app.rows.action_cursor_up()
    assert app.rows.row_id == 0


async def test_every_column_fits_in_ascii() -> None:
    app = ListApp(ASCII)
    async with run_quietly(app, size=SIZE) as pilot:
        app.rows.show(make_flags(3, tags=("a-very-long-tag", "b")))
        app.rows.action_mark()
        app.rows.set_sort(SortSign("key", descending=True))
        await pilot.pause()
        assert all(line.isascii() for line in app.lines())
        assert app.lines()[0].startswith("    KEY v")


async def test_another_width_shows_other_columns_and_keeps_the_cursor_visible(app: ListApp) -> None:
    app.rows.show(make_flags(30))
    app.rows.select(9)
    await app.pilot.resize_terminal(45, 6)
    await app.pilot.pause()
    assert app.rows.shown_columns == ("state", "key", "rollout")
    assert "flag-009" in "".join(app.lines())
    assert len(FLAG_COLUMNS) > len(app.rows.shown_columns)


async def test_losing_focus_redraws_only_the_line_of_the_cursor(app: ListApp) -> None:
    app.rows.show(make_flags(3))
    app.rows.focus()
    await app.pilot.pause()
    before = [app.rows.render_line(y) for y in (1, 2, 3)]
    app.screen.set_focus(None)
    await app.pilot.pause()
    after = [app.rows.render_line(y) for y in (1, 2, 3)]
    assert [old is new for old, new in zip(before, after, strict=True)] == [False, True, True]


async def test_another_theme_draws_every_line_in_its_colours(app: ListApp) -> None:
    app.rows.show(make_flags(2))
    await app.pilot.pause()
    before = [segment.style for segment in app.rows.render_line(2)]
    app.theme = "textual-light"
    await app.pilot.pause()
    after = [segment.style for segment in app.rows.render_line(2)]
    assert not set(map(str, before)) & set(map(str, after))

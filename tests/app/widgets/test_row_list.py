"""A list of rows: what it draws and how often, its cursor, its marks and the mouse."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.list_app import ListApp
from tests.doubles.quiet import run_quietly
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.glyphs import ASCII
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.row_painter import SortSign
from flagtui.app.widgets.row_surface import LineCache
from flagtui.models.rows import FlagRow

SIZE = (80, 11)
"""A header line and ten rows."""


def make_flags(count: int, start: int = 0, **same: Any) -> list[FlagRow]:
    numbers = range(start, start + count)
    return [FlagRow(id=n, key=f"flag-{n:03}", active=True, rollout=50, **same) for n in numbers]


ROWS = make_flags(30)


async def show(app: ListApp, rows: Iterable[FlagRow] = ROWS, *order: Any, **how: Any) -> list[str]:
    """The lines once these rows are drawn."""
    app.rows.show([*rows], *order, **how)
    await app.pilot.pause()
    return app.lines()


@pytest.fixture
async def app() -> AsyncIterator[ListApp]:
    app = ListApp()
    async with run_quietly(app, size=SIZE) as app.pilot:
        yield app


def keys(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines[1:] if line.strip()]


async def test_rows_stand_under_their_titles(app: ListApp) -> None:
    app.rows.set_sort(SortSign("key"))
    lines = await show(app, make_flags(2, tags=("web", "nav"), updated_at=1_799_999_880.0))
    assert lines[:2] == [
        "    KEY ↑                 ROLLOUT       TYPE         RUNS ON TAGS       UPDATED",
        " ●  flag-000              ━━━───  50 %  boolean      all     #web #nav       2m",
    ]


async def test_every_line_is_exactly_as_wide_as_the_list() -> None:
    nasty = ["日本語" * 20, "a\x1b[2J", "e\u0301" * 40, "👩‍👩‍👧‍👦" * 9, "", "x" * 5000]
    rows = [FlagRow(id=n, key=key, name=key, tags=(key, key), runtime=key) for n, key in enumerate(nasty)]
    for width in (20, 40, 60, 80, 132):
        app = ListApp()
        async with run_quietly(app, size=(width, 11)) as app.pilot:
            await show(app, rows)
            strips = [app.rows.render_line(y) for y in range(11)]
            assert {strip.cell_length for strip in strips} == {width}
            assert {Strip(list(strip)).cell_length for strip in strips} == {width}


async def test_hundred_thousand_rows_draw_only_one_screen(app: ListApp) -> None:
    await show(app, make_flags(1000) * 100)
    assert app.rows.shown == 100_000
    app.rows.action_last()
    await app.pilot.pause()
    assert app.rows.place == 99_999
    assert keys(app.lines())[-1] == "flag-999"


async def test_only_lines_that_differ_are_drawn_again(app: ListApp, monkeypatch: pytest.MonkeyPatch) -> None:
    await show(app)
    drawn = watch_drawing(app.rows, monkeypatch)
    app.rows.action_cursor_down()
    await app.pilot.pause()
    assert sorted(drawn) == [1, 2]
    drawn.clear()
    app.rows.show(make_flags(30))
    await app.pilot.pause()
    assert drawn == []


async def test_what_becomes_known_draws_its_line_alone(app: ListApp, monkeypatch: pytest.MonkeyPatch) -> None:
    results: dict[str, str] = {}
    app.rows.set_columns([Column("won", "WON", lambda row, _: ((results.get(row.key, "?"), "plain"),), 20)])
    await show(app)
    results["flag-001"] = "won"
    drawn = watch_drawing(app.rows, monkeypatch)
    app.rows.redraw_row(1)
    app.rows.redraw_row(20)
    await app.pilot.pause()
    assert drawn == [2]
    assert [line.split()[0] for line in app.lines()[1:4]] == ["?", "won", "?"]


async def test_cursor_stays_with_its_record_when_rows_arrive_above(app: ListApp) -> None:
    app.rows.show(make_flags(30, start=100))
    app.rows.select(104)
    await app.pilot.pause()
    [line] = [place for place, line in enumerate(app.lines()) if "flag-104" in line]
    lines = await show(app, make_flags(5) + make_flags(30, start=100))
    assert app.rows.row_id == 104
    assert "flag-104" in lines[line]


async def test_cursor_moves_to_next_row_when_its_own_is_gone(app: ListApp) -> None:
    app.rows.show(ROWS)
    app.rows.select(4)
    left = [row for row in ROWS if row.id > 5]
    for rows, row_id in (([row for row in ROWS if row.id != 4], 5), (left, 6), ([], None), (ROWS, 0)):
        await show(app, rows)
        assert app.rows.row_id == row_id
    app.rows.select(29)
    await show(app, [row for row in ROWS if row.id not in (3, 27, 28, 29)])
    assert app.rows.row_id == 26


async def test_cleared_query_returns_the_cursor_to_its_record(app: ListApp) -> None:
    app.rows.show(ROWS)
    app.rows.select(14)
    for order, row_id in (([3, 5, 7], 3), ([3, 7, 14], 14), ([5], 5), (range(30), 14)):
        app.rows.show(ROWS, order, anchor="top")
        assert app.rows.row_id == row_id
    app.rows.select(2)
    app.rows.show(ROWS, [], anchor="top")
    lines = await show(app, ROWS, anchor="top")
    assert (app.rows.row_id, keys(lines)[0]) == (2, "flag-000")


async def test_a_cursor_nobody_moved_stays_at_the_top_while_typing(app: ListApp) -> None:
    app.rows.show(ROWS, anchor="top")
    app.rows.show(ROWS, [9, 8, 0], anchor="top")
    assert app.rows.row_id == 9


async def test_refresh_under_a_query_keeps_the_row_at_the_cursor(app: ListApp) -> None:
    app.rows.show(ROWS)
    app.rows.select(14)
    app.rows.show(ROWS, [3, 5, 7], anchor="top")
    app.rows.show(make_flags(30), [1, 3, 5, 7])
    assert app.rows.row_id == 3


async def test_marks_survive_a_filter_and_leave_with_their_record(app: ListApp) -> None:
    app.rows.show(ROWS)
    app.rows.action_mark()
    app.rows.action_mark()
    assert app.rows.marks == {0, 1}
    assert app.rows.row_id == 2
    app.rows.show(ROWS, [5, 6], anchor="top")
    assert app.rows.marks == {0, 1}
    app.rows.show(ROWS[1:])
    app.rows.action_first()
    await app.pilot.pause()
    assert app.rows.marks == {1}
    assert [row.id for row in app.rows.marked_rows()] == [1]
    app.rows.show(ROWS, [3, 0, 2], anchor="top")
    app.rows.mark([3, 0, 2])
    assert [row.id for row in app.rows.marked_rows()] == [3, 0, 2, 1], "as shown, hidden ones last"
    assert app.lines()[1].startswith("▌")
    assert sum(isinstance(heard, RowList.MarksChanged) for heard in app.heard) == 3


async def test_shown_rows_can_be_marked_and_cleared(app: ListApp) -> None:
    app.rows.show(ROWS, [2, 4, 6])
    assert [row.id for row in app.rows.shown_rows()] == [2, 4, 6]
    app.rows.mark([2, 4])
    app.rows.mark([6, 7])
    app.rows.show(ROWS, [6, 4], anchor="top")
    app.rows.keep_first_marks(3)
    assert app.rows.marks == {2, 4, 6}, "shown ones first, then hidden ones"
    app.rows.action_clear_marks()
    assert app.rows.marks == frozenset()


async def test_changes_by_others_and_pending_edits_are_marked(app: ListApp) -> None:
    app.rows.show(ROWS)
    assert (await show(app, ROWS, changed=[1]))[2].startswith(" ●•")
    app.rows.action_cursor_down()
    await app.pilot.pause()
    assert app.lines()[2].startswith(" ● ")
    app.rows.set_edits({2}, {})
    assert (await show(app))[3].startswith(" ●↻")


async def test_a_list_without_rows_says_why(app: ListApp) -> None:
    app.rows.explain("no flag matches", "esc clears the line \x1b[31m")
    await app.pilot.pause()
    assert app.lines()[2:4] == ["    no flag matches", "    esc clears the line ␛[31m"]
    app.rows.explain(f"no match for {'記録' * 60}")
    await app.pilot.pause()
    assert "".join(app.lines()).count("記") == 60
    lines = await show(app, make_flags(1))
    assert keys(lines) == ["flag-000"]
    assert "no flag" not in "".join(lines)


async def test_the_mouse_selects_opens_marks_and_sorts(app: ListApp) -> None:
    async def click(x: int, y: int, times: int = 1) -> None:
        await app.pilot.click(offset=(x, y), times=times)
        await app.pilot.pause()

    await show(app, make_flags(5))
    await click(10, 3)
    assert app.rows.row_id == 2
    await click(0, 4)
    assert app.rows.marks == {3}
    await click(10, 5, times=2)
    assert isinstance(app.heard[-1], RowList.Opened)
    await click(30, 0)
    assert [heard.column for heard in app.heard if isinstance(heard, RowList.SortAsked)] == ["rollout"]
    await click(10, 9)
    assert app.rows.row_id == 4


async def test_a_page_moves_by_the_rows_in_sight(app: ListApp) -> None:
    app.rows.show(make_flags(100))
    moves = {"page_down": 10, "half_page_down": 15, "page_up": 5, "half_page_up": 0, "cursor_up": 0}
    for move, row_id in moves.items():
        getattr(app.rows, f"action_{move}")()
        assert app.rows.row_id == row_id, move


async def test_every_column_fits_in_ascii() -> None:
    app = ListApp(ASCII)
    async with run_quietly(app, size=SIZE) as app.pilot:
        app.rows.show(make_flags(3, tags=("a-very-long-tag", "b")))
        app.rows.action_mark()
        app.rows.set_sort(SortSign("key", descending=True))
        await app.pilot.pause()
        assert all(line.isascii() for line in app.lines())
        assert app.lines()[0].startswith("    KEY v")


async def test_another_width_shows_other_columns_and_keeps_the_cursor_visible(app: ListApp) -> None:
    app.rows.show(ROWS)
    app.rows.select(9)
    await app.pilot.resize_terminal(45, 6)
    await app.pilot.pause()
    assert app.rows.shown_columns == ("state", "key", "rollout")
    assert "flag-009" in "".join(app.lines())
    assert len(FLAG_COLUMNS) > len(app.rows.shown_columns)


async def test_losing_focus_redraws_only_the_line_of_the_cursor(app: ListApp) -> None:
    app.rows.focus()
    await show(app)
    before = [app.rows.render_line(y) for y in (1, 2, 3)]
    app.screen.set_focus(None)
    await app.pilot.pause()
    assert [app.rows.render_line(y) is old for y, old in enumerate(before, 1)] == [False, True, True]


async def test_another_theme_draws_every_line_in_its_colours(app: ListApp) -> None:
    await show(app)
    before = {str(segment.style) for segment in app.rows.render_line(2)}
    app.theme = "textual-light"
    await app.pilot.pause()
    assert not before & {str(segment.style) for segment in app.rows.render_line(2)}


def cells(strips: list[Strip]) -> list[list[tuple[str, object]]]:
    return [[(letter, style) for text, style, _ in strip for letter in text] for strip in strips]


@pytest.mark.parametrize("crop", [Region(0, 0, 80, 11), Region(0, 2, 80, 1), Region(5, 1, 30, 4)])
async def test_a_list_looks_as_if_textual_had_drawn_its_lines(app: ListApp, crop: Region) -> None:
    names = enumerate(("checkout", "日本語", "a\x1b[2Jb", "x" * 500))
    await show(app, [FlagRow(id=at, key=key, active=at % 2 == 0, rollout=50) for at, key in names])
    ours, theirs = LineCache(), StylesCache()
    assert cells(ours.render_widget(app.rows, crop)) == cells(theirs.render_widget(app.rows, crop))


async def test_only_dirty_lines_are_drawn_again(app: ListApp, monkeypatch: pytest.MonkeyPatch) -> None:
    await show(app, make_flags(3))
    cache, whole = LineCache(), Region(0, 0, *SIZE)
    before = cache.render_widget(app.rows, whole)
    drawn = watch_drawing(app.rows, monkeypatch)
    assert cache.render_widget(app.rows, whole) == before
    assert drawn == []
    cache.set_dirty(Region(0, 2, 80, 1))
    cache.render_widget(app.rows, whole)
    assert drawn == [2]
    app.rows.styles.background = "red"
    cache.render_widget(app.rows, whole)
    assert drawn == [2, *range(11)], "another background makes every line a different one"

"""The terminal's cursor is on the selected row, where screen readers read."""

from random import Random

from tests.doubles.quiet import run_quietly
from tests.doubles.slices import at_most
from textual.app import ComposeResult

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.terminal.terminal_app import TerminalApp
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.row_list import RowList
from flagtui.models.rows import FlagRow

STEPS = at_most(2_500, 10_000)
ROWS = [FlagRow(number, f"flag-{number}") for number in range(300)]
MOVES = (
    *("cursor_down", "cursor_up", "page_down", "page_up", "half_page_down", "half_page_up", "first"),
    "last",
)


class OneList(TerminalApp[None]):
    """A field, and a list below it."""

    CSS = "Field { height: 3; }"

    def compose(self) -> ComposeResult:
        yield Field(id="above")
        yield RowList(FLAG_COLUMNS, clock=lambda: 0.0)


async def test_random_steps_leave_it_on_the_row_under_the_cursor() -> None:
    random, app = Random("cursor"), OneList()
    async with run_quietly(app, size=(100, 24)) as pilot:
        rows: RowList[FlagRow] = app.query_one(RowList)
        rows.show(ROWS)
        rows.focus()
        await pilot.pause()
        for step in range(STEPS):
            if step % 500 == 499:
                await pilot.resize_terminal(100, random.randrange(8, 40))
            if step % 50 == 49:
                kept = sorted(random.sample(range(len(ROWS)), random.randrange(1, len(ROWS))))
                rows.show(ROWS, kept)
            else:
                getattr(rows, f"action_{random.choice(MOVES)}")()
            x, y = app.terminal_cursor
            line = rows.render_line(y - rows.content_region.y).text
            assert rows.row is not None
            assert rows.row.key in line.split(), step
            assert x == rows.content_region.x


async def test_cursor_is_at_the_next_letter_in_a_field() -> None:
    app = OneList()
    async with run_quietly(app, size=(100, 24)) as pilot:
        app.query_one(RowList).focus()
        await pilot.pause()
        assert app.terminal_cursor == app.cursor_position
        app.query_one(Field).focus()
        await pilot.press("a", "b")
        assert app.terminal_cursor == app.query_one(Field).cursor_screen_offset

"""The list of a picker: drawn in its width from the first moment, and options that become fewer."""

from collections.abc import Iterator

import pytest
from rich.style import Style
from tests.doubles.flag_app import StyledApp
from tests.doubles.quiet import run_quietly
from textual import events
from textual.app import App
from textual.content import Content
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import ListedChoice, NarrowedList, OptionLines


class Widths(NarrowedList[int]):
    """Notes the width of each drawing."""

    DEFAULT_CSS = """
    #picker { width: 72; max-width: 98%; height: auto; max-height: 80%; border: round red; padding: 1 1;
              OptionList { height: auto; max-height: 50vh; border: none; padding: 0;
                           scrollbar-size-vertical: 1; } }
    """

    def __init__(self) -> None:
        super().__init__("Numbers")
        self.widths: list[int] = []

    def lines(self, typed: str, width: int) -> Iterator[ListedChoice[int]]:
        self.widths.append(width)
        for number in range(60):
            yield ListedChoice(Content(str(number)), number)


@pytest.mark.parametrize("columns", [60, 80, 132])
async def test_long_list_is_drawn_once(columns: int) -> None:
    async with run_quietly(App[None](), size=(columns, 24)) as pilot:
        screen = Widths()
        pilot.app.push_screen(screen)
        await pilot.pause()
        await pilot.pause()
        assert len(screen.widths) == 1
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        assert screen.widths[1:] == [min(72, 50 * 98 // 100) - 6]


def click(lines: OptionLines, option: int) -> events.Click:
    """One on the line where this option was drawn."""
    keys = {"shift": False, "meta": False, "ctrl": False}
    return events.Click(lines, 2, 1, 0, 0, 1, **keys, style=Style.from_meta({"option": option}))


async def test_a_click_where_an_option_was_chooses_none() -> None:
    lines = OptionLines(Option("one"), Option("two"))
    async with run_quietly(StyledApp(lines)):
        await lines._dispatch_message(click(lines, 2))
        assert lines.highlighted == 0


async def test_cursor_stays_visible_in_a_smaller_window() -> None:
    lines = OptionLines(*(Option(str(number)) for number in range(20)))
    lines.styles.height, lines.styles.border = "1fr", ("none", "red")
    async with run_quietly(StyledApp(lines), size=(60, 24)) as pilot:
        lines.highlighted = 19
        await pilot.pause()
        await pilot.resize_terminal(60, 10)
        await pilot.pause()
        assert lines.scroll_offset.y == 10

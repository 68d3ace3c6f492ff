"""The list of a picker: drawn in its width from the first moment, and options that become fewer."""

from collections.abc import Iterator

import pytest
from rich.style import Style
from tests.doubles.expected import require
from tests.doubles.flag_app import StyledApp
from tests.doubles.quiet import run_quietly
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets.option_list import Option

from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.dialogs.help import HelpScreen
from flagtui.app.dialogs.palette import Offer, PaletteScreen
from flagtui.app.dialogs.picker import Choice, ListedChoice, OptionLines, PickerScreen
from flagtui.app.flags.form.rollout import RolloutScreen
from flagtui.app.lists.list_choices import ColumnsScreen
from flagtui.app.shell.themes import stylesheets
from flagtui.models.flag import Flag


class DialogApp(StyledApp):
    """Has the styles of the dialogs."""

    CSS_PATH = [*stylesheets("dialogs", "editing")]


class Widths(PickerScreen[int]):
    """Notes the width of each drawing."""

    def __init__(self) -> None:
        super().__init__("Numbers", ())
        self.widths: list[int] = []

    def lines(self, typed: str, width: int) -> Iterator[ListedChoice[int]]:
        self.widths.append(width)
        for number in range(60):
            yield ListedChoice(Content(str(number)), number)


@pytest.mark.parametrize("columns", [60, 80, 132])
async def test_long_list_is_drawn_once(columns: int) -> None:
    async with run_quietly(DialogApp(), size=(columns, 24)) as pilot:
        screen = Widths()
        pilot.app.push_screen(screen)
        await pilot.pause()
        await pilot.pause()
        assert len(screen.widths) == 1
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        assert screen.widths[1:] == [min(72, 50 * 98 // 100) - 6]


@pytest.mark.parametrize("size", [(40, 8), (60, 15), (60, 19), (80, 24)])
async def test_frame_cuts_off_no_line_of_a_list(size: tuple[int, int]) -> None:
    many = [Choice(str(number), str(number)) for number in range(60)]
    offers = [Offer(command, "x", list) for command in COMMANDS]
    flag = Flag.of({"id": 1, "key": "k", "filters": {"groups": [{"rollout_percentage": 5}] * 60}})
    dialogs = (
        *(PickerScreen("Numbers", many), ColumnsScreen(many, ()), PaletteScreen(offers, print)),
        *(HelpScreen(offers, "flags", [("is:", "its state")]), RolloutScreen([flag])),
    )
    async with run_quietly(DialogApp(), size=size) as pilot:
        for dialog in dialogs:
            pilot.app.push_screen(dialog)
            await pilot.pause()
            options = dialog.query_one(OptionLines)
            options.action_last()
            await pilot.pause()
            box = require(options.parent)
            assert isinstance(box, Widget)
            assert Region(0, 0, size[0], size[1] - 1).contains_region(box.region), dialog
            assert box.content_region.contains_region(options.region), dialog
            dialog.dismiss()


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

"""Options that become fewer while the mouse is on its way to them."""

from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import OptionLines


class Choosing(App[None]):
    def compose(self) -> ComposeResult:
        yield OptionLines(Option("one"), Option("two"))


def click(lines: OptionLines, option: int) -> events.Click:
    """One on the line where this option was drawn."""
    style = Style.from_meta({"option": option})
    return events.Click(
        lines, x=2, y=1, delta_x=0, delta_y=0, button=1, shift=False, meta=False, ctrl=False, style=style
    )


async def test_a_click_where_an_option_was_chooses_none() -> None:
    async with Choosing().run_test() as pilot:
        lines = pilot.app.query_one(OptionLines)
        await lines._dispatch_message(click(lines, 2))
        assert lines.highlighted == 0

"""Panes show as much as there is room for."""

from collections.abc import Iterator

from tests.doubles.quiet import run_quietly
from textual.app import App, ComposeResult

from flagtui.app.widgets.panes import AgedPane
from flagtui.text.styled import Piece


class PaneApp(App[None]):
    """One pane of lines without an end."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    def compose(self) -> ComposeResult:
        yield AgedPane(self.lines)

    def lines(self, subject: str, _now: float, _width: int) -> Iterator[list[Piece]]:
        while True:
            self.read += 1
            yield [(f"{subject} {self.read}", "")]


async def test_pane_beside_a_list_reads_no_more_lines_than_fit() -> None:
    app = PaneApp()
    async with run_quietly(app, size=(40, 12)) as pilot:
        app.query_one(AgedPane).show("line", 0.0)
        await pilot.pause()
        assert 12 <= app.read <= 3 * 12

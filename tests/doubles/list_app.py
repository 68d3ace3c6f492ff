"""An app with one list of flags, which records the list's messages."""

from tests.doubles.flag_app import StyledApp
from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.shell.themes import stylesheets
from flagtui.app.widgets.glyphs import UNICODE, Glyphs
from flagtui.app.widgets.row_list import RowList
from flagtui.models.rows import FlagRow

NOW = 1_800_000_000.0


class ListApp(StyledApp):
    """One list and nothing else; `heard` keeps the messages it posts."""

    pilot: Pilot[None]

    CSS_PATH = [*stylesheets("rows")]

    def __init__(self, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.rows: RowList[FlagRow] = RowList(FLAG_COLUMNS, clock=lambda: NOW, glyphs=glyphs)
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.rows

    @on(RowList.Highlighted)
    @on(RowList.Opened)
    @on(RowList.MarksChanged)
    @on(RowList.SortAsked)
    def hear(self, message: Message) -> None:
        self.heard.append(message)

    def lines(self) -> list[str]:
        """What the list shows, line by line, without the blanks at the end."""
        return [self.rows.render_line(y).text.rstrip() for y in range(self.rows.size.height)]

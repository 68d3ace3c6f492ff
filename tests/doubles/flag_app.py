"""Apps with the colours of the program and the styles of one part of it."""

from textual.app import App, ComposeResult
from textual.widget import Widget

from flagtui.app.shell.themes import DARK, VARIABLES, stylesheets


class StyledApp(App[None]):
    """Holds these widgets, one below the other."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self._widgets = widgets
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES


class FlagApp(StyledApp):
    """Holds tabs of a flag."""

    CSS_PATH = [*stylesheets("flag")]

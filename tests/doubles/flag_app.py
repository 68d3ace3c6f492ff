"""Apps with the colours of the program and the styles of one part of it."""

from textual.app import App

from flagtui.app.shell.themes import DARK, VARIABLES, stylesheets


class StyledApp(App[None]):
    """What widgets are put into."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES


class FlagApp(StyledApp):
    """What tabs of a flag are put into."""

    CSS_PATH = [*stylesheets("flag")]

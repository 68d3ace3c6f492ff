"""An app with the colours and the styles of the tabs of a flag, and nothing else."""

from textual.app import App

from flagtui.app.shell.themes import DARK, VARIABLES, stylesheets


class FlagApp(App[None]):
    """What tabs of a flag are put into."""

    CSS_PATH = [*stylesheets("flag")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

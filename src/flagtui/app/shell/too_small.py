"""What is shown while the terminal is too small for anything to be read, or answered, safely."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from flagtui.app.shell.screen_owner import SMALLEST
from flagtui.app.widgets.dialog import Dialog


class TooSmallScreen(Dialog[None]):
    """Covers everything, dialogs too: a question that cannot be read cannot be answered."""

    BINDINGS = [Binding("q,ctrl+q", "app.quit", "quit")]

    def compose(self) -> ComposeResult:
        yield Static(
            f"flagtui needs {SMALLEST[0]}×{SMALLEST[1]}.\nMake the window larger,\nor press q.", markup=False
        )

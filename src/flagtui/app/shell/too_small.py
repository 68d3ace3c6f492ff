"""What is shown while the terminal is too small for anything to be read, or answered, safely."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from flagtui.app.widgets.dialog import Dialog


class TooSmallScreen(Dialog[None]):
    """Covers everything, dialogs too: a question that cannot be read cannot be answered."""

    BINDINGS = [Binding("q,ctrl+q", "app.quit", "quit")]

    def __init__(self, smallest: tuple[int, int]) -> None:
        super().__init__()
        self._smallest = smallest

    def compose(self) -> ComposeResult:
        columns, lines = self._smallest
        yield Static(f"flagtui needs {columns}×{lines}.\nMake the window larger,\nor press q.", markup=False)

"""A text that confirms a change, with its words: typed and never pasted."""

from typing import Final, Generic

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ScreenResultType
from textual.widgets import Static

from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field

EDGES: Final = 3
"""Cells of a field without text: its padding, and the cursor behind the last letter."""
REASON: Final = 24
"""Cells that a reason takes at least; a longer one scrolls."""
BESIDE, BELOW, APART = 1, 2, 4
"""Lines of an entry with its field beside the words, below them, and with empty lines around it."""


def lines_apart(entries: int) -> int:
    """Return the lines of entries with empty lines around their fields; the answers bring the last one."""
    return max(0, APART * entries - 1)


class Typed(Field):
    """A field for confirmations that must be typed: pasted text is refused."""

    refuses_paste = "a confirmation has to be typed"

    def action_paste(self) -> None:
        """Ignore the key for pasting."""


class Entry(Container):
    """A field below its words; in a long question beside them, where both have room."""

    def __init__(self, words: Content, field: Typed, room: int) -> None:
        """`room` is how many cells the text of the field takes."""
        super().__init__()
        self._words = words
        self._field = field
        self._room = room

    def compose(self) -> ComposeResult:
        yield Static(self._words)
        yield self._field

    def show(self, words: Content, room: int) -> None:
        """Replace the words, and the room that the text of the field takes."""
        self._words, self._room = words, room
        self.query_one(Static).update(words)

    def fit(self, width: int, *, is_close: bool) -> int:
        """Lay it out for a dialog of this width and return its lines; without empty ones if close."""
        is_beside = is_close and cell_len(self._words.plain) + EDGES + self._room <= width
        self.set_class(is_close, "-close")
        self.set_class(is_beside, "-beside")
        return BESIDE if is_beside else BELOW if is_close else APART


class WithReason(Dialog[ScreenResultType], Generic[ScreenResultType]):
    """A dialog whose reason stays until the change is made; it still has to be confirmed."""

    is_typed = True
    recalled = ""
    """The reason that was entered in the same question before."""
    _reason: Typed | None = None

    def reason_field(self) -> Typed:
        """Return the field for the reason."""
        self._reason = Typed(self.recalled, id="reason")
        return self._reason

    @property
    def entered(self) -> str | None:
        return None if self._reason is None else self._reason.value or None

    def recall(self, entered: str) -> None:
        self.recalled = entered

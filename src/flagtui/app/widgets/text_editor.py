"""An editor of several lines that loses no key of a packet."""

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widgets import TextArea

from flagtui.app.widgets.field import at_once


class TextEditor(TextArea, inherit_bindings=False):
    """Obeys the keys of one packet in their order: a slow link and a plain paste send many together.

    Textual would let `ctrl+k` climb up to the app while the letters after it are inserted, and delete them.
    """

    BINDINGS: ClassVar[list[BindingType]] = at_once(*TextArea.BINDINGS)

    def __init__(self, text: str) -> None:
        super().__init__(text, soft_wrap=True, tab_behavior="indent", show_line_numbers=False)
        self.cursor_blink = False
        self.add_class("-stop")

    def _forward_event(self, event: events.Event) -> None:
        """Insert characters, lines and pasted text at once."""
        inserted = None
        if isinstance(event, events.Paste):
            inserted = event.text
        elif isinstance(event, events.Key):
            column = self.cursor_location[1]
            spaces = self.indent_width - column % self.indent_width
            typed = event.character if event.is_printable else None
            inserted = {"enter": "\n", "tab": " " * spaces}.get(event.key, typed)
        if inserted is None:
            super()._forward_event(event)
        else:
            self.replace(inserted, *self.selection, maintain_selection_offset=False)

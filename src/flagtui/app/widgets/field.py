"""A line to type in. Letters belong to it until Escape leaves it; Tab goes on to the next one."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Final, TypedDict, Unpack

from rich.highlighter import Highlighter
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Button, Input

from flagtui.app.widgets.row_surface import RowSurface
from flagtui.text.formats import count

STOPS: Final = "Field, AnswerButton, .-stop"
"""Where Tab stops while something is typed: nowhere that letters are commands."""

CONTROLS: Final = re.compile(r"\s*[\x00-\x1f\x7f-\x9f\u2028\u2029]+\s*")
"""What separates the lines of a text, and what a terminal obeys."""

KeyWords = tuple[str, str]
"""A key as it is written, and its effect."""

OWN_KEYS: Final = (
    Binding("tab", "next_field", "next field", show=False),
    Binding("shift+tab", "field_before", "field before", show=False),
)
TYPING_KEYS: Final = (
    *Input.BINDINGS,
    # Option and an arrow on a Mac.
    Binding("alt+f", "cursor_right_word", "word right", show=False),
    Binding("alt+b", "cursor_left_word", "word left", show=False),
)


class Options(TypedDict, total=False):
    """Further arguments of a field, as `Input` takes them."""

    placeholder: str
    highlighter: Highlighter
    password: bool
    restrict: str
    max_length: int
    id: str


def at_once(*bindings: BindingType) -> list[BindingType]:
    """Return the same, obeyed before the next key of the same packet is looked at.

    Over a slow link a word, Enter and another word arrive together. Textual would queue the letters for the
    field and let Enter climb up to the app, so that the second word could overtake it.
    """
    return [replace(binding, priority=True) for binding in bindings if isinstance(binding, Binding)]


class Field(Input, inherit_bindings=False):
    """`answers` and `leaves` describe what Enter and Escape do here, for the footer."""

    BINDINGS: ClassVar[list[BindingType]] = at_once(*TYPING_KEYS, *OWN_KEYS)
    refuses_paste: ClassVar = ""
    """Why nothing can be pasted; empty where text can."""

    class NotPasted(Message):
        """Pasted text was refused."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(
        self,
        value: str | None = None,
        *,
        answers: str = "accept",
        leaves: str = "leave",
        **options: Unpack[Options],
    ) -> None:
        # Coming back to the field and typing a letter must not erase its text.
        super().__init__(value, select_on_focus=False, **options)
        self.cursor_blink = False
        self._answers = answers
        self._leaves = leaves
        self._last_key = ""

    def key_words(self) -> Iterator[KeyWords]:
        """Yield the keys that matter while something is typed here."""
        yield "⏎", self._answers
        if len([stop for stop in self.screen.focus_chain if is_stop(stop)]) > 1:
            yield "tab", "next field"
        yield "esc", self._leaves

    def on_resize(self) -> None:
        """Scroll to the cursor, which a narrower field would hide."""
        if self.has_focus:
            self.mutate_reactive(Input.selection)

    def action_next_field(self) -> None:
        self.screen.focus_next(STOPS)

    def action_field_before(self) -> None:
        self.screen.focus_previous(STOPS)

    def insert_pasted(self, text: str) -> None:
        """Insert every line of the pasted text, without control characters.

        The library would keep only the first line.
        """
        lines = CONTROLS.sub(" ", text).strip()
        if not lines or lines == self.selected_text:
            return
        before = self.value
        if not self.refuses_paste:
            self.replace(lines, *sorted(self.selection))
        if self.value == before:
            self.post_message(self.NotPasted(self.refuses_paste or self._why_not_pasted(lines)))

    def _why_not_pasted(self, text: str) -> str:
        kept = len(self.value) - len(self.selected_text)
        if self.max_length is not None and kept + len(text) > self.max_length:
            return f"the text has {count(len(text), 'character')}; {self.max_length - kept:,} fit here"
        return "the text is not valid here"

    def on_blur(self) -> None:
        """Take the focus back from a click beside it or a late response, so that letters run no commands."""
        focused = self.screen.focused
        if (
            focused is None
            or is_stop(focused)
            or isinstance(focused, RowSurface)
            or self._last_key == "escape"
        ):
            return
        if self in self.screen.focus_chain:
            self.focus()

    def _forward_event(self, event: events.Event) -> None:
        """Insert characters and pasted text at once; keys would overtake what Textual queues."""
        if isinstance(event, events.Paste):
            self.insert_pasted(event.text)
            return
        if isinstance(event, events.Key):
            self._last_key = event.key
            if event.is_printable and event.character is not None:
                self.replace(event.character, *self.selection)
                return
        super()._forward_event(event)


def is_stop(widget: object) -> bool:
    """Return whether letters pressed there are text and not commands of the screen below."""
    return isinstance(widget, Field | Button) or "-stop" in getattr(widget, "classes", ())

"""A prompt for one line, with a preview of its effect while typing."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

import msgspec
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field, at_once
from flagtui.app.widgets.line import styled
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

LONGEST: Final = 100_000
"""Characters of one line; longer values are for the editor."""
KEPT: Final = "several lines or control signs, which stay unless you type"
"""Shown in place of a value that one line cannot show."""


class PromptReading(msgspec.Struct, frozen=True):
    """Meaning of the line so far. Pieces are safe; a problem keeps it from being accepted."""

    pieces: Sequence[Piece] = ()
    problem: str = ""


def no_reading(_line: str) -> PromptReading:
    """Accept any text."""
    return PromptReading()


class Prompt(msgspec.Struct, frozen=True):
    """The text of a prompt. Raw; the screen makes it safe."""

    title: str
    about: str = ""
    value: str = ""
    hint: str = ""
    """Shown while nothing is typed."""
    read: Callable[[str], PromptReading] = no_reading
    typed: Callable[[], str] = str
    """Text typed before the prompt opened: it replaces the value."""
    subject: str = ""
    """The question where the title depends on earlier answers."""


class PromptScreen(Dialog[str | None]):
    """Answers with the line, or None."""

    BINDINGS: ClassVar[list[BindingType]] = at_once(Binding("escape", "leave", "leave", key_display="esc"))
    AUTO_FOCUS = "Input"
    is_typed = True
    VERTICAL_BREAKPOINTS = [(0, "-low"), (14, "-short"), (22, "-tall")]
    keys = "⏎ accept · esc leave"

    def __init__(self, prompt: Prompt) -> None:
        super().__init__()
        self._prompt = prompt
        self._field: Field | None = None
        self._recalled: str | None = None

    @property
    def question(self) -> object:
        return self._prompt.subject or self._prompt.title

    @property
    def entered(self) -> str | None:
        shown = self._prompt.value if self._shows_value else ""
        return None if self._field is None or self._field.value == shown else self._field.value

    def recall(self, entered: str) -> None:
        self._recalled = entered

    def compose(self) -> ComposeResult:
        prompt = self._prompt
        with self.make_box("prompt", safe_text(prompt.title, 60), self.keys):
            if prompt.about:
                yield Static(styled((safe_text(prompt.about, 300), "$text-muted")), id="about")
            value, hint = (prompt.value, prompt.hint) if self._shows_value else ("", KEPT)
            self._field = Field(value, placeholder=hint, max_length=LONGEST)
            yield self._field
            yield from self.compose_more()
            yield Static(id="reading")

    @property
    def _shows_value(self) -> bool:
        """Whether the field has the value: pictures of what a terminal obeys must not be saved as such."""
        return self._prompt.value.isprintable()

    def compose_more(self) -> ComposeResult:
        """Return what is between the field and the reading of its line."""
        yield from ()

    def on_mount(self) -> None:
        field = self.query_one(Field)
        typed = (self._prompt.typed() or None) if self._recalled is None else self._recalled
        if typed is not None:
            field.value = typed
            field.cursor_position = len(typed)
        if typed is None or self.replaces_recalled:
            # Typing replaces the value; an arrow keeps it.
            field.select_all()
        self.show_line(field.value)

    def on_key(self, event: events.Key) -> None:
        """Insert a character that came before the field had the focus."""
        if event.is_printable and event.character is not None:
            event.stop()
            field = self.query_one(Field)
            field.replace(event.character, *field.selection)

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.show_line(event.value)

    def show_line(self, line: str) -> None:
        """Show what the line means."""
        reading = self._prompt.read(line)
        pieces = [(safe_text(reading.problem, 200), "$warning")] if reading.problem else reading.pieces
        self.query_one("#reading", Static).update(styled(*pieces))

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = event.value if event.value or self._shows_value else self._prompt.value
        if not self._prompt.read(line).problem:
            self.dismiss(line)

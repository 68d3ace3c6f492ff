"""The JSON served with a value, checked with every key."""

import json

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static
from textual.widgets.text_area import Selection

from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.text_editor import TextEditor
from flagtui.models.json_value import NotJson, refuse_constant
from flagtui.safe_text import safe_text


class PayloadScreen(Dialog[str | None]):
    """Answers with the text, empty to take the payload away, or None to leave it."""

    BINDINGS = [
        Binding("escape", "leave", "leave", key_display="esc", priority=True),
        Binding("ctrl+s", "take", "accept", priority=True),
    ]
    AUTO_FOCUS = "TextEditor"

    def __init__(self, title: str, text: str, note: str = "") -> None:
        super().__init__()
        self._heading = title
        self._text = text
        self._note = note
        self._recalled: str | None = None
        self._is_leaving = False
        """Whether the next Escape discards what was typed."""

    @property
    def question(self) -> object:
        return self._heading

    @property
    def entered(self) -> str | None:
        area = next(iter(self.query(TextEditor)), None)
        return None if area is None or area.text == self._text else area.text

    def recall(self, entered: str) -> None:
        self._recalled = entered

    def compose(self) -> ComposeResult:
        keys = "ctrl+s accept · empty removes it · esc leave"
        with self.make_box("payload", safe_text(self._heading, 60), keys):
            if self._note:
                yield Static(styled((self._note, "$warning")))
            yield TextEditor(self._text if self._recalled is None else self._recalled)
            yield Static(id="reading")

    def on_mount(self) -> None:
        # As in every prefilled field: typed or pasted text replaces it, a movement keeps it.
        area = self.query_one(TextEditor)
        end = area.document.end
        area.selection = Selection(end, area.document.start if self._recalled is None else end)
        self._check()

    @on(TextEditor.Changed)
    def _on_typed(self, event: TextEditor.Changed) -> None:
        event.stop()
        self._check()

    def _check(self) -> None:
        self._is_leaving = False
        text = self.query_one(TextEditor).text
        problem = json_problem(text)
        if problem:
            words = (safe_text(problem, 200), "$warning")
        elif text.strip():
            words = (f"JSON · {len(text.encode('utf-8', 'replace')):,} bytes", "$success")
        else:
            words = ("no payload", "$text-muted")
        self.query_one("#reading", Static).update(styled(words))

    @property
    def has_edits(self) -> bool:
        return self.entered is not None

    def action_leave(self) -> None:
        """Leave; what was typed is discarded by a second Escape."""
        if not self.has_edits or self._is_leaving:
            self.dismiss(None)
            return
        self._is_leaving = True
        words = "not accepted yet; esc again discards it"
        self.query_one("#reading", Static).update(styled((words, "$warning")))

    def action_take(self) -> None:
        text = self.query_one(TextEditor).text
        if not json_problem(text):
            self.dismiss(text.strip())


def json_problem(text: str) -> str:
    """Return why the text is not JSON, with the line; empty for JSON, and for an empty text."""
    if not text.strip():
        return ""
    try:
        json.loads(text, parse_constant=refuse_constant)
    except json.JSONDecodeError as fault:
        return f"not JSON, line {fault.lineno}: {fault.msg.lower()}"
    except RecursionError:
        return "nested too deeply"
    except NotJson as fault:
        return str(fault)
    except ValueError:
        return "a number is too long"
    return ""

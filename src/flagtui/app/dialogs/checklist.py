"""Choose some of a few, and perhaps their order: columns of a list, flags to bring back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import Choice, OptionLines
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.line import styled
from flagtui.safe_text import safe_text

V = TypeVar("V")


@dataclass(frozen=True)
class Checklist(Generic[V]):
    """What can be chosen. Texts are raw."""

    title: str
    choices: Sequence[Choice[V]]
    checked: frozenset[V] = field(default_factory=frozenset)
    is_ordered: bool = False
    """Whether the order counts, so that lines can be moved."""
    note: str = ""


class ChecklistScreen(Dialog[list[V] | None], Generic[V]):
    """Answers with what is checked, in the order shown, or None.

    Where the order does not count, enter with nothing checked takes the line under the cursor.
    """

    BINDINGS = [
        Binding("escape", "leave", "leave", key_display="esc"),
        Binding("space,x", "check", "check"),
        Binding("less_than_sign,ctrl+up", "move(-1)", "up", key_display="<"),
        Binding("greater_than_sign,ctrl+down", "move(1)", "down", key_display=">"),
    ]
    AUTO_FOCUS = "OptionList"

    def __init__(self, checklist: Checklist[V]) -> None:
        super().__init__()
        self._checklist = checklist
        self._choices = list(checklist.choices)
        self._checked = set(checklist.checked)

    def compose(self) -> ComposeResult:
        checklist = self._checklist
        moving = " · < > move" if checklist.is_ordered else ""
        keys = f"space check{moving} · ⏎ take · esc leave"
        with self.make_box("checklist", safe_text(checklist.title, 60), keys):
            if checklist.note:
                yield Static(styled((safe_text(checklist.note, 300), "$text-muted")), id="about")
            yield OptionLines()

    def on_mount(self) -> None:
        self._draw(0)

    def _draw(self, place: int) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(Option(self._line(choice)) for choice in self._choices)
        options.highlighted = min(place, len(self._choices) - 1) if self._choices else None

    def _line(self, choice: Choice[V]) -> Content:
        mark = ("■ ", "$success") if choice.value in self._checked else ("□ ", "$faint")
        return styled(
            mark, (safe_text(choice.name, 50), "bold"), (f"  {safe_text(choice.about, 80)}", "$text-muted")
        )

    @property
    def _place(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    def action_check(self) -> None:
        if self._choices:
            self._checked ^= {self._choices[self._place].value}
            self._draw(self._place)

    def action_move(self, step: int) -> None:
        place, to = self._place, self._place + step
        if self._checklist.is_ordered and 0 <= to < len(self._choices):
            self._choices.insert(to, self._choices.pop(place))
            self._draw(to)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        found = [choice.value for choice in self._choices if choice.value in self._checked]
        if not found and not self._checklist.is_ordered:
            found = [self._choices[event.option_index].value]
        self.dismiss(found)

"""Choose one of a few: a project, a profile. Type to narrow, enter chooses, escape leaves things be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.option_lines import OptionLines
from flagtui.app.widgets.screen_lifecycle import Dialog
from flagtui.safe_text import safe_text

V = TypeVar("V")

MOST_SHOWN: Final = 200
"""Choices drawn at once; typing brings the others."""


@dataclass(frozen=True)
class Choice(Generic[V]):
    """Something to choose. `name` and `about` are raw."""

    value: V
    name: str
    about: str = ""
    current: bool = False
    stays: bool = False
    """Offered whatever is typed: the way out when nothing listed is meant."""


class PickerScreen(Dialog[V | None], Generic[V]):
    """Answers with the value chosen, or None."""

    BINDINGS = [
        Binding("escape", "leave", "leave"),
        Binding("down", "move(1)", "down", show=False),
        Binding("up", "move(-1)", "up", show=False),
    ]
    AUTO_FOCUS = "Input"

    def __init__(self, title: str, choices: Sequence[Choice[V]]) -> None:
        super().__init__()
        self._heading = title
        self._choices = choices
        self._shown: list[Choice[V]] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="picker") as box:
            box.border_title = styled((f" {self._heading} ", "bold $primary"))
            box.border_subtitle = "⏎ choose · esc leave"
            yield Field(placeholder="type to narrow")
            yield OptionLines()

    def on_mount(self) -> None:
        self._narrow("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(event.value)

    def _narrow(self, words: str) -> None:
        wanted = words.casefold().split()
        found = [
            choice
            for choice in self._choices
            if all(word in f"{choice.name} {choice.about}".casefold() for word in wanted)
        ]
        # What begins with the words is more likely meant than what has them somewhere.
        found.sort(key=lambda choice: not choice.name.casefold().startswith(words.strip().casefold()))
        more = max(0, len(found) - MOST_SHOWN)
        found = found[:MOST_SHOWN]
        self._shown = found + [choice for choice in self._choices if choice.stays and choice not in found]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(Option(self._line(choice)) for choice in self._shown)
        if more:
            options.add_option(
                Option(styled((f"  and {more:,} more; type to narrow", "$faint")), disabled=True)
            )
        here = (place for place, choice in enumerate(self._shown) if choice.current and not wanted)
        current = next(here, 0)
        options.highlighted = current if self._shown else None

    def _line(self, choice: Choice[V]) -> Content:
        mark = ("● ", "$success") if choice.current else ("  ", "")
        return styled(
            mark, (safe_text(choice.name, 60), "bold"), (f"  {safe_text(choice.about, 60)}", "$text-muted")
        )

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._choose(place)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._shown):
            self.dismiss(self._shown[place].value)

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            options.highlighted = ((options.highlighted or 0) + step) % len(self._shown)

    def action_leave(self) -> None:
        self.dismiss(None)

"""Dialogs of a list: its columns, and the name of a search."""

from collections.abc import Collection, Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import Choice, OptionLines
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.lists.list_description import QUERY_KEYS, ListDescription
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.line import styled
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.config.settings import SavedQuery
from flagtui.safe_text import safe_text
from flagtui.text.styled import Notice

LONGEST_NAME = 24
NOTE = "A narrow window hides the last columns."


class ColumnsScreen(Dialog[list[str] | None]):
    """Answers with the names of the columns that are checked, in the order shown, or None."""

    BINDINGS = [
        Binding("escape", "leave", "leave", key_display="esc"),
        Binding("space,x", "check", "check"),
        Binding("less_than_sign,ctrl+up", "move(-1)", "up", key_display="<"),
        Binding("greater_than_sign,ctrl+down", "move(1)", "down", key_display=">"),
    ]
    AUTO_FOCUS = "OptionList"

    def __init__(self, choices: Sequence[Choice[str]], checked: Collection[str]) -> None:
        super().__init__()
        self._choices = [*choices]
        self._checked = {*checked}

    def compose(self) -> ComposeResult:
        with self.make_box("checklist", "Columns", "space check · < > move · ⏎ apply · esc leave"):
            yield Static(styled((NOTE, "$text-muted")), id="about")
            yield OptionLines()

    def on_mount(self) -> None:
        self._draw(0)

    def on_resize(self) -> None:
        self.fit_list(len(self._choices))

    def _draw(self, place: int) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(Option(self._line(choice)) for choice in self._choices)
        options.highlighted = min(place, len(self._choices) - 1) if self._choices else None

    def _line(self, choice: Choice[str]) -> Content:
        mark = ("■ ", "$success") if choice.value in self._checked else ("□ ", "$faint")
        return styled(mark, (safe_text(choice.name, 50), "bold"))

    @property
    def _place(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    def action_check(self) -> None:
        if self._choices:
            self._checked ^= {self._choices[self._place].value}
            self._draw(self._place)

    def action_move(self, step: int) -> None:
        place, to = self._place, self._place + step
        if 0 <= to < len(self._choices):
            self._choices.insert(to, self._choices.pop(place))
            self._draw(to)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss([choice.value for choice in self._choices if choice.value in self._checked])


async def choose_columns(
    runner: ChangeRunner,
    description: ListDescription[Any],
    shown: Sequence[Column[Any]],
    every: Sequence[Column[Any]],
) -> list[str] | None:
    """Ask for columns; return their names in order, none for the defaults, None when cancelled."""
    names = {column.name for column in shown}
    rest = [column for column in every if column.name not in names]
    choices = [
        Choice(column.name, column.title.strip().lower() or column.name)
        for column in (*shown, *rest)
        if column.name not in description.always
    ]
    picked = await runner.ask(ColumnsScreen(choices, names))
    if picked is None:
        return None
    chosen = [*description.always, *picked]
    return [] if chosen == [column.name for column in description.columns] else chosen


async def name_query(runner: ChangeRunner, line: str, queries: Sequence[SavedQuery]) -> str | None:
    """Return a name for the search line; None to leave it without. A name of `queries` is used again."""
    lines = {query.name: query.line for query in queries}

    def read(name: str) -> PromptReading:
        problem = _name_problem(name.strip())
        if problem or (before := lines.get(name.strip())) in (None, line):
            return PromptReading(problem=problem)
        return PromptReading([(f"replaces the search {safe_text(before, 60)}", "$warning")])

    prompt = Prompt("Name of this search", line, hint="the word on the tab", read=read)
    name = await runner.ask(PromptScreen(prompt))
    return None if name is None else name.strip()


def explain_saved(name: str, queries: Sequence[SavedQuery], wrong: str) -> Notice:
    """Return the toast about a saved search; the list has tabs for the first few, and `wrong` is an error."""
    if wrong:
        return Notice(wrong, "warning")
    if name in [query.name for query in queries[:QUERY_KEYS]]:
        return Notice(f"saved as {name}")
    return Notice(f"saved as {name} in your settings; other searches have all {QUERY_KEYS} tabs", "warning")


def _name_problem(name: str) -> str:
    if not name:
        return f"a name of up to {LONGEST_NAME} characters"
    return f"{LONGEST_NAME} characters at most" if len(name) > LONGEST_NAME else ""

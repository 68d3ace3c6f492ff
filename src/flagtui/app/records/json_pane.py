"""The whole record as JSON: fold, search, nothing hidden but secrets."""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Input

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.records.json_reading import JsonLines, JsonReading
from flagtui.app.records.record_screen import CursorPane
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import Line, styled
from flagtui.app.widgets.panes import LineView
from flagtui.models.json_value import JSON, as_list
from flagtui.safe_text import safe_text
from flagtui.text.differences import Path

ShownT = TypeVar("ShownT")
STEP: Final = 2_000
"""Lines of a record that are laid out at once; more of them between keys."""


class JsonPane(CursorPane):
    """A tab with a cursor of its own."""

    BINDINGS = bindings_of("json")

    def __init__(self, name: str) -> None:
        super().__init__(id=f"tab-{name}", classes="pane")
        self._value: JSON = None
        self._record: tuple[object, object] = (None, None)
        self._reading = self._latest = JsonReading()
        """The lines on screen, and those that take their place."""
        self._folded: set[Path] = set()
        self._sought: int | None = None
        """From which line the words are looked for; None when they are not, or no more."""

    def compose(self) -> ComposeResult:
        hint = "search in the JSON; enter goes to the next place"
        yield Field(placeholder=hint, id="json-search", answers="next place", leaves="to the lines")
        yield LineView(id="json-lines")
        yield Line(id="json-words")

    def show_value(self, value: JSON, folded: Iterable[Path] = ()) -> None:
        """Draw any JSON, the first time with these paths folded."""
        if self._value is None:
            self._folded = set(folded)
        self._value = value
        self._redraw()

    def show_record(
        self, record: ShownT | None, shown: Callable[[ShownT], JSON], version: object = None
    ) -> None:
        """Draw a record once for each reading and `version` of it, not each time its page is drawn."""
        if record is not None and (record is not self._record[0] or version != self._record[1]):
            self._record = (record, version)
            self.show_value(shown(record))

    def _redraw(self, keep: Path | None = None) -> None:
        """Lay out the lines again with the cursor on its line, or on that of the path `keep`."""
        self._latest = reading = JsonReading(self._value, self._folded, self._words, keep)
        reading.read(STEP)
        self._show(reading)
        if not reading.is_whole:
            self._read_on(reading)

    @work(exclusive=True, group="json", description="read on")
    async def _read_on(self, reading: JsonReading) -> None:
        while not reading.is_whole and reading is self._latest:
            # A key that waits comes first.
            await asyncio.sleep(0)
            reading.read(STEP)
            self._show(reading)
            self._seek()

    def _show(self, reading: JsonReading) -> None:
        """Draw the lines read so far, unless the cursor's line is still to come."""
        if reading is not self._latest or not self.is_attached:
            return
        if reading is not self._reading and reading.has_line(self.view.place):
            self._reading = reading
            self.view.show(JsonLines(reading), reading.place)
        self._show_counts()

    @property
    def _words(self) -> str:
        return self.query_one(Field).value.casefold()

    def _show_counts(self) -> None:
        reading = self._reading
        here = reading.rows[self.view.place].path if 0 <= self.view.place < len(reading.rows) else ()
        self.query_one("#json-words", Line).show(
            styled((json_path(here), "$text-muted")), styled((reading.count_words, "$faint"))
        )

    @on(LineView.Moved)
    def _on_moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._show_counts()

    @on(LineView.Chosen)
    def _on_chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        self.action_fold()

    def action_fold(self) -> None:
        """Fold what begins on this line, or unfold it."""
        rows = self._reading.rows
        if not 0 <= self.view.place < len(rows):
            return
        row = rows[self.view.place]
        path = row.path if row.can_fold else row.path[:-1]
        self._folded ^= {path}
        self._redraw(path)

    def action_fold_all(self) -> None:
        """Fold everything below the first level, or unfold all."""
        value = self._value
        items = value.items() if isinstance(value, dict) else enumerate(as_list(value))
        every: set[Path] = {(key,) for key, inner in items if isinstance(inner, dict | list) and inner}
        self._folded = set() if self._folded else every
        self._redraw()

    def action_search_json(self) -> None:
        self.query_one(Field).focus()

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._words and self._folded:
            self._folded = set()
        self._redraw()
        self._go_to_match(self.view.place)

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        self._go_to_match(self.view.place + 1)

    def _go_to_match(self, start: int) -> None:
        """Go to the first line from `start` on that has the words, else to the first of all."""
        self._sought = start if self._words else None
        self._seek()

    def _seek(self) -> None:
        if self._sought is None or self._reading is not self._latest:
            return
        matches = self._reading.matches
        place = bisect_left(matches, self._sought)
        if place == len(matches) and not self._reading.is_whole:
            return
        self._sought = None
        if matches:
            self.view.go_to(matches[place % len(matches)])

    def leave_typing(self) -> bool:
        """Move the focus out of the search line; return whether it had it."""
        if self.query_one(Field).has_focus:
            self.view.focus()
            return True
        return False


def json_path(path: Path) -> str:
    """Format a path as `filters.groups[0].properties`, safe to draw."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{step}"
    return safe_text(text, 100)

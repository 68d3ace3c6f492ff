"""The whole record as JSON: fold, search, nothing hidden but secrets."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.records.record_screen import RecordPane
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import Line, styled
from flagtui.app.widgets.panes import LineView
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text
from flagtui.text.differences import JsonRow, Path, json_rows
from flagtui.text.styled import Piece

Record = TypeVar("Record")


class JsonPane(Vertical, RecordPane):
    """A tab with a cursor of its own."""

    BINDINGS = bindings_of("json")

    def __init__(self, name: str) -> None:
        super().__init__(id=f"tab-{name}", classes="pane")
        self._value: JSON = None
        self._record: object = None
        self._rows: list[JsonRow] = []
        self._folded: set[Path] = set()

    def compose(self) -> ComposeResult:
        hint = "search in the JSON; enter goes to the next place"
        yield Field(placeholder=hint, id="json-search", answers="next place", leaves="to the lines")
        yield LineView(id="json-lines")
        yield Line(id="json-words")

    @property
    def view(self) -> LineView:
        return self.query_one(LineView)

    def focus(self, scroll_visible: bool = True) -> "JsonPane":
        self.view.focus(scroll_visible)
        return self

    def show_value(self, value: JSON, folded: Iterable[Path] = ()) -> None:
        """Draw any JSON, the first time with these paths folded."""
        if self._value is None:
            self._folded = set(folded)
        self._value = value
        self._redraw()

    def show_record(self, record: Record | None, shown: Callable[[Record], JSON]) -> None:
        """Draw a record, once for each reading of it: hundreds of lines are not laid out every time."""
        if record is not None and record is not self._record:
            self._record = record
            self.show_value(shown(record))

    def move(self, way: str) -> None:
        self.view.move(way)

    def _redraw(self, keep: Path | None = None) -> None:
        self._rows = [*json_rows(self._value, self._folded)] if self._value is not None else []
        place = next((n for n, row in enumerate(self._rows) if row.path == keep), None)
        wanted = self._words
        self.view.show([_marked(row, wanted) for row in self._rows], place)
        self._say()

    @property
    def _words(self) -> str:
        return self.query_one(Field).value.casefold()

    def _say(self) -> None:
        found = sum(self._words in row.text.casefold() for row in self._rows) if self._words else 0
        words = f"{found:,} lines have it" if self._words else f"{len(self._rows):,} lines"
        here = self._rows[self.view.place].path if 0 <= self.view.place < len(self._rows) else ()
        self.query_one("#json-words", Line).show(
            styled((json_path(here), "$text-muted")), styled((words, "$faint"))
        )

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._say()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        self.action_fold()

    def action_fold(self) -> None:
        """Fold what begins on this line, or unfold it."""
        if not 0 <= self.view.place < len(self._rows):
            return
        row = self._rows[self.view.place]
        path = row.path if row.can_fold else row.path[:-1]
        self._folded ^= {path}
        self._redraw(path)

    def action_fold_all(self) -> None:
        """Everything below the first level folded, or nothing."""
        every: set[Path] = {row.path for row in json_rows(self._value) if row.can_fold and len(row.path) == 1}
        self._folded = set() if self._folded else every
        self._redraw()

    def action_search_json(self) -> None:
        self.query_one(Field).focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._words and self._folded:
            self._folded = set()
        self._redraw()
        self._go_to_found(self.view.place)

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        self._go_to_found(self.view.place + 1)

    def _go_to_found(self, start: int) -> None:
        wanted, count = self._words, len(self._rows)
        if not wanted:
            return
        # The record may still be on its way: then there is no place to begin at.
        start = min(max(start, 0), count)
        for place in [*range(start, count), *range(start)]:
            if wanted in self._rows[place].text.casefold():
                self.view.go_to(place)
                return

    def leave_typing(self) -> bool:
        """Out of the search line; true when it had the focus."""
        if self.query_one(Field).has_focus:
            self.view.focus()
            return True
        return False


def json_path(path: Path) -> str:
    """`filters.groups[0].properties`, safe to draw."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{step}"
    return safe_text(text, 100)


def _marked(row: JsonRow, words: str) -> list[Piece]:
    if not words or words not in row.text.casefold():
        return [*row.pieces]
    return [(text, f"{style} underline" if text.strip() else style) for text, style in row.pieces]

"""The base of every tab of a flag: shows a study and scrolls."""

from collections.abc import Callable, Iterable

import msgspec
from textual.app import ComposeResult
from textual.widgets import Static

from flagtui.app.lists.record_copies import shown_record
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.records.record_screen import LinesPane
from flagtui.app.widgets.line import join_lines
from flagtui.models.flag_details import NO_NAMES, FlagDetails, Names
from flagtui.models.json_value import JSON
from flagtui.text.styled import Piece

Lines = Iterable[list[Piece]]


class Study(msgspec.Struct, frozen=True):
    """A study of the flag: all data at this moment, for the open tab."""

    details: FlagDetails
    now: float
    """Unix seconds."""
    names: Names = NO_NAMES
    is_unmasked: bool = False
    """Whether the person asked to see encrypted payloads."""
    is_wide: bool = False
    """Whether the column beside the tabs is there: then a tab need not repeat it."""
    closed: tuple[tuple[str, str], ...] = ()
    """Parts that the server refuses to API keys, each with the reason."""
    asked_value: JSON = None
    """The remote configuration's value as the server gave it, once it was requested."""
    reads: int = 0
    """A number that changes when the page must be read again."""


class TextPane(LinesPane):
    """A tab of lines."""

    def __init__(self, name: str, lines: Callable[[Study, int], Lines]) -> None:
        super().__init__(id=f"tab-{name}", classes="pane")
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, study: Study) -> None:
        """Draw this study, once there is room for it."""
        if not self.size.width:
            return
        width = max(20, self.size.width - 2)
        self.query_one(Static).update(join_lines(self._lines(study, width), width))


class FlagJsonPane(JsonPane):
    """A tab of the flag's page."""

    def show(self, study: Study) -> None:
        """Draw the record of this study."""
        is_unmasked = study.is_unmasked
        self.show_record(study.details.flag, lambda flag: shown_record(flag, is_unmasked), is_unmasked)

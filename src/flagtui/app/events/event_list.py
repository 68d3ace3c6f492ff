"""The event definitions of a project: thousands of names, found while typing."""

from collections.abc import Iterable
from textwrap import wrap
from typing import ClassVar

from textual.binding import BindingType

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_columns import EVENT_LIST
from flagtui.app.events.event_edits import EventEditing
from flagtui.app.events.event_keys import EventKeys
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.events.inbox_screen import InboxScreen
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.pane import Pane
from flagtui.app.writing.changes import Changes
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.load_progress import RecordId
from flagtui.text.event_words import event_lines
from flagtui.text.styled import Notice, Piece, with_link


class EventsScreen(EventKeys, WorkspaceList[EventDefinitionRow]):
    """Draws the collection of event definitions."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("events", "lists", "everywhere")]
    kind = "events"
    place = "events"
    tab = "3"
    description = EVENT_LIST

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        super().__init__(app_state, changing)
        self.event_path = EventChanges(app_state, changing)
        self.event_editing = EventEditing(app_state, self.event_path)

    def make_preview(self) -> Pane:
        return Pane()

    def draw_preview(self, row: EventDefinitionRow | None) -> None:
        pane = self.query_one(Pane)
        now = self._app_state.now()
        lines: list[list[Piece]] = []
        if row is not None:
            about = event_lines(row, now, pane.content_size.width)
            lines = [*with_link(about, self._app_state.page_of("events", row.id))]
        if why := self.event_path.why_read_only:
            told = wrap(why, max(10, pane.content_size.width))
            lines = [*lines, [], *([(text, "$warning")] for text in told)]
        pane.show(lines)

    def chosen(self) -> list[EventDefinitionRow]:
        return WorkspaceList.chosen(self)

    def at_cursor(self) -> list[EventDefinitionRow]:
        return WorkspaceList.at_cursor(self)

    def saved(self, records: Iterable[RecordId]) -> None:
        WorkspaceList.saved(self, records)

    def action_inbox(self) -> None:
        """Tidy up, one event after the other."""
        if self._workspace is not None and self._workspace.events.is_complete:
            self.app.push_screen(InboxScreen(self._app_state, self.event_path, self._workspace.events.rows))
        else:
            tell(self.app, Notice("the inbox opens when every event has arrived"))

    def page_of(self, row: EventDefinitionRow) -> EventScreen:
        """The page of one of them."""
        return EventScreen(self._app_state, self.event_path, row)

    def action_open(self) -> None:
        if self.record is not None:
            self.app.push_screen(self.page_of(self.record))

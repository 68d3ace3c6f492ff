"""The event definitions of a project: thousands of names, found while typing."""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import ClassVar

from textual.binding import BindingType

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_columns import EVENT_COLUMNS
from flagtui.app.events.event_edits import EventEditing
from flagtui.app.events.event_keys import EventKeys
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.events.inbox_screen import InboxScreen
from flagtui.app.lists.loaded_list import RecordsScreen
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.pane import Pane
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.changes import Changes
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.collection import Collection
from flagtui.store.finder import EVENT_LISTING, Finder
from flagtui.store.load import Loading
from flagtui.store.load_progress import RecordId
from flagtui.store.query import EVENTS
from flagtui.store.sort_orders import Sort
from flagtui.store.workspace import Workspace
from flagtui.text.event_words import event_lines
from flagtui.text.notices import Notice


class EventsScreen(EventKeys, RecordsScreen[EventDefinitionRow]):
    """Draws the collection of event definitions."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("events", "lists", "everywhere")]
    kind = "events"
    tab = "3"
    hint = "search   kind:custom  is:undescribed  seen:>30d  owner:me  tag:ops"
    orders = ("seen", "name", "verified", "created", "updated")
    shown_orders: ClassVar[dict[str, str]] = {"updated": "description"}

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        finder: Finder[EventDefinitionRow] = Finder(
            listing=EVENT_LISTING, sort=Sort("seen"), clock=app_state.session.clock
        )
        super().__init__(app_state, changing, finder, EVENTS)
        self.app_state = app_state
        self.event_path = EventChanges(app_state, changing)
        self.event_editing = EventEditing(app_state, self.event_path)

    def make_rows(self) -> RowList[EventDefinitionRow]:
        return RowList(EVENT_COLUMNS, clock=self._app_state.now)

    def make_preview(self) -> Pane:
        return Pane()

    def collection(self, workspace: Workspace) -> Collection[EventDefinitionRow]:
        return workspace.events

    def arriving(self, workspace: Workspace) -> Loading[EventDefinitionRow]:
        return workspace.events_loading

    def known_values(self, rows: Sequence[EventDefinitionRow]) -> dict[str, list[str]]:
        return {
            "tag": sorted({tag for row in rows for tag in row.tags}),
            "owner": ["me", *sorted({row.owner for row in rows if row.owner})],
        }

    def draw_preview(self, row: EventDefinitionRow | None) -> None:
        pane = self.query_one(Pane)
        now = self._app_state.now()
        lines = list(event_lines(row, now, pane.content_size.width)) if row is not None else []
        if why := self.event_path.why_read_only:
            told = wrap(why, max(10, pane.content_size.width))
            lines = [*lines, [], *([(text, "$warning")] for text in told)]
        pane.show(lines)

    def chosen(self) -> list[EventDefinitionRow]:
        return RecordsScreen.chosen(self)

    def at_cursor(self) -> list[EventDefinitionRow]:
        return RecordsScreen.at_cursor(self)

    def saved(self, records: Iterable[RecordId]) -> None:
        self.rows.unmark(records)

    def action_inbox(self) -> None:
        """Tidy up, one event after the other."""
        if self._workspace is not None and self._workspace.events.is_complete:
            self.app.push_screen(InboxScreen(self._app_state, self.event_path, self._workspace.events.rows))
        else:
            tell(self.app, Notice("the inbox opens when every event has arrived"))

    def action_open(self) -> None:
        if self.record is not None:
            self.app.push_screen(EventScreen(self._app_state, self.event_path, self.record))

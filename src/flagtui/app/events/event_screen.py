"""The page of an event definition: details, verification, uses, JSON."""

import asyncio
from collections.abc import Sequence
from functools import partial

from textual import work
from textual.app import ComposeResult
from textual.widgets import Static

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_keys import EventKeys
from flagtui.app.records.code_pane import CodePane
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.records.record_screen import LinesPane, RecordScreen, RecordTabs
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staged_records import staged_change, staged_now
from flagtui.app.widgets.glyphs import terminal_glyphs
from flagtui.app.widgets.line import join_lines
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.journal_entries import Entry
from flagtui.details.event_inspector import EventDetails, EventInspector
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.event_words import detail_lines
from flagtui.text.outcomes import explain_error
from flagtui.text.staged_lines import staged_lines
from flagtui.text.styled import Piece, with_link


class EventScreen(EventKeys, RecordScreen[EventDefinitionRow]):
    """Shows an event, its changes from this machine, and the code of all events."""

    BINDINGS = bindings_of("event", "everywhere")
    kind = "events"
    place = "event"
    tabs = {"overview": ("Overview", "Over"), "code": ("Code", "Code"), "json": ("JSON", "JSON")}

    def __init__(
        self, app_state: AppState, path: EventChanges, row: EventDefinitionRow, tab: str = "overview"
    ) -> None:
        super().__init__(app_state, path.runner, row, tab)
        self.event_path = path
        self._details = EventDetails(row)
        self._done: Sequence[Entry] = ()
        self._code = ""
        self._staged = staged_now(app_state)

    def body(self) -> ComposeResult:
        yield RecordTabs()
        with LinesPane(id="tab-overview", classes="pane"):
            yield Static(id="about")
        yield CodePane(self._app_state, self._runner, "event")
        yield JsonPane("json")

    def update_from_state(self) -> None:
        super().update_from_state()
        if (staged := staged_now(self._app_state)) != self._staged:
            self._staged = staged
            self.look()

    def take_row(self, before: EventDefinitionRow) -> None:
        if self._row != self._details.row:
            self._details = EventDetails(self._row, self._details.definition)
            self.look()

    @work(exclusive=True, group="inspect")
    async def look(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        id = self._details.row.id
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        self._done = [entry for entry in entries if entry.kind == KIND and entry.uuid == id]
        change = staged_change(self._app_state, KIND, id)
        inspector = EventInspector(workspace.client, change, partial(workspace.learn_row, "events"))
        async for details in inspector.load(self._details.row):
            self._details = details
            self.draw_later()

    def draw_body(self) -> None:
        now = self._app_state.session.now()
        lines: list[list[Piece]] = []
        if why := self.event_path.why_read_only:
            lines += [[(safe_text(why, 200), "$warning")], []]
        width = max(30, self.size.width - 6)
        lines += staged_lines(self._details.staged, terminal_glyphs().staged)
        about = detail_lines(self._details, self._done, now, width)
        lines += with_link(about, self.page_link)
        if self._code:
            lines += [[], [("TYPESCRIPT OF ALL EVENTS", "$text-muted")]]
            lines += [[(line, "")] for line in safe_lines(self._code, 200_000, 400)]
        self.query_one("#about", Static).update(join_lines(lines, width))
        if self._tab == "code":
            self.pane.show(self._row.name)
        self.query_one(JsonPane).show_record(self._details.definition, lambda event: event.raw)

    # Keys

    @work(exclusive=True, group="code")
    async def action_code(self) -> None:
        """Show or hide the TypeScript of all events; report when it cannot be loaded."""
        workspace = self._app_state.workspace
        self._code, is_wanted = "", not self._code
        if workspace is not None and is_wanted:
            try:
                self._code = (await workspace.client.event_definitions.code("typescript")).content
            except ApiError as error:
                show_toast(self.app, explain_error(error, "the TypeScript cannot be had"))
        self.draw()
        if self._code:
            self.call_after_refresh(self.query_one(LinesPane).scroll_end, animate=False)

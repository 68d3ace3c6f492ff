"""One event definition on the whole screen: what it is, who vouches for it, what uses it, its JSON."""

import asyncio
import json
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_edits import EventEditing
from flagtui.app.events.event_keys import EventKeys
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header, Tabs
from flagtui.app.shell.status_line import link_of, location_of, tabs_of
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import GoTo
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.screen_lifecycle import OwnedScreen
from flagtui.changes.event_definitions.definition_intent import KIND
from flagtui.changes.journal_entries import Entry
from flagtui.details.event_inspector import EventDetails, EventInspector
from flagtui.details.event_uses import Use
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.event_details import detail_lines
from flagtui.text.notices import Notice
from flagtui.text.styled import Piece


class EventScreen(EventKeys, OwnedScreen[None]):
    """Follows its definition: what is saved or arrives anew is drawn at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("event", "everywhere"),
        Binding("j", "scroll('down')", "down", show=False),
        Binding("k", "scroll('up')", "up", show=False),
    ]
    AUTO_FOCUS = "VerticalScroll"
    event_place = "event"

    def __init__(self, app_state: AppState, path: EventChanges, row: EventDefinitionRow) -> None:
        super().__init__()
        self.app_state, self.event_path = app_state, path
        self.event_editing = EventEditing(app_state, path)
        self._details = EventDetails(row)
        self._done: Sequence[Entry] = ()
        self._code = ""

    @property
    def opened_for(self) -> object:
        return self._details.row.id

    def chosen(self) -> Sequence[EventDefinitionRow]:
        return [self._details.row]

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        with VerticalScroll(id="event"):
            yield Static(id="about")
        yield KeyLine()

    def on_mount(self) -> None:
        self.follow(self.app_state.watch, self.believe)
        workspace = self.app_state.workspace
        if workspace is not None:
            self.follow(workspace.events.watch, self.believe)
        self._draw()
        self._look()

    def believe(self) -> None:
        """Draw what is known now; look again when the definition has moved on."""
        workspace = self.app_state.workspace
        if not self.is_attached or workspace is None:
            return
        row = workspace.events.get(self._details.row.id)
        if row is None:
            self.call_later(self.dismiss_here)
        elif row != self._details.row:
            self._details = EventDetails(row, self._details.definition)
            self._look()
        self._draw()

    @work(exclusive=True, group="inspect")
    async def _look(self) -> None:
        workspace = self.app_state.workspace
        if workspace is None:
            return
        id = self._details.row.id
        entries = await asyncio.to_thread(self.app_state.session.journal.entries)
        self._done = [entry for entry in entries if entry.kind == KIND and entry.uuid == id]
        async for details in EventInspector(workspace.client).look(self._details.row):
            self._details = details
            self._draw()

    def on_resize(self) -> None:
        self._draw()

    def redraw_ages(self) -> None:
        """Draw every age again; called once a minute."""
        self._draw()

    def _draw(self) -> None:
        app_state, now = self.app_state, self.app_state.now()
        self.query_one(Header).show_location(location_of(app_state), link_of(app_state))
        self.query_one(Tabs).show_tabs(tabs_of(app_state), "3")
        lines: list[list[Piece]] = []
        if why := self.event_path.why_read_only:
            lines += [[(safe_text(why, 200), "$warning")], []]
        lines += detail_lines(self._details, self._done, now, max(30, self.size.width - 6))
        if self._code:
            lines += [[], [("TYPESCRIPT OF ALL EVENTS", "$text-muted")]]
            lines += [[(line, "")] for line in safe_lines(self._code, 200_000, 400)]
        pieces = (piece for line in lines for piece in [*line, ("\n", "")])
        self.query_one("#about", Static).update(styled(*pieces))

    # Keys

    @work(exclusive=True, group="code")
    async def action_code(self) -> None:
        self._code = "" if self._code else await self.event_editing.code()
        self._draw()
        if self._code:
            self.call_after_refresh(self.query_one(VerticalScroll).scroll_end, animate=False)

    def action_copy_json(self) -> None:
        if self._details.definition is not None:
            text = json.dumps(self._details.definition.raw, indent=2)
            self.app.copy_to_clipboard(text)
            tell(self.app, Notice("the JSON was sent to the terminal's clipboard"))

    def action_experiments(self) -> None:
        """Go to an experiment that uses it."""
        uses = self._details.uses or ()
        if not uses:
            tell(self.app, Notice("no experiment is known to use this event"))
        else:
            self._jump(uses)

    @work(group="choose")
    async def _jump(self, uses: Sequence[Use]) -> None:
        chosen: int | None = uses[0].id
        if len(uses) > 1:
            choices = [Choice(use.id, use.name, f"#{use.id} {use.status}") for use in uses]
            chosen = await self.app.push_screen_wait(PickerScreen("Experiment", choices))
        if chosen is not None:
            self.post_message(GoTo("experiments", chosen))

    def action_scroll(self, way: str) -> None:
        body = self.query_one(VerticalScroll)
        (body.scroll_down if way == "down" else body.scroll_up)(animate=False)

    def action_back(self) -> None:
        self.dismiss_here()

    def dismiss_here(self) -> None:
        """Close this screen and nothing else."""
        self.dismiss(None)

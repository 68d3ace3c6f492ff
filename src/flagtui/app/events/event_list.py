"""The event definitions of a project: thousands of names, found while typing."""

from textwrap import wrap
from typing import Final

from flagtui.api.limits import is_outage
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_keys import EventKeys
from flagtui.app.events.event_screen import EventScreen
from flagtui.app.events.inbox_screen import InboxScreen
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.loaded_list import WorkspaceList
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.column_layout import (
    Cell,
    CellPiece,
    Column,
    Slot,
    age_cell,
    shown_column,
    state_cell,
    tags_cell,
)
from flagtui.app.widgets.panes import Pane
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.local_time import age_in_days
from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_text
from flagtui.store.event_listing import EVENT_LISTING
from flagtui.text.event_words import event_lines, is_silent
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Look, Notice, Piece, with_link

STANDARD_FROM: Final = 54
"""Cells a list needs to show more than name and age; an 80-column screen leaves 78, a 60-column one 58."""
ALL_FROM: Final = 74
NAME_FROM: Final = 118


def state_glyph(event: EventDefinitionRow, slot: Slot) -> CellPiece:
    """Return the sign of a verified, a hidden or any other event."""
    glyphs = slot.glyphs
    if event.hidden:
        return glyphs.archived, "faint"
    return (glyphs.on, "good") if event.verified else (glyphs.off, "muted")


def draw_state_word(event: EventDefinitionRow, slot: Slot) -> Cell:
    """Draw the curation state of the event in a word."""
    if event.hidden:
        return (("hidden", "faint"),)
    if event.verified:
        return (("verified", "good"),)
    return (("not known", "faint") if "verified" in event.not_sent else ("unverified", "muted"),)


def draw_name(event: EventDefinitionRow, slot: Slot) -> Cell:
    look: Look = "faint" if event.hidden else "muted" if is_silent(event, slot.now) else "strong"
    name: CellPiece = (safe_text(event.name) or '""', look)
    return (name, ("  action", "faint")) if event.is_action else (name,)


def draw_seen(event: EventDefinitionRow, slot: Slot) -> Cell:
    if "last_seen_at" in event.not_sent:
        return (("?", "faint"),)
    words = "never" if event.seen_at is None else age_in_days(event.seen_at, slot.now)
    return ((words, "warn" if is_silent(event, slot.now) else "muted"),)


def draw_owner(event: EventDefinitionRow, slot: Slot) -> Cell:
    return ((safe_text(event.owner.partition("@")[0]), "muted"),)


def draw_description(event: EventDefinitionRow, slot: Slot) -> Cell:
    text = event.description.strip()
    nothing = "not known" if "description" in event.not_sent else "no description"
    return ((safe_text(text), "muted"),) if text else ((nothing, "faint"),)


def draw_created(event: EventDefinitionRow, slot: Slot) -> Cell:
    return (("" if event.created_at is None else age_in_days(event.created_at, slot.now), "faint"),)


EVENT_COLUMNS: Final[tuple[Column[EventDefinitionRow], ...]] = (
    Column("state", "", state_cell(state_glyph), 2, gap=0, sortable=False),
    Column("name", "EVENT", draw_name, 18, grow=5, most=60),
    Column("seen", "SEEN", draw_seen, 6, gap=2, align="right"),
    Column("verified", "STATE", draw_state_word, 10, gap=2, from_width=STANDARD_FROM),
    Column("owner", "OWNER", draw_owner, 8, from_width=ALL_FROM, sortable=False),
    Column("tags", "TAGS", tags_cell, 8, grow=2, most=36, from_width=ALL_FROM, sortable=False),
    Column("description", "DESCRIPTION", draw_description, 16, grow=5, from_width=NAME_FROM, sortable=False),
    Column("created", "FIRST", draw_created, 7, gap=0, align="right", from_width=NAME_FROM),
)


MORE_EVENT_COLUMNS: Final[tuple[Column[EventDefinitionRow], ...]] = (
    Column("updated", "UPDATED", age_cell("updated_at"), 9, gap=0, align="right"),
    shown_column(EVENT_FIELDS.shown_field("property"), grow=2, most=32),
    shown_column(EVENT_FIELDS.shown_field("enforcement")),
)
"""What else a person can choose."""


EVENT_LIST: Final = ListDescription(
    name="events",
    what="event definitions",
    hint="search   kind:custom  is:undescribed  seen:>30d  owner:me  tag:ops",
    listing=EVENT_LISTING,
    orders=("seen", "name", "verified", "created", "updated", "enforcement"),
    columns=EVENT_COLUMNS,
    more_columns=MORE_EVENT_COLUMNS,
    always=("state", "name"),
    key=lambda row: row.name,
    filters={"state": "is", "type": "kind", "mine": "owner"},
    values={"tag": lambda row: row.tags, "owner": lambda row: row.owner},
)


class EventsScreen(EventKeys, WorkspaceList[EventDefinitionRow]):
    """Draws the collection of event definitions."""

    BINDINGS = bindings_of("events", "lists", "everywhere")
    kind = "events"
    place = "events"
    tab = "3"
    description = EVENT_LIST

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self.event_path = EventChanges(app_state, runner)

    def make_preview(self) -> Pane:
        return Pane()

    def draw_preview(self, row: EventDefinitionRow | None) -> None:
        pane = self.query_one(Pane)
        now = self._app_state.session.now()
        lines: list[list[Piece]] = []
        if row is not None:
            about = event_lines(row, now, pane.content_size.width)
            lines = [*with_link(about, self._app_state.page_of("events", row.id))]
        if why := self.event_path.why_read_only:
            lines_of_reason = wrap(why, max(10, pane.content_size.width))
            lines = [*lines, [], *([(text, "$warning")] for text in lines_of_reason)]
        pane.show(lines)

    def action_inbox(self) -> None:
        """Tidy up, one event after the other."""
        if self._workspace is not None and self._workspace.events.is_complete:
            self.app.push_screen(InboxScreen(self._app_state, self.event_path, self._workspace))
        elif (trouble := self._app_state.trouble) is not None and not is_outage(trouble):
            show_toast(self.app, explain_error(trouble, "the inbox needs all events"))
        else:
            key = key_sign("events.inbox")
            words = f"not all events have arrived yet; {key} opens the inbox once they have"
            show_toast(self.app, Notice(words, "warning"))

    def page_of(self, row: EventDefinitionRow, tab: str = "overview") -> EventScreen:
        """Return the page of an event on this tab."""
        return EventScreen(self._app_state, self.event_path, row, tab)

    def action_open(self) -> None:
        self.action_open_tab()

    def action_open_tab(self, tab: str = "overview") -> None:
        if self.record is not None:
            self.app.push_screen(self.page_of(self.record, tab))

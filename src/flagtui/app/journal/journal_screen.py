"""What this person changed from this machine: found while typing, read whole, taken back one by one."""

import asyncio
from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from textual import work
from textual.binding import BindingType

from flagtui import local_time
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.journal.journal_columns import JOURNAL_LIST, ending_words
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.header import Tab
from flagtui.app.shell.toasts import copy_text, tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import OpenRecord, RecordLink
from flagtui.app.widgets.pane import Pane
from flagtui.app.writing.changes import Changes
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.journal_entries import Entry
from flagtui.changes.timeline import markdown
from flagtui.changes.undo_list import undoable, why_not
from flagtui.safe_text import safe_text
from flagtui.store.workspace import Kind
from flagtui.text.empty_states import Words, no_match_words
from flagtui.text.formats import count
from flagtui.text.notices import Notice
from flagtui.text.styled import Piece

NOT_HERE: Final = frozenset({"lists.copy_key", "lists.mine"})
"""y copies a line for a report, and all of them are one's own."""
TARGETS: Final[dict[str, Kind]] = {"flag": "flags", "experiment": "experiments", EVENT: "events"}
"""By kind of entry: the list such a record is in."""


class JournalScreen(RecordKeys, ListScreen[Entry]):
    """Newest first. What stands here was written down before it was sent; one of it can be taken back."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("journal", "lists", "everywhere", without=NOT_HERE)]
    description = JOURNAL_LIST
    place = "journal"
    tab = "J"

    def __init__(self, app_state: AppState, changing: Changes, undo: Callable[[Entry], None]) -> None:
        super().__init__(app_state, changing)
        self._undo = undo
        self._entries: list[Entry] = []
        self._undoable: frozenset[str] = frozenset()
        self._write_place = "journal"

    @property
    def write_place(self) -> str:
        """Where changes like the one under the cursor are made."""
        return self._write_place

    def make_preview(self) -> Pane:
        return Pane()

    def own_tabs(self) -> list[Tab]:
        return [Tab("J", "Journal", f"{len(self._entries):,}")]

    @property
    def entry(self) -> Entry | None:
        """The change under the cursor."""
        return self.record

    def target(self) -> RecordLink | None:
        entry = self.entry
        if entry is None or entry.kind not in TARGETS or not (entry.uuid or entry.record):
            return None
        return RecordLink(TARGETS[entry.kind], entry.uuid or entry.record, entry.key)

    def on_mount(self) -> None:
        self.apply_preferences()
        self._show_sort()
        self.follow(self._app_state.watch, self.believe)
        self.read_again()

    def believe(self) -> None:
        """Something is different: a change may have ended."""
        if self.is_attached:
            self.read_again()

    @work(exclusive=True, group="inspect")
    async def read_again(self) -> None:
        """The journal as it is on disk now."""
        try:
            found = await asyncio.to_thread(self._app_state.session.journal.entries)
        except OSError as error:
            self.rows.explain("The journal cannot be read.", error.strerror or "", look="warn")
            return
        if found != self._entries:
            self._entries = found
            workspace = self._app_state.workspace
            here = self._app_state.signature(workspace) if workspace else None
            self._undoable = frozenset(entry.id for entry in undoable(found, here)) if here else frozenset()
            self._finder.show(found)
            self.rows.show(found, self._finder.find(self.search.value))
        self.reframe()
        self._look_soon()

    def words_without(self, total: int) -> Words:
        if total:
            return no_match_words(self.search.value, total)
        return Words(("You changed nothing yet.", "", "esc goes back"))

    def draw_preview(self, row: Entry | None) -> None:
        self.query_one(Pane).show(list(self._told(row)) if row else [])
        if (place := place_of(row)) != self._write_place:
            self._write_place = place
            self.refresh_bindings()

    def _told(self, entry: Entry) -> Iterator[list[Piece]]:
        yield [(safe_text(entry.key), "bold")]
        yield [
            (safe_text(entry.verb), ""),
            (f"  {ending_words(entry)}", "$warning" if entry.is_open else "$success"),
        ]
        yield []
        yield from _facts(
            ("when", local_time.second(entry.at)),
            ("who", entry.signature.by),
            ("where", f"{entry.signature.profile}  {entry.signature.host}  #{entry.signature.project}"),
            ("version", _versions(entry)),
            ("why", entry.reason),
            ("note", entry.note),
            ("undo", self._undo_words(entry)),
        )
        yield []
        yield from ([("  ", ""), (safe_text(words, 300), "")] for words in entry.words)

    def _undo_words(self, entry: Entry) -> str:
        workspace = self._app_state.workspace
        if workspace is None:
            return "needs a connection"
        if entry.id in self._undoable:
            return "z takes it back"
        blocked = why_not(entry, self._app_state.signature(workspace))
        return blocked.reason if blocked else "taken back already"

    # Keys

    def leave_rows(self) -> None:
        self.dismiss(None)

    def action_revert(self) -> None:
        entry = self.entry
        if entry is None:
            return
        if entry.id in self._undoable:
            self._undo(entry)
        else:
            tell(self.app, Notice(f"{entry.key}: {self._undo_words(entry)}", "warning", "not undone"))

    def action_copy(self) -> None:
        if entries := self.chosen():
            copy_text(self.app, markdown(entries), f"{count(len(entries), 'change')} as Markdown")

    def action_open(self) -> None:
        if (target := self.target()) is not None:
            self.post_message(OpenRecord(target))


def _facts(*facts: tuple[str, str]) -> Iterator[list[Piece]]:
    for name, value in facts:
        if value.strip():
            yield [(f"{name:<9}", "$text-muted"), (safe_text(value, 200), "")]


def _versions(entry: Entry) -> str:
    if entry.version is None:
        return ""
    return f"{entry.version}" if entry.saved_version is None else f"{entry.version} → {entry.saved_version}"


def place_of(entry: Entry | None) -> str:
    """The place whose scope taking this back needs."""
    return TARGETS.get(entry.kind, "flags") if entry is not None else "journal"

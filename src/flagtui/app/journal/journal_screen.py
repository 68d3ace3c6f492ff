"""What this person changed from this machine: found while typing, read whole, taken back one by one."""

import asyncio
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import ClassVar, Final

from textual import on, work
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget

from flagtui import local_time
from flagtui.app.commands.command_table import bindings_of, commands_of
from flagtui.app.journal.journal_columns import JOURNAL_COLUMNS, ending_words
from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.shell.header import Tab
from flagtui.app.shell.status_line import link_of, location_of
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import may_write, writes_in
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.search_line import SearchLine
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.journal_entries import Entry, searched
from flagtui.changes.timeline import markdown
from flagtui.changes.undo_list import undoable, why_not
from flagtui.safe_text import safe_text
from flagtui.text.notices import Notice
from flagtui.text.styled import Piece

HINT = "words in key, change, reason, person or ending"
LIST_COMMANDS: Final = frozenset(
    f"lists.{name}" for name in ("search", "preview", "down", "up", "page_down", "page_up", "first", "last")
)


PLACES: Final = {"experiment": "experiments", EVENT: "events"}
"""By kind of record: where such changes are made."""


class JournalScreen(BrowseScreen):
    """Newest first. What stands here was written down before it was sent; `undo` takes one of it back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("journal"),
        *(command.binding() for command in commands_of("lists") if command.id in LIST_COMMANDS),
        *bindings_of("everywhere"),
    ]

    def __init__(self, app_state: AppState, undo: Callable[[Entry], None]) -> None:
        super().__init__()
        self._app_state = app_state
        self._undo = undo
        self._entries: list[Entry] = []
        self._shown: list[Entry] = []
        self._undoable: frozenset[str] = frozenset()
        self.place = "journal"
        """Where changes like the one under the cursor are made, which decides what the key may take back."""
        self.add_class("-preview")

    def make_rows(self) -> RowList[Entry]:
        return RowList(JOURNAL_COLUMNS, id_of=attrgetter("id"), clock=self._app_state.now)

    def make_search(self) -> SearchLine:
        return SearchLine(self._find, self.leave_line, placeholder=HINT)

    def make_preview(self) -> "EntryPane":
        return EntryPane()

    @property
    def entry(self) -> Entry | None:
        """The change under the cursor."""
        found: Entry | None = self.rows.row
        return found

    def on_mount(self) -> None:
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
            self._find(self.search.value)
        self.reframe()

    def _find(self, line: str) -> None:
        self._shown = searched(self._entries, line)
        self.rows.show(self._shown, anchor="top")
        self.reframe()
        self._draw_entry()

    def reframe(self) -> None:
        app_state = self._app_state
        tab = Tab("J", "Journal", f"{len(self._entries):,}")
        self.show_frame(location_of(app_state), link_of(app_state), [tab], "J")
        total, shown = len(self._entries), len(self._shown)
        self.show_chips((), 0, f"{total:,}" if shown == total else f"{shown:,} of {total:,}")
        if not shown:
            words = (
                f"None of {total:,} changes has  {self.search.value}" if total else "You changed nothing yet."
            )
            self.rows.explain(words, "", "esc goes back")

    @on(RowList.Highlighted)
    def _draw_entry(self) -> None:
        entry = self.entry
        self.query_one(EntryPane).show(list(self._told(entry)) if entry else [])
        if (place := place_of(entry)) != self.place:
            self.place = place
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
            return "u takes it back"
        blocked = why_not(entry, self._app_state.signature(workspace))
        return blocked.reason if blocked else "taken back already"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in writes_in("journal"):
            return may_write(self._app_state, self.place)
        return super().check_action(action, parameters)

    def leave_rows(self) -> None:
        self.dismiss(None)

    def action_undo(self) -> None:
        entry = self.entry
        if entry is None:
            return
        if entry.id in self._undoable:
            self._undo(entry)
        else:
            tell(self.app, Notice(f"{entry.key}: {self._undo_words(entry)}", "warning", "not undone"))

    def action_copy(self) -> None:
        if self.entry is not None:
            self.app.copy_to_clipboard(markdown([self.entry]))
            tell(self.app, Notice("sent to the terminal's clipboard as Markdown"))


class EntryPane(Widget):
    """One change whole; never asks for a layout."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[list[Piece]] = []

    def show(self, lines: list[list[Piece]]) -> None:
        """Draw these lines."""
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render(self) -> Content:
        return styled(*(piece for line in self._lines for piece in [*line, ("\n", "")]))


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
    return PLACES.get(entry.kind, "flags") if entry is not None else "journal"

"""List the changes of this user from this machine: search, read in full, undo one."""

import asyncio
from collections.abc import Callable, Container, Iterator, Sequence
from operator import attrgetter
from typing import Final

from textual import work

from flagtui import local_time
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.journal.journal_columns import JOURNAL_COLUMNS, MORE_JOURNAL_COLUMNS, ending_words
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.shell.toasts import copy_text, show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import RecordLink
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.entry_kind import Recovery
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, texts_of
from flagtui.changes.recovery import read_for_undo
from flagtui.changes.related.related_entries import RELATED
from flagtui.changes.skipped import Skipped
from flagtui.changes.timeline import markdown
from flagtui.changes.undo import undoable, why_not
from flagtui.safe_text import safe_text
from flagtui.store.kinds import BY_ENTRY, FLAGS, KINDS, Kind
from flagtui.store.query.term_readers import AGES, age_of
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, by_name, choices
from flagtui.store.sort_orders import Listing, Order
from flagtui.store.workspace import Workspace
from flagtui.text.empty_states import Words
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, Piece

_STATES: Final[dict[str, Callable[[Entry], bool]]] = {
    "saved": lambda entry: entry.ending == "saved",
    "unknown": lambda entry: entry.is_open,
    "conflicted": lambda entry: entry.ending == "conflicted",
    "waiting": lambda entry: entry.ending == "awaiting approval",
    "refused": lambda entry: entry.ending == "refused",
    "failed": lambda entry: entry.ending == "failed",
    "undo": lambda entry: entry.direction == "undo",
    "redo": lambda entry: entry.direction == "redo",
}


def _is_kind(word: str) -> Callable[[Entry], bool]:
    return lambda entry: _kind_word(entry) == word


def _kind_word(entry: Entry) -> str:
    kind = BY_ENTRY.get(entry.kind)
    return kind.plural if kind is not None else "others"


_KINDS: Final = {word: _is_kind(word) for word in (*KINDS, "others")}
_QUALIFIERS: Final[tuple[Qualifier[Entry], ...]] = (
    choices("is", "how it ended", _STATES),
    choices("kind", "what was changed", _KINDS),
    Qualifier[Entry]("at", AGES, "when it was changed", age_of(lambda entry: entry.at), ("<1d", "<7d")),
)


JOURNAL_LIST: Final = ListDescription[Entry](
    name="journal",
    what="changes",
    hint="search   words in key, change or reason  is:unknown  kind:flags  at:<1d",
    listing=Listing(
        Vocabulary(by_name(*_QUALIFIERS), lambda entry: "\0".join(texts_of(entry))),
        {
            "at": Order(lambda entry: entry.at, is_descending=True),
            "key": Order(),
            "verb": Order(label=lambda entry: fold(entry.verb)),
            "ending": Order(label=ending_words),
        },
        lambda entry: fold(entry.key),
    ),
    orders=("at", "key", "verb", "ending"),
    columns=JOURNAL_COLUMNS,
    more_columns=MORE_JOURNAL_COLUMNS,
    always=("at", "key"),
    filters={"state": "is", "type": "kind"},
    title="Journal",
    nothing="You changed nothing yet.",
)


NOT_HERE: Final = frozenset({"lists.copy_key"})
"""y copies a line for a report."""


class JournalScreen(ReadList[Entry]):
    """Lists changes, newest first. Each was recorded before it was sent; one can be undone."""

    BINDINGS = bindings_of("journal", "lists", "everywhere", without=NOT_HERE)
    description = JOURNAL_LIST
    place = "journal"
    tab = "J"

    def __init__(
        self,
        app_state: AppState,
        runner: ChangeRunner,
        undo: Callable[[Sequence[Entry], Sequence[Skipped]], None],
    ) -> None:
        super().__init__(app_state, runner)
        self._undo = undo
        self._undoable: frozenset[str] = frozenset()
        self._looked_up: set[str] = set()
        """Ids of the changes of open outcome that were looked up since the screen was opened."""
        self._gaps = ""
        """Why changes may be missing; empty when all were read."""
        self._write_scope = write_scope_of(None)

    @property
    def write_scope(self) -> str:
        """The scope that changes like the one under the cursor need."""
        return self._write_scope

    def link_to(self, entry: Entry) -> RecordLink | None:
        if not (entry.uuid or entry.record) or self._is_elsewhere(entry):
            return None
        # Schedules, copies, cohorts and dashboards are made of a flag.
        kind = BY_ENTRY.get(entry.kind, FLAGS if entry.kind in RELATED else None)
        return None if kind is None else RecordLink(kind.plural, entry.uuid or entry.record, entry.key)

    def why_no_target(self, entry: Entry) -> str:
        if self._is_elsewhere(entry):
            place = entry.signature.profile or entry.signature.host
            return f"{entry.key} is in project {entry.signature.project} of {place}; open that first"
        return super().why_no_target(entry)

    def _is_elsewhere(self, entry: Entry) -> bool:
        """Return whether the record is in another project: the same id is another record here."""
        workspace = self._app_state.workspace
        return workspace is not None and not entry.signature.reaches(self._app_state.signature(workspace))

    @work(group="settle", description="look up open changes")
    async def _settle(self, unsettled: Container[str], workspace: Workspace) -> None:
        """Look up what became of the changes with these ids, and show that."""
        journal, here = self._app_state.session.journal, self._app_state.signature(workspace)
        settled: list[Recovery] = []
        await read_for_undo(
            journal, workspace.client, here, lambda entry: entry.id in unsettled, settled.append
        )
        if settled:
            self.read_again()

    def update_from_state(self) -> None:
        # A change may have ended.
        self.read_again()

    async def read(self) -> Sequence[Entry] | Words:
        entries, fault, damaged = await asyncio.to_thread(_read, self._app_state.session.journal)
        self._gaps = "a file cannot be read" if fault else count(damaged, "damaged line") * bool(damaged)
        if fault and not entries:
            return Words(
                ("The journal cannot be read, so nothing can be undone.", safe_text(fault, 300)), "warn"
            )
        workspace = self._app_state.workspace
        here = self._app_state.signature(workspace) if workspace else None
        before = self._undoable
        self._undoable = frozenset(entry.id for entry in undoable(entries, here)) if here else frozenset()
        self.rows.unmark(before - self._undoable)
        unsettled = {entry.id for entry in entries if entry.is_open or entry.ending == "awaiting approval"}
        if workspace is not None and not unsettled <= self._looked_up:
            self._looked_up |= unsettled
            self._settle(unsettled, workspace)
        return entries

    def count_words(self) -> str:
        return ", ".join(filter(None, (super().count_words(), self._gaps)))

    def draw_preview(self, row: Entry | None) -> None:
        super().draw_preview(row)
        if (scope := write_scope_of(row)) != self._write_scope:
            self._write_scope = scope
            self.refresh_bindings()

    def about(self, entry: Entry) -> Iterator[list[Piece]]:
        yield [(safe_text(entry.key), "bold")]
        tone = "$success" if entry.ending == "saved" else "$warning"
        yield [(safe_text(entry.change), ""), (f"  {ending_words(entry)}", tone)]
        yield []
        yield from _facts(
            # First what 60 cells have no column for: a pane below 15 lines shows two facts.
            ("where", f"{entry.signature.profile}  {entry.signature.host}  #{entry.signature.project}"),
            ("when", local_time.second(entry.at)),
            ("who", entry.signature.by),
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
            return f"{key_sign('journal.revert')} undoes it"
        blocked = why_not(entry, self._app_state.signature(workspace))
        return blocked.reason if blocked else "already undone"

    # Keys

    def action_revert(self) -> None:
        """Undo the marked changes together, newest first, else the one under the cursor."""
        entries = sorted(self.chosen(), key=attrgetter("at"), reverse=True)
        undoable = [entry for entry in entries if entry.id in self._undoable]
        # It may have been approved since.
        undoable = undoable or [entry for entry in entries[:1] if entry.ending == "awaiting approval"]
        skipped = [
            Skipped(entry.uuid or entry.record, entry.key, self._undo_words(entry), kind=_list_of(entry))
            for entry in entries
            if entry not in undoable
        ]
        if undoable:
            self._undo(undoable, skipped)
        for each in skipped[:1] if not undoable else ():
            show_toast(self.app, Notice(f"{each.key}: {each.reason}", "warning", "not undone"))

    def action_copy(self) -> None:
        if entries := self.chosen():
            copy_text(self.app, markdown(entries), f"{count(len(entries), 'change')} as Markdown")


def _read(journal: Journal) -> tuple[list[Entry], str, int]:
    """Return all changes, why a file cannot be read, and the number of damaged lines."""
    return journal.entries(), journal.fault(), journal.torn_lines()


def _facts(*facts: tuple[str, str]) -> Iterator[list[Piece]]:
    for name, value in facts:
        if value.strip():
            yield [(f"{name:<9}", "$text-muted"), (safe_text(value, 200), "")]


def _versions(entry: Entry) -> str:
    if entry.version is None:
        return ""
    # Tags changed by name make no version.
    is_same = entry.saved_version in (None, entry.version)
    return f"{entry.version}" if is_same else f"{entry.version} → {entry.saved_version}"


def write_scope_of(entry: Entry | None) -> str:
    """Return the scope that undoing the entry needs; that of flags for a schedule or a copy."""
    return BY_ENTRY.get(entry.kind if entry is not None else "", FLAGS).write_scope


def _list_of(entry: Entry) -> Kind | None:
    """Return the list that has the record of an entry; None for other records."""
    kind = BY_ENTRY.get(entry.kind)
    return kind.plural if kind is not None else None

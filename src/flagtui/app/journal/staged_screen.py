"""List the staged changes of the open project: what each changes, edit or drop some, apply all together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec
from textual import work

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.dialogs.prompt import Prompt, PromptScreen
from flagtui.app.journal.outdated_reader import OutdatedReader
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import RecordLink
from flagtui.app.state.staging_mode import Staging
from flagtui.app.widgets.column_layout import Cell, CellPiece, Column, Slot, state_cell, text_cell, words_cell
from flagtui.app.widgets.panes import Pane
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.sets.change_lines import change_lines
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange
from flagtui.safe_text import safe_text
from flagtui.store.kinds import BY_ENTRY
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Vocabulary, by_name, choices
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.empty_states import Words
from flagtui.text.key_signs import key_sign
from flagtui.text.outdated_lines import current_words, outdated_lines
from flagtui.text.set_words import explain_dropped, explain_set_fault
from flagtui.text.styled import Piece


class ListedChange(msgspec.Struct, frozen=True):
    """A staged change as a row."""

    id: str
    change: StagedChange
    is_outdated: bool
    """Whether its record has changed since."""
    seen: OutdatedChange | None = None
    """What has changed since, once it was read."""
    is_applied: bool = False
    """Whether it was applied while the other changes of the set are still sent."""

    @property
    def key(self) -> str:
        return self.change.key

    @property
    def verb(self) -> str:
        return self.change.verb

    @property
    def words(self) -> str:
        words = "; ".join(line.words for line in change_lines(self.change))
        now = "; ".join(current_words(self.seen)) if self.seen is not None else ""
        return f"now {now} · {words}" if now else words

    @property
    def state(self) -> str:
        """Whether the change can be applied unchanged, or is applied already."""
        if self.is_applied:
            return "applied"
        if self.is_outdated:
            return "deleted since" if self.seen is not None and self.seen.is_deleted else "changed since"
        return "new" if self.change.is_new else "ready"


def _state_cell(row: ListedChange, slot: Slot) -> Cell:
    return ((row.state, "warn" if row.is_outdated else "good"),)


def _mark(row: ListedChange, slot: Slot) -> CellPiece:
    return (slot.glyphs.outdated, "bad") if row.is_outdated else (slot.glyphs.staged, "info")


COLUMNS: Final[tuple[Column[ListedChange], ...]] = (
    Column("mark", "", state_cell(_mark), 2, gap=0, sortable=False),
    Column("key", "KEY", text_cell("key", "strong"), 18, grow=3, most=48),
    Column("words", "CHANGE", words_cell(lambda row: row.words, "plain"), 24, grow=5, gap=2, sortable=False),
    Column("state", "STATE", _state_cell, 13, gap=2),
)
MORE_COLUMNS: Final[tuple[Column[ListedChange], ...]] = (
    Column("verb", "VERB", words_cell(lambda row: row.verb), 12, grow=1, most=24, sortable=False),
    Column("kind", "KIND", words_cell(lambda row: BY_ENTRY[row.change.kind].plural), 8, sortable=False),
)
_STATES: Final = {
    "outdated": lambda row: row.is_outdated,
    "ready": lambda row: not (row.is_outdated or row.is_applied),
    "new": lambda row: row.change.is_new,
}

STAGED_LIST: Final = ListDescription[ListedChange](
    name="staged",
    what="staged changes",
    hint="search   words in key or change  is:outdated",
    listing=Listing(
        Vocabulary(
            by_name(choices("is", "whether it can be applied", _STATES)),
            lambda row: f"{row.key}\0{row.verb}\0{row.words}",
        ),
        {"key": Order(), "state": Order(label=lambda row: row.state)},
        lambda row: fold(row.key),
    ),
    orders=("key", "state"),
    columns=COLUMNS,
    more_columns=MORE_COLUMNS,
    always=("mark", "key"),
    filters={"state": "is"},
    title="Staged",
    nothing="Nothing is staged.",
)


class StagedScreen(ReadList[ListedChange]):
    """Lists staged changes; none of them was sent."""

    BINDINGS = bindings_of("staged", "lists", "everywhere")
    description = STAGED_LIST
    place = "staged"
    tab = "&"

    def __init__(
        self, app_state: AppState, runner: ChangeRunner, edit: Callable[[StagedChange], None]
    ) -> None:
        super().__init__(app_state, runner)
        self._edit = edit
        self._reader = OutdatedReader(app_state)

    @property
    def _staging(self) -> Staging:
        return self._runner.staging

    def link_to(self, row: ListedChange) -> RecordLink | None:
        kind = BY_ENTRY[row.change.kind].plural
        return None if row.change.is_new else RecordLink(kind, row.change.record, row.key)

    def update_from_state(self) -> None:
        # A change was staged, dropped or applied, or a record has changed.
        self.read_again()

    async def read(self) -> Sequence[ListedChange] | Words:
        if self._app_state.staged_fault:
            return Words(("The staged set cannot be read.", self._app_state.staged_fault), "warn")
        staging, reader = self._staging, self._reader
        outdated = [change for change in staging.changes if staging.is_outdated(change)]
        # Only the record shows whether it is deleted, or archived and unchanged.
        unlisted = [change for change in staging.changes if staging.is_missing(change)]
        if (outdated or unlisted) and staging.change_set is not None:
            self._read_outdated(staging.change_set, [*outdated, *unlisted])
        outdated += [change for change in unlisted if reader.change_of(change) is not None]
        return [
            ListedChange(
                f"{change.kind} {change.record}",
                change,
                change in outdated,
                reader.change_of(change),
                staging.is_applied(change),
            )
            for change in staging.changes
        ]

    def count_words(self) -> str:
        return "" if self._app_state.staged_fault else super().count_words()

    def why_nothing(self) -> str:
        way = f"{key_sign('app.stage')} in a list or on a record stages changes instead of sending them."
        if self._app_state.is_staging:
            way = "Keys in a list or on a record stage changes."
        return f"{super().why_nothing()} {way}"

    @work(exclusive=True, group="outdated", description="read outdated")
    async def _read_outdated(self, change_set: ChangeSet, outdated: Sequence[StagedChange]) -> None:
        if await self._reader.read(change_set, outdated):
            self.read_again()

    def about(self, row: ListedChange) -> Iterator[list[Piece]]:
        yield [(safe_text(row.key), "bold")]
        version = "" if row.change.version is None else f"  based on v{row.change.version}"
        yield [(safe_text(row.verb), ""), (version, "$text-muted")]
        yield []
        for line in change_lines(row.change):
            yield [("  ", ""), (safe_text(line.words, 300), "")]
        if row.is_outdated:
            yield []
            yield from outdated_lines(row.change, row.seen, self.query_one(Pane).size.width)
        change_set = self._staging.change_set
        if change_set is not None and change_set.reason:
            yield []
            yield [("why  ", "$text-muted"), (safe_text(change_set.reason, 200), "")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for keys of the whole set while nothing is staged."""
        if action in ("apply", "reason") and not self._staging.changes:
            return False
        return super().check_action(action, parameters)

    # Keys

    def action_apply(self) -> None:
        """Ask about all staged changes together, then send them."""
        self._runner.apply_staged()

    def action_edit(self) -> None:
        """Edit the marked change, else the one under the cursor; the saved edit replaces it."""
        for row in self.single():
            self._edit(row.change)

    def action_drop(self) -> None:
        """Drop the marked changes, else the one under the cursor."""
        if rows := self.chosen():
            self._runner.run(self._drop(rows))

    async def _drop(self, rows: Sequence[ListedChange]) -> None:
        try:
            await self._staging.drop(row.change.identity for row in rows)
        except ChangeSetError as error:
            show_toast(self.app, explain_set_fault(error))
            return
        what = rows[0].key if len(rows) == 1 else f"{len(rows):,} changes"
        show_toast(self.app, explain_dropped(what))

    def action_undo(self) -> None:
        """Undo the last step of the set, also after staging has ended; without one, the last change."""
        self._step(is_redo=False)

    def action_redo(self) -> None:
        self._step(is_redo=True)

    def _step(self, *, is_redo: bool) -> None:
        if self._staging.has_step(is_redo=is_redo):
            self._runner.step_staged(is_redo=is_redo)
        elif is_redo:
            super().action_redo()
        else:
            super().action_undo()

    def action_reason(self) -> None:
        """Ask for the reason of the set."""
        if self._staging.change_set is not None:
            self._runner.run(self._ask_reason(self._staging.change_set.reason))

    async def _ask_reason(self, reason: str) -> None:
        answer = await self._runner.ask(
            PromptScreen(Prompt("Why", "the reason of the whole set, for the journal", reason))
        )
        if answer is None:
            return
        try:
            await self._staging.explain(answer.strip())
        except ChangeSetError as error:
            show_toast(self.app, explain_set_fault(error))

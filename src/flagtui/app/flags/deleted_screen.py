"""Flags that were deleted lately and not brought back, as a list: marked and restored one or many at once."""

from collections.abc import Callable
from typing import ClassVar, Final

from textual import work
from textual.binding import BindingType

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.header import Tab
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import RecordLink
from flagtui.app.widgets.column_layout import Cell, Column, Slot, age_cell, text_cell
from flagtui.app.widgets.pane import Pane
from flagtui.app.writing.changes import Changes
from flagtui.changes.flags.flag_intent import restore
from flagtui.safe_text import safe_text
from flagtui.store.deletions import Deletion, recent_deletions
from flagtui.store.query import Vocabulary
from flagtui.store.query.folded_text import fold
from flagtui.store.query.term_readers import AGES, age_of, part_of
from flagtui.store.query.vocabulary import Qualifier
from flagtui.store.sort_orders import Listing, Order, Sort
from flagtui.text.empty_states import Words, no_match_words, trouble_words, waiting_words
from flagtui.text.formats import ago

NOTE: Final = (
    "Restored flags are on or off as they were.",
    "A new flag with the same key destroys the deleted one for good.",
)
NOTHING: Final = "The activity tells of no flag that was deleted lately."
NOT_HERE: Final = frozenset(("lists.state", "lists.type", "lists.mine"))


def draw_id(one: Deletion, slot: Slot) -> Cell:
    return ((f"#{one.id}", "faint"),)


_QUALIFIERS: Final = (
    Qualifier[Deletion](
        "by", "part of a name or an e-mail", "who deleted it", part_of(lambda one: one.who), (), ()
    ),
    Qualifier[Deletion]("at", AGES, "when it was deleted", age_of(lambda one: one.at), ("<1d", "<7d")),
)
DELETED_LIST: Final = ListDescription[Deletion](
    name="deleted",
    what="deleted flags",
    hint="search   by:sam  at:<7d",
    listing=Listing(
        Vocabulary({each.name: each for each in _QUALIFIERS}, lambda one: f"{one.key}\0{one.who}"),
        {
            "at": Order(lambda one: one.at, is_descending=True),
            "key": Order(),
            "who": Order(label=lambda one: fold(one.who)),
        },
        lambda one: fold(one.key),
    ),
    sort=Sort("at"),
    orders=("at", "key", "who"),
    columns=(
        Column("at", "DELETED", age_cell("at"), 8, align="right"),
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=60, gap=2),
        Column("who", "BY", text_cell("who", "info"), 10, grow=1, most=32, gap=2),
    ),
    more_columns=(Column("id", "ID", draw_id, 8, sortable=False),),
    always=("at", "key"),
    key=lambda one: one.key,
    filters={},
)


class DeletedScreen(RecordKeys, ListScreen[Deletion]):
    """Newest first, as the activity tells it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("deleted", "lists", "everywhere", without=NOT_HERE)]
    description = DELETED_LIST
    place = "deleted"
    tab = "^r"

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        super().__init__(app_state, changing)
        self._trouble: ApiError | None = None
        self._is_read = False

    def own_tabs(self) -> list[Tab]:
        return [Tab("^r", "Deleted flags", f"{self._finder.total:,}" if self._is_read else "")]

    def make_preview(self) -> Pane:
        return Pane()

    def target(self) -> RecordLink | None:
        return RecordLink("flags", self.record.id, self.record.key) if self.record is not None else None

    def on_mount(self) -> None:
        self.apply_preferences()
        self._show_sort()
        self.read_again()

    @work(exclusive=True, group="load")
    async def read_again(self) -> None:
        """What the activity tells now."""
        workspace = self._app_state.workspace
        if workspace is None:
            return
        try:
            found = await recent_deletions(workspace.client.flags)
        except ApiError as error:
            self._trouble, found = error, ()
        self._is_read = True
        self._finder.show(found)
        self.rows.show(found, self._finder.find(self.search.value))
        self.reframe()
        self._look_soon()

    def words_without(self, total: int) -> Words:
        if total:
            return no_match_words(self.search.value, total)
        if self._trouble is not None:
            return trouble_words(self._trouble)
        return Words((NOTHING, "", "esc goes back")) if self._is_read else waiting_words("deleted flags")

    def draw_preview(self, row: Deletion | None) -> None:
        workspace = self._app_state.workspace
        if row is None or workspace is None:
            self.query_one(Pane).show([])
            return
        is_taken = any(flag.key == row.key for flag in workspace.flags.rows)
        by = f" by {safe_text(row.who, 60)}" if row.who else ""
        self.query_one(Pane).show(
            [
                [(safe_text(row.key, 80), "bold"), (f"  #{row.id}", "$text-muted")],
                [(f"deleted {ago(row.at, self._app_state.now())}{by}", "$text-muted")],
                [],
                *([[("the key is in use again", "$warning")], []] if is_taken else []),
                *([(line, "")] for line in NOTE),
                [],
                [("z", "bold"), ("  brings it back, after the usual question", "$text-muted")],
            ]
        )

    # Keys

    def action_restore(self) -> None:
        """Bring back what is marked, else this one."""
        listened: Callable[..., None] = self._restored
        self._changing.start([restore(one.id) for one in self.chosen()], ended=listened)

    def _restored(self, *_ended: object) -> None:
        if self.is_attached:
            self.read_again()

    def action_open(self) -> None:
        self.action_restore()

    def leave_rows(self) -> None:
        if self.rows.marks:
            super().leave_rows()
        else:
            self.dismiss(None)

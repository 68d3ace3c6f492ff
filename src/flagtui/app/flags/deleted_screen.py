"""Flags that were deleted lately and not restored, as a list: marked and restored one or many at once."""

from collections.abc import Iterator, Sequence
from typing import Final

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.widgets.column_layout import Column, age_cell, id_cell, text_cell
from flagtui.changes.flags.flag_intent import switch
from flagtui.local_time import ago
from flagtui.safe_text import safe_text
from flagtui.store.activity_feed import Deletion, recent_deletions
from flagtui.store.query.term_readers import AGES, age_of, part_of
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, by_name
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

NOTE: Final = (
    "Restored flags are on or off as they were.",
    "A new flag with the same key destroys the deleted one permanently.",
)


_QUALIFIERS: Final = (
    Qualifier[Deletion](
        "by", "part of a name or an e-mail", "who deleted it", part_of(lambda deletion: deletion.who), (), ()
    ),
    Qualifier[Deletion](
        "at", AGES, "when it was deleted", age_of(lambda deletion: deletion.at), ("<1d", "<7d")
    ),
)
DELETED_LIST: Final = ListDescription[Deletion](
    name="deleted",
    what="deleted flags",
    hint="search   by:sam  at:<7d",
    listing=Listing(
        Vocabulary(by_name(*_QUALIFIERS), lambda deletion: f"{deletion.key}\0{deletion.who}"),
        {
            "at": Order(lambda deletion: deletion.at, is_descending=True),
            "key": Order(),
            "who": Order(label=lambda deletion: fold(deletion.who)),
        },
        lambda deletion: fold(deletion.key),
    ),
    orders=("at", "key", "who"),
    columns=(
        Column("at", "DELETED", age_cell("at"), 9, gap=0, align="right"),
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=60, gap=2),
        Column("who", "BY", text_cell("who", "info"), 10, grow=1, most=32, gap=2),
    ),
    more_columns=(Column("id", "ID", id_cell, 8, sortable=False),),
    always=("at", "key"),
    title="Deleted flags",
    nothing="The activity shows no recently deleted flag.",
)


class DeletedScreen(ReadList[Deletion]):
    """Lists deleted flags from the activity, newest first."""

    BINDINGS = bindings_of("deleted", "lists", "everywhere")
    description = DELETED_LIST
    place = "deleted"
    tab = "^r"

    async def read(self) -> Sequence[Deletion]:
        workspace = self._app_state.workspace
        return await recent_deletions(workspace.client.flags.activity) if workspace is not None else ()

    def count_words(self) -> str:
        return f"{super().count_words()} in recent activity"

    def about(self, row: Deletion) -> Iterator[list[Piece]]:
        workspace = self._app_state.workspace
        by = f" by {safe_text(row.who, 60)}" if row.who else ""
        yield [(safe_text(row.key, 80), "bold"), (f"  #{row.id}", "$text-muted")]
        yield [(f"deleted {ago(row.at, self._app_state.session.now())}{by}", "$text-muted")]
        yield []
        if workspace is not None and any(flag.key == row.key for flag in workspace.flags.rows):
            yield [("the key is in use again", "$warning")]
            yield []
        yield from ([(line, "")] for line in NOTE)
        yield []
        yield [
            (key_sign("deleted.restore"), "bold"),
            ("  brings it back, after the usual question", "$text-muted"),
        ]

    # Keys

    def action_restore(self) -> None:
        """Restore the marked flags, else this one."""
        intents = [switch("restore", row.id) for row in self.chosen()]
        self._runner.start(intents, self.on_saved)

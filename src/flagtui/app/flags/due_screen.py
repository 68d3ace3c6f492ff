"""Scheduled changes of all flags of the project that are still to come, the next one first."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from flagtui import local_time
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.related_changes import RelatedChanges
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.state.go_to import RecordLink
from flagtui.app.widgets.column_layout import Column, age_cell, id_cell, text_cell
from flagtui.local_time import ago
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.query.term_readers import part_of
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, by_name
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.key_signs import key_sign
from flagtui.text.schedule_words import scheduled_words
from flagtui.text.styled import Piece


class DueChange(Struct, frozen=True):
    """A pending change of one flag. `at` is in Unix seconds; `key` is raw, `words` is safe."""

    id: int
    flag_id: int
    key: str
    at: float | None
    words: str
    who: str
    change: ScheduledChange


def due_changes(changes: Sequence[ScheduledChange], flags: Sequence[FlagRow]) -> list[DueChange]:
    """Return their rows; the key of a flag that no list has is its id."""
    keys = {str(flag.id): flag.key for flag in flags}
    return [
        DueChange(
            change.id,
            int(change.record_id),
            keys.get(change.record_id, f"#{change.record_id}"),
            local_time.unix(change.scheduled_at),
            scheduled_words(change),
            change.created_by.label if change.created_by is not None else "",
            change,
        )
        for change in changes
    ]


_QUALIFIERS = (
    Qualifier[DueChange](
        "by", "part of a name or an e-mail", "who scheduled it", part_of(lambda row: row.who), (), ()
    ),
)
DUE_LIST = ListDescription[DueChange](
    name="due",
    what="scheduled changes",
    hint="search   by:sam",
    listing=Listing(
        Vocabulary(by_name(*_QUALIFIERS), lambda row: f"{row.key}\0{row.words}\0{row.who}"),
        {
            "at": Order(lambda row: row.at),
            "key": Order(),
            "who": Order(label=lambda row: fold(row.who)),
        },
        lambda row: fold(row.key),
    ),
    orders=("at", "key", "who"),
    columns=(
        Column("at", "DUE", age_cell("at"), 8, align="right"),
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=3, most=60, gap=2),
        Column(
            "words",
            "CHANGE",
            lambda row, _slot: ((row.words, "warn"),),
            16,
            grow=4,
            gap=2,
            sortable=False,
        ),
        Column("who", "BY", text_cell("who", "info"), 10, grow=1, most=32, gap=2, from_width=70),
    ),
    more_columns=(Column("id", "ID", id_cell, 8, sortable=False),),
    always=("at", "key"),
    title="Scheduled changes",
    nothing="Nothing is scheduled in this project.",
)


class DueScreen(ReadList[DueChange]):
    """Lists scheduled changes, with one request for the whole project."""

    BINDINGS = bindings_of("due", "lists", "everywhere")
    description = DUE_LIST
    place = "due"
    tab = "F7"

    async def read(self) -> Sequence[DueChange]:
        workspace = self._app_state.workspace
        if workspace is None:
            return ()
        schedule = workspace.schedule
        await schedule.read()
        if schedule.trouble is not None:
            raise schedule.trouble
        return due_changes(schedule.pending, workspace.flags.rows)

    def redraw_ages(self) -> None:
        super().redraw_ages()
        workspace = self._app_state.workspace
        if workspace is not None and workspace.schedule.is_outdated:
            # A change was due since, which the server may have made.
            self.read_again()

    def about(self, row: DueChange) -> Iterator[list[Piece]]:
        yield [(safe_text(row.key, 80), "bold"), (f"  #{row.flag_id}", "$text-muted")]
        yield []
        yield [(row.words, "$warning")]
        if row.at is not None:
            yield [(f"{local_time.minute(row.at)}{local_time.beside(row.at)}", "")]
            yield [(ago(row.at, self._app_state.session.now()), "$text-muted")]
        yield []
        yield [("the server makes it without asking again", "$text-muted")]
        if row.who:
            yield [(f"scheduled by {safe_text(row.who, 60)}", "$text-muted")]
        yield []
        yield [(key_sign("lists.open"), "bold"), ("  opens the flag", "$text-muted")]
        yield [
            (key_sign("due.drop"), "bold"),
            ("  drops the change, after the usual question", "$text-muted"),
        ]

    def link_to(self, row: DueChange) -> RecordLink:
        return RecordLink("flags", row.flag_id, row.key)

    def action_drop(self) -> None:
        for row in self.single():
            related = RelatedChanges(self._app_state, self._runner)
            flag = FlagRow(row.flag_id, row.key)
            self._runner.run(related.drop(flag, row.change, self.on_saved))

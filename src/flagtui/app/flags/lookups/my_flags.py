"""What every flag is for the holder of the key, as the server says it."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual.binding import BindingType

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.state.go_to import RecordLink
from flagtui.app.widgets.column_layout import Cell, Column, Slot, text_cell
from flagtui.models.json_value import as_id, as_text
from flagtui.safe_text import safe_text
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, choice
from flagtui.store.sort_orders import Listing, Order, Sort
from flagtui.text.evaluation_words import value_words
from flagtui.text.styled import Piece

NOT_HERE: Final = frozenset(("lists.type", "lists.mine"))
OFF: Final = ("off", "?")


class MyValue(Struct, frozen=True):
    """One flag. `key` is raw; `value` is in words, and safe."""

    id: int
    key: str
    value: str

    @property
    def is_on(self) -> bool:
        """A variant counts as on."""
        return self.value not in OFF


def draw_value(one: MyValue, slot: Slot) -> Cell:
    return ((one.value, "good" if one.is_on else "muted"),)


_STATES: Final = {"on": lambda one: one.is_on, "off": lambda one: not one.is_on}
_IS: Final = Qualifier[MyValue](
    "is", "on or off", "what it is for you", choice(_STATES), (*_STATES,), (*_STATES,)
)
MY_FLAGS: Final = ListDescription[MyValue](
    name="my_flags",
    what="your flags",
    hint="search   a key or a variant  is:on",
    listing=Listing(
        Vocabulary(
            {
                "is": Qualifier[MyValue](
                    "is", "on or off", "what it is for you", choice(_STATES), ("on", "off"), ("on", "off")
                )
            },
            lambda one: f"{one.key}\0{one.value}",
        ),
        {"key": Order(), "value": Order(label=lambda one: fold(one.value))},
        lambda one: fold(one.key),
    ),
    sort=Sort("key"),
    orders=("key", "value"),
    columns=(
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=60),
        Column("value", "FOR YOU", draw_value, 10, grow=1, most=40, gap=2),
    ),
    always=("key", "value"),
    key=lambda one: one.key,
    filters={"state": "is"},
    title="My flags",
    nothing="This project has no flags.",
)


class MyFlagsScreen(ReadList[MyValue]):
    """By key."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("lists", "everywhere", without=NOT_HERE)]
    description = MY_FLAGS
    place = "lists"
    tab = "I"

    async def read(self) -> Sequence[MyValue]:
        workspace = self._app_state.workspace
        mine = await workspace.client.evaluation.my_flags() if workspace is not None else ()
        return [
            MyValue(id, as_text(one.feature_flag.get("key")), value_words(one.value))
            for one in mine
            if (id := as_id(one.feature_flag.get("id"))) is not None
        ]

    def counted(self) -> str:
        return f"{sum(one.is_on for one in self._found):,} of {len(self._found):,} on"

    def target(self) -> RecordLink | None:
        return RecordLink("flags", self.record.id, self.record.key) if self.record is not None else None

    def about(self, row: MyValue) -> Iterator[list[Piece]]:
        me = self._app_state.workspace.me if self._app_state.workspace is not None else None
        yield [(safe_text(row.key, 80), "bold"), (f"  #{row.id}", "$text-muted")]
        yield [(f"{row.value} for {safe_text(me.email, 60) if me else 'the holder of the key'}", "")]
        yield []
        yield [("⏎", "bold"), ("  opens the flag; its tab who says why", "$text-muted")]

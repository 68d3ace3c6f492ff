"""A made-up list is declared once: search, order, columns, marks, copying and the preview follow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tests.doubles.whole_program import WIDE, Program, Setting, running, words

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.state.go_to import RecordLink
from flagtui.app.widgets.column_layout import Column, text_cell
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, choice
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.empty_states import Words
from flagtui.text.styled import Piece


@dataclass(frozen=True)
class Kettle:
    id: int
    key: str
    colour: str
    litres: float


IS = Qualifier[Kettle](
    "is", "red or blue", "", choice({"red": lambda kettle: kettle.colour == "red"}), (), ("red",)
)
SHELF = (Kettle(1, "whistler", "red", 1.5), Kettle(2, "samovar", "blue", 4.0), Kettle(3, "billy", "red", 0.8))


class Kettles(ReadList[Kettle]):
    """The one declaration."""

    BINDINGS = bindings_of("lists", "everywhere")
    place = "lists"
    tab = "K"
    description = ListDescription[Kettle](
        name="kettles",
        what="kettles",
        hint="search",
        listing=Listing(
            Vocabulary({"is": IS}, lambda kettle: kettle.key),
            {"litres": Order(lambda kettle: kettle.litres, is_descending=True), "key": Order()},
            lambda kettle: kettle.key,
        ),
        orders=("litres", "key"),
        columns=(
            Column("key", "KETTLE", text_cell("key"), 12),
            Column("litres", "LITRES", text_cell("key"), 6),
        ),
        more_columns=(Column("colour", "COLOUR", text_cell("colour"), 8),),
        always=("key",),
        key=lambda kettle: kettle.key,
        filters={"state": "is"},
        title="Kettles",
        nothing="The shelf is empty.",
    )
    shelf: ClassVar[Sequence[Kettle] | Words] = SHELF

    async def read(self) -> Sequence[Kettle] | Words:
        return self.shelf

    def about(self, row: Kettle) -> Iterator[list[Piece]]:
        yield [(f"{row.key} holds {row.litres} l", "")]

    def target(self) -> RecordLink | None:
        return None


class EmptyShelf(Kettles):
    shelf = ()


class ClosedShelf(Kettles):
    shelf = Words(("The shelf is locked.",), "warn")


async def show(program: Program, kettles: type[Kettles] = Kettles) -> Kettles:
    screen = kettles(program.app.app_state, program.app.runner)
    program.app.push_screen(screen)
    await program.settle()
    return screen


def in_order(screen: Kettles) -> list[str]:
    return [row.key for row in screen.rows.in_sight]


async def test_it_is_ordered_searched_marked_copied_and_counted(setting: Setting) -> None:
    async with running(replace(setting, size=WIDE)) as program:
        screen = await show(program)
        assert "Kettles 3" in words(program.screen)
        assert in_order(screen) == ["samovar", "whistler", "billy"]
        assert "samovar holds 4.0 l" in words(program.screen)
        await program.press("y")
        assert program.app.clipboard == "samovar"
        await program.press("x")
        assert screen.rows.marks == {2}
        await program.press("escape", "c", "down", "space", "enter")
        assert "COLOUR" in program.screen
        await program.press("S")
        assert in_order(screen) == ["billy", "whistler", "samovar"]
        await program.press("s")
        assert in_order(screen) == ["billy", "samovar", "whistler"]
        await program.press("f")
        assert in_order(screen) == ["billy", "whistler"]
        await program.press("slash", *"bil", "enter")
        assert in_order(screen) == ["billy"]
        assert "1 of 3" in words(program.screen)
        # Escape would clear a toast first that was long enough in sight.
        program.app.clear_notifications()
        await program.press("escape", "escape")
        assert "KETTLE" not in program.screen
        for kettles, message in ((EmptyShelf, "The shelf is empty."), (ClosedShelf, "The shelf is locked.")):
            await show(program, kettles)
            assert message in program.screen
            await program.press("escape")

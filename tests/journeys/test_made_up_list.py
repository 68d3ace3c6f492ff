"""A made-up list is declared once: search, order, columns, marks, copying and the preview follow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
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
    "is", "red or blue", "", choice({"red": lambda one: one.colour == "red"}), (), ("red",)
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
            Vocabulary({"is": IS}, lambda one: one.key),
            {"litres": Order(lambda one: one.litres, is_descending=True), "key": Order()},
            lambda one: one.key,
        ),
        orders=("litres", "key"),
        columns=(
            Column("key", "KETTLE", text_cell("key"), 12),
            Column("litres", "LITRES", text_cell("key"), 6),
        ),
        more_columns=(Column("colour", "COLOUR", text_cell("colour"), 8),),
        always=("key",),
        key=lambda one: one.key,
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


async def shown(program: Program, kettles: type[Kettles] = Kettles) -> Kettles:
    screen = kettles(program.app.app_state, program.app.changing)
    program.app.push_screen(screen)
    await program.settle()
    return screen


def in_order(screen: Kettles) -> list[str]:
    return [row.key for row in screen.rows.in_sight]


@pytest.fixture
def wide(setting: Setting) -> Setting:
    return replace(setting, size=WIDE)


async def test_rows_stand_in_the_order_that_is_declared_and_turn_around(wide: Setting) -> None:
    async with running(wide) as program:
        screen = await shown(program)
        assert in_order(screen) == ["samovar", "whistler", "billy"]
        await program.press("S")
        assert in_order(screen) == ["billy", "whistler", "samovar"]
        await program.press("s")
        assert in_order(screen) == ["billy", "samovar", "whistler"]


async def test_it_is_searched_and_filtered_and_the_tab_counts_it(wide: Setting) -> None:
    async with running(wide) as program:
        screen = await shown(program)
        assert "Kettles 3" in words(program.screen)
        await program.press("f")
        assert in_order(screen) == ["whistler", "billy"]
        await program.press("slash", *"bil", "enter")
        assert in_order(screen) == ["billy"]
        assert "1 of 3" in words(program.screen)


async def test_it_has_a_preview_marks_columns_and_the_copy_key(wide: Setting) -> None:
    async with running(wide) as program:
        screen = await shown(program)
        assert "samovar holds 4.0 l" in words(program.screen)
        await program.press("y")
        assert program.app.clipboard == "samovar"
        await program.press("x")
        assert screen.rows.marks == {2}
        await program.press("c", "down", "space", "enter")
        assert "COLOUR" in program.screen
        await program.press("escape", "escape")
        assert "KETTLE" not in program.screen


@pytest.mark.parametrize(
    ("kettles", "told"), [(EmptyShelf, "The shelf is empty."), (ClosedShelf, "The shelf is locked.")]
)
async def test_without_rows_it_says_why(wide: Setting, kettles: type[Kettles], told: str) -> None:
    async with running(wide) as program:
        await shown(program, kettles)
        assert told in program.screen

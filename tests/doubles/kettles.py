"""An imaginary kind of record: this file is all that the app needs to support kettles.

A process of its own imports this before anything of the app, which derives from the kinds when it is loaded.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct
from textual.app import ComposeResult
from textual.widgets import Static

from flagtui.api import Client
from flagtui.models.editable_fields import FieldTable
from flagtui.models.rows import RowPage
from flagtui.store import kinds
from flagtui.store.kinds import Kind, RecordKind
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, choice
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.styled import Piece


class KettleRow(Struct, frozen=True):
    id: int
    name: str
    colour: str = "red"
    creator: str = ""
    creator_id: int | None = None


IS: Final = Qualifier[KettleRow](
    "is", "red or blue", "", choice({"blue": lambda row: row.colour == "blue"}), (), ("blue",)
)
KETTLE_FIELDS: Final = FieldTable()
KETTLE_LISTING: Final = Listing[KettleRow](
    Vocabulary({"is": IS}, lambda row: row.name), {"name": Order()}, lambda row: row.name
)
KETTLES: Final = RecordKind(
    cast(Kind, "kettles"),
    "kettle",
    tab="0",
    entry="kettle",
    scope="kettle",
    operations="kettles",
    page="kettles",
    words="kettles",
    row=KettleRow,
    fields_at="tests.doubles.kettles:KETTLE_FIELDS",
    listing_at="tests.doubles.kettles:KETTLE_LISTING",
    synonyms="tea",
    has_archive=False,
)
for registry, name in (
    (kinds.KINDS, KETTLES.plural),
    (kinds.BY_ENTRY, KETTLES.entry),
    (kinds.BY_ROW, KettleRow),
):
    cast(dict[Any, RecordKind], registry)[name] = KETTLES

from flagtui.app.commands.command_table import bindings_of  # noqa: E402  # derives from the kinds
from flagtui.app.kinds import LISTS  # noqa: E402
from flagtui.app.lists.list_description import ListDescription  # noqa: E402
from flagtui.app.lists.loaded_list import WorkspaceList  # noqa: E402
from flagtui.app.records.record_screen import LinesPane, RecordScreen, RecordTabs  # noqa: E402
from flagtui.app.widgets.column_layout import Column, text_cell  # noqa: E402
from flagtui.app.widgets.panes import Pane  # noqa: E402
from flagtui.config.settings import parse_settings  # noqa: E402

cast(dict[str, str], LISTS)[KETTLES.tab] = "tests.doubles.kettles:KettlesScreen"


class KettleScreen(RecordScreen[KettleRow]):
    BINDINGS = bindings_of("kettle", "everywhere")
    kind = KETTLES.plural
    place = "kettle"
    tabs = {"overview": ("Overview", "Over")}

    def body(self) -> ComposeResult:
        yield RecordTabs()
        with LinesPane(id="tab-overview", classes="pane"):
            yield Static(id="about")

    def look(self) -> None:
        pass

    def draw_body(self) -> None:
        self.query_one("#about", Static).update(f"the kettle {self._row.name} is {self._row.colour}")


class KettlesScreen(WorkspaceList[KettleRow]):
    BINDINGS = bindings_of("kettles", "lists", "everywhere")
    kind = KETTLES.plural
    place = "kettles"
    tab = KETTLES.tab
    description = ListDescription[KettleRow](
        name="kettles",
        what="kettles",
        hint="search",
        listing=KETTLE_LISTING,
        orders=("name",),
        columns=(Column("name", "KETTLE", text_cell("name"), 12),),
        key=lambda row: row.name,
        filters={"state": "is"},
    )

    def make_preview(self) -> Pane:
        return Pane()

    def draw_preview(self, row: KettleRow | None) -> None:
        lines: list[list[Piece]] = [[(row.colour, "")]] if row is not None else []
        self.query_one(Pane).show(lines)

    def page_of(self, row: KettleRow) -> KettleScreen:
        return KettleScreen(self._app_state, self._runner, row)

    def action_open(self) -> None:
        if self.record is not None:
            self.app.push_screen(self.page_of(self.record))


class Kettles:
    """The client's operations on them."""

    SHELF: Final = (KettleRow(1, "whistler"), KettleRow(2, "samovar", "blue"), KettleRow(3, "billy"))

    async def page(self, filters: Mapping[str, Any] | None = None, **_how: Any) -> RowPage[KettleRow]:
        rows = tuple(row for row in self.SHELF if str((filters or {}).get("search", "")) in row.name)
        return RowPage(rows, len(rows))

    async def pages(self, filters: Mapping[str, Any] | None = None) -> AsyncIterator[RowPage[KettleRow]]:
        yield await self.page(filters)


async def visit(template: Path, folder: Path) -> AsyncIterator[str]:
    """What is on screen, and the settings and copies there are, step by step."""
    from tests.doubles.whole_program import Setting, running, words

    Client.kettles = Kettles()  # type: ignore[attr-defined]  # another group of operations
    async with running(Setting(template, folder, snapshots=True)) as program:
        for keys in (("0",), ("f",), ("f", "enter"), ("escape", "1"), ("colon", *"samovar", "enter")):
            await program.press(*keys)
            yield words(program.screen)
        workspace = program.app.app_state.workspace
        assert workspace is not None
        yield f"copies: {len(workspace.copies(KETTLES.plural))}"
    yield str(parse_settings('[columns]\nkettles = ["name"]').columns)


def main() -> None:
    async def write() -> None:
        async for step in visit(*map(Path, sys.argv[1:])):
            sys.stdout.write(f"{step}\n")

    asyncio.run(write())

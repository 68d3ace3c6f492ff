"""An imaginary kind of record: this file is all that app and command line need to support kettles.

A process of its own imports this before anything of the app, which derives from the kinds when it is loaded.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, cast

import click
from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.widgets import Static

from flagtui.api import Client
from flagtui.api.errors import NotFound
from flagtui.changes.adapter import Adapter
from flagtui.changes.difference import DifferenceLine, FieldConflict
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict, UndoContext
from flagtui.changes.journal_entries import Entry
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.changes.planner import Planned, Planner, collect, read_each
from flagtui.changes.proposal import Outcome, PlanBase, conflict_over
from flagtui.changes.skipped import Skipped, skip_no_op
from flagtui.changes.verbs import Verb
from flagtui.models.editable_fields import FieldTable
from flagtui.models.rows import RowPage
from flagtui.store.kinds import Kind, RecordKind, declare
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
KETTLES: Final = declare(RecordKind(
    cast(Kind, "kettles"), "kettle", tab="0", entry="kettle", scope="kettle", operations="kettles",
    page="kettles", words="kettles", row=KettleRow, synonyms="tea", has_archive=False,
    fields_at=f"{__name__}:KETTLE_FIELDS", listing_at=f"{__name__}:KETTLE_LISTING",
    list_at=f"{__name__}:KettlesScreen", commands_at=f"{__name__}:KETTLE_COMMANDS",
    entries_at=f"{__name__}:KettleEntries", rows_at=f"{__name__}:KettleRows",
))  # fmt: skip
COLOURS: Final = ("red", "blue", "green")
PAINT: Final = Verb("paint", "Paint", "is painted", "paint it as before")


class Kettles:
    """The client's operations on them."""

    shelf: ClassVar = {
        row.id: row
        for row in (KettleRow(1, "whistler"), KettleRow(2, "samovar", "blue"), KettleRow(3, "billy"))
    }

    async def page(self, filters: Mapping[str, Any] | None = None, **_how: Any) -> RowPage[KettleRow]:
        sought = str((filters or {}).get("search", ""))
        rows = tuple(row for row in self.shelf.values() if sought in row.name)
        return RowPage(rows, len(rows))

    async def pages(self, filters: Mapping[str, Any] | None = None) -> AsyncIterator[RowPage[KettleRow]]:
        yield await self.page(filters)

    async def get(self, id: int) -> KettleRow:
        if id not in self.shelf:
            raise NotFound("There is no such kettle.")
        return self.shelf[id]

    async def update(self, id: int, colour: str) -> KettleRow:
        self.shelf[id] = replace(await self.get(id), colour=colour)
        return self.shelf[id]


Client.kettles = Kettles()  # type: ignore[attr-defined]  # another group of operations


def kettles_of(client: Client) -> Kettles:
    return cast(Any, client).kettles  # type: ignore[no-any-return]


# Its changes.


@dataclass(frozen=True)
class Painting:
    """The intent."""

    row: KettleRow
    colour: str


class KettlePlan(PlanBase, frozen=True, kw_only=True):
    noun: ClassVar[str] = "kettle"
    fresh: KettleRow
    colour: str

    @property
    def id(self) -> int:
        return self.fresh.id

    @property
    def key(self) -> str:
        return self.fresh.name

    type_to_confirm = key


def plan_painting(fresh: KettleRow, colour: str, seen: str, now: float) -> KettlePlan | None:
    if fresh.colour == colour:
        return None
    difference = DifferenceLine(("colour",), fresh.colour, colour, f"colour: {fresh.colour} → {colour}")
    conflicts = (FieldConflict(("colour",), seen, colour, fresh.colour),) if fresh.colour != seen else ()
    return KettlePlan(
        verb=PAINT, lines=(difference,), conflicts=conflicts, read_at=now, fresh=fresh, colour=colour
    )


class KettleAdapter(Adapter[KettlePlan, KettleRow]):
    def __init__(self, kettles: Kettles) -> None:
        self.kettles = kettles

    def journal_entry(self, plan: KettlePlan) -> Entry:
        return Entry(
            record=plan.id,
            key=plan.key,
            verb=PAINT.name,
            kind=KETTLES.entry,
            before={"colour": plan.fresh.colour},
            after={"colour": plan.colour},
        )

    async def read(self, plan: KettlePlan) -> KettleRow:
        return await self.kettles.get(plan.id)

    def conflict(self, plan: KettlePlan, now: KettleRow) -> Outcome[KettlePlan, KettleRow] | None:
        return conflict_over(["colour"] if now.colour != plan.fresh.colour else [], plan, now)

    async def send(self, plan: KettlePlan) -> Outcome[KettlePlan, KettleRow]:
        return Outcome(plan, "saved", await self.kettles.update(plan.id, plan.colour))

    def judge(self, plan: KettlePlan, seen: KettleRow | None) -> Outcome[KettlePlan, KettleRow] | None:
        is_painted = seen is not None and seen.colour == plan.colour
        return Outcome(plan, "saved", seen) if is_painted else None


class KettleRows(OptimisticRows[KettlePlan, KettleRow]):
    kind = KETTLES.plural

    def showing(self, plan: KettlePlan) -> AbstractContextManager[None]:
        return self.workspace.collection(self.kind).showing(plan.id, {"colour": plan.colour})

    async def refresh(self, outcome: Outcome[KettlePlan, KettleRow]) -> None:
        if outcome.record is not None:
            self.workspace.collection(self.kind).put(outcome.record)


class KettlePlanner(Planner[Painting, KettlePlan, KettleRow]):
    kind = KETTLES.plural
    noun = "kettle"

    def name(self, request: Painting) -> str:
        return request.row.name

    async def plan(self, requests: Sequence[Painting]) -> Planned[Painting, KettlePlan]:
        adapter = KettleAdapter(kettles_of(self.context.client))

        async def plan(request: Painting) -> KettlePlan | Skipped:
            fresh, now = await adapter.kettles.get(request.row.id), self.context.clock.time()
            planned = plan_painting(fresh, request.colour, request.row.colour, now)
            return planned or skip_no_op(fresh.id, fresh.name, f"it is {request.colour} already")

        return collect(adapter, await read_each(requests, plan))


class KettleEntries(EntryKind):
    noun = "kettle"
    verbs = {PAINT.name: PAINT}

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        adapter = KettleAdapter(kettles_of(context.client))
        fresh, was, became = await adapter.kettles.get(part.record), part.before, part.after
        plan = plan_painting(fresh, was["colour"], became["colour"], context.clock.time())
        return Planned(adapter, [plan]) if plan is not None else None

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        is_painted = (await kettles_of(client).get(entry.record)).colour == entry.after["colour"]
        return Recovery(entry, "applied" if is_painted else if_absent)


# Its screens. What they build on derives from the kinds.

from flagtui.app.commands.command import Command  # noqa: E402

KETTLE_COMMANDS: Final = (
    Command("kettles.paint", "e", "Paint the kettle", KETTLES.places, shown=True, scope=KETTLES.write_scope,
            cli="kettles paint KETTLE --to COLOUR", applies_to="many"),
)  # fmt: skip

from flagtui.app.commands.command_table import bindings_of  # noqa: E402
from flagtui.app.dialogs.picker import Choice, PickerScreen  # noqa: E402
from flagtui.app.lists.list_description import ListDescription  # noqa: E402
from flagtui.app.lists.loaded_list import WorkspaceList  # noqa: E402
from flagtui.app.lists.record_links import RecordKeys  # noqa: E402
from flagtui.app.records.record_screen import LinesPane, RecordScreen, RecordTabs  # noqa: E402
from flagtui.app.widgets.column_layout import Column, text_cell  # noqa: E402
from flagtui.app.widgets.panes import Pane  # noqa: E402
from flagtui.app.writing.workspace_context import WorkspaceContext  # noqa: E402


class KettleKeys(RecordKeys):
    """The keys of the list and of the page."""

    def action_paint(self) -> None:
        if rows := self.chosen():
            self._runner.run(self._paint(rows))

    async def _paint(self, rows: Sequence[KettleRow]) -> None:
        choices = [Choice(colour, colour, "", colour == rows[0].colour) for colour in COLOURS]
        colour = await self._runner.ask(PickerScreen("Colour", choices))
        if colour is not None and (workspace := self._runner.open_workspace()) is not None:
            planner = KettlePlanner(WorkspaceContext(self._app_state, workspace))
            await self._runner.write([Painting(row, colour) for row in rows], planner, self.on_report)


class KettleScreen(KettleKeys, RecordScreen[KettleRow]):
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


class KettlesScreen(KettleKeys, WorkspaceList[KettleRow]):
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
        columns=(
            Column("name", "KETTLE", text_cell("name"), 12),
            Column("colour", "COLOUR", text_cell("colour"), 8),
        ),
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


# Its commands on the command line.

from flagtui.cli.plumbing.change_report import change_command  # noqa: E402
from flagtui.cli.plumbing.confirmation import carry_out  # noqa: E402
from flagtui.cli.plumbing.options import WriteTerms  # noqa: E402
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema  # noqa: E402
from flagtui.cli.plumbing.project_session import ProjectSession  # noqa: E402
from flagtui.cli.plumbing.record_command import command  # noqa: E402
from flagtui.cli.plumbing.selection import SOURCES, RecordSelection, several  # noqa: E402
from flagtui.cli.plumbing.session_context import planning_context  # noqa: E402
from flagtui.cli.plumbing.word_types import WordArgument, list_options  # noqa: E402

KETTLE: Final[RecordSchema[KettleRow]] = RecordSchema(
    "kettle",
    "A kettle.",
    (
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField("colour", "text", "Its colour.", is_shown=True),
        RecordField("id", "whole", "Its number."),
    ),
)
SOURCE: Final = SOURCES[KETTLES.plural]
KETTLE_WORDS: Final = WordArgument("kettles", "KETTLE", KETTLES.plural, is_many=True)


@command("list", kind=KETTLE)
@list_options(KETTLES.plural, "name.")
async def list_all(
    session: ProjectSession, query: tuple[str, ...], sort: str, limit: int | None
) -> list[KettleRow]:
    """List kettles."""
    return await SOURCE.rows(session, " ".join(query), sort, limit)


async def read_named(session: ProjectSession, selection: RecordSelection) -> list[KettleRow]:
    rows = await SOURCE.every(session)
    rows_by_name = {name: row for row in rows for name in (*SOURCE.names(row), str(row.id))}
    if missing := [name for name in selection.names if name not in rows_by_name]:
        raise await SOURCE.unknown(session, missing, rows)
    return await several([rows_by_name[name].id for name in selection.names], kettles_of(session.client).get)


@command("get", kind=KETTLE, is_whole=True)
@KETTLE_WORDS
async def get(session: ProjectSession, kettles: RecordSelection) -> list[KettleRow]:
    """Show kettles."""
    return await read_named(session, kettles)


@change_command("paint")
@KETTLE_WORDS
@click.option("--to", "colour", required=True, type=click.Choice(COLOURS), help="The colour.")
async def paint(session: ProjectSession, kettles: RecordSelection, colour: str, terms: WriteTerms) -> int:
    """Paint kettles."""
    planner = KettlePlanner(planning_context(session, terms))
    rows = await read_named(session, kettles)
    return await carry_out(await planner.plan([Painting(row, colour) for row in rows]), session, terms)

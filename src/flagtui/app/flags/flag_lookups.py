"""Flags looked up without their list: pasted ids, values for the user, flags that libraries evaluate."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from textual import work
from textual.app import ComposeResult

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.app.shell.written_files import export
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import RecordLink
from flagtui.app.widgets.column_layout import Cell, Column, Slot, id_cell, text_cell
from flagtui.app.widgets.line import Line, styled
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.models.flag_responses import LocalEvaluation
from flagtui.models.json_value import as_id, as_text
from flagtui.safe_text import safe_text
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Vocabulary, choices
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.evaluation_words import value_words
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice, Piece

MOST: Final = 1_000
"""Ids that are looked up at once."""
UNKNOWN: Final = "not known here"


class IdFound(Struct, frozen=True):
    """A pasted id. The key is raw, and empty if no flag has the id."""

    id: int
    key: str
    place: int


def draw_key(row: IdFound, slot: Slot) -> Cell:
    return ((safe_text(row.key), "strong") if row.key else (UNKNOWN, "muted"),)


_KNOWN: Final[Qualifier[Any]] = choices(
    "is",
    "whether there is such a flag",
    {"known": lambda flag: bool(flag.key), "unknown": lambda flag: not flag.key},
)
IDS: Final = ListDescription[IdFound](
    name="ids",
    what="flags by id",
    hint="search   a key or an id  is:unknown",
    listing=Listing(
        Vocabulary({"is": _KNOWN}, lambda flag: f"{flag.key}\0{flag.id}"),
        {"place": Order(lambda flag: flag.place), "id": Order(lambda flag: flag.id), "key": Order()},
        lambda flag: fold(flag.key),
    ),
    orders=("place", "id", "key"),
    columns=(
        Column("id", "ID", id_cell, 9, align="right"),
        Column("key", "KEY", draw_key, 15, grow=4, most=80, gap=2),
    ),
    always=("id", "key"),
    key=lambda flag: flag.key or str(flag.id),
    filters={"state": "is"},
    names_order=False,
    title="Flags by id",
    nothing="No id was given.",
)


class IdsScreen(ReadList[IdFound]):
    """Lists flags in the order in which their ids were pasted."""

    BINDINGS = bindings_of("lists", "everywhere")
    description = IDS
    place = "lists"
    tab = "#"

    def __init__(self, app_state: AppState, runner: ChangeRunner, ids: Sequence[int]) -> None:
        super().__init__(app_state, runner)
        self._ids = ids[:MOST]
        self._pasted = len(ids)

    async def read(self) -> Sequence[IdFound]:
        workspace = self._app_state.workspace
        if workspace is None:
            return ()
        keys = {row.id: row.key for row in workspace.flags.rows}
        if missing := [id for id in self._ids if id not in keys]:
            keys |= await workspace.client.flags.bulk_keys(missing)
        return [IdFound(id, keys.get(id, ""), place) for place, id in enumerate(self._ids)]

    def count_words(self) -> str:
        cut = f", first {len(self._ids):,} of {self._pasted:,} ids" if self._pasted > len(self._ids) else ""
        return f"{sum(bool(row.key) for row in self._found):,} of {len(self._found):,} found{cut}"

    def target(self) -> RecordLink | None:
        target = super().target()
        return target if target is not None and target.key else None

    def about(self, row: IdFound) -> Iterator[list[Piece]]:
        yield [(safe_text(row.key, 80), "bold"), (f"  #{row.id}", "$text-muted")]
        yield []
        if row.key:
            yield [
                (key_sign("lists.open"), "bold"),
                ("  opens the flag, also one of the archive", "$text-muted"),
            ]
        else:
            yield [("No flag of this project has this id, or it was deleted.", "$text-muted")]


async def find_by_ids(app_state: AppState, runner: ChangeRunner) -> None:
    """Ask for ids and list the flags that have them."""
    prompt = Prompt("Flags by id", "Paste ids; any separator works.", "", "812, 813 …", read_ids)
    line = await runner.ask(PromptScreen(prompt))
    if line is not None:
        runner.app.push_screen(IdsScreen(app_state, runner, ids_in(line)))


def ids_in(line: str) -> list[int]:
    """Return the numbers in a pasted text that can be ids, each once."""
    apart = "".join(each if each.isascii() and each.isdigit() else " " for each in line)
    ids = dict.fromkeys(int(text) for text in apart.split() if len(text) < 12)
    return [id for id in ids if 0 < id < 2**31]


def read_ids(line: str) -> PromptReading:
    ids = ids_in(line)
    most = f"; the first {MOST:,} are looked up" if len(ids) > MOST else ""
    return PromptReading([(f"{count(len(ids), 'id')}{most}", "$text-muted")], "" if ids else "no id yet")


OFF: Final = ("off", "?")


class MyValue(Struct, frozen=True):
    """The value of one flag. `key` is raw; `value` is in words, and safe."""

    id: int
    key: str
    value: str

    @property
    def is_on(self) -> bool:
        """A variant counts as on."""
        return self.value not in OFF


def draw_value(row: MyValue, slot: Slot) -> Cell:
    return ((row.value, "good" if row.is_on else "muted"),)


_ON: Final[Qualifier[Any]] = choices(
    "is", "what it is for you", {"on": lambda flag: flag.is_on, "off": lambda flag: not flag.is_on}
)
MY_FLAGS: Final = ListDescription[MyValue](
    name="my_flags",
    what="your flags",
    hint="search   a key or a variant  is:on",
    listing=Listing(
        Vocabulary({"is": _ON}, lambda flag: f"{flag.key}\0{flag.value}"),
        {"key": Order(), "value": Order(label=lambda flag: fold(flag.value))},
        lambda flag: fold(flag.key),
    ),
    orders=("key", "value"),
    columns=(
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=60),
        Column("value", "FOR YOU", draw_value, 10, grow=1, most=40, gap=2),
    ),
    always=("key", "value"),
    filters={"state": "is"},
    title="My flags",
    nothing="This project has no flags.",
)


class MyFlagsScreen(ReadList[MyValue]):
    """By key."""

    BINDINGS = bindings_of("lists", "everywhere")
    description = MY_FLAGS
    place = "lists"
    tab = "I"

    async def read(self) -> Sequence[MyValue]:
        workspace = self._app_state.workspace
        mine = await workspace.client.evaluation.my_flags() if workspace is not None else ()
        return [
            MyValue(id, as_text(match.feature_flag.get("key")), value_words(match.value))
            for match in mine
            if (id := as_id(match.feature_flag.get("id"))) is not None
        ]

    def count_words(self) -> str:
        unlisted = f", {self._unlisted:,} archived or new" if self._unlisted else ""
        return f"{sum(row.is_on for row in self._found):,} of {len(self._found):,} on{unlisted}"

    @property
    def _unlisted(self) -> int:
        """The number of these flags that the list of flags does not count; 0 while it is loading."""
        workspace = self._app_state.workspace
        if workspace is None or not workspace.flags.is_complete:
            return 0
        listed = {row.id for row in workspace.flags.rows if not row.archived}
        return sum(row.id not in listed for row in self._found)

    def about(self, row: MyValue) -> Iterator[list[Piece]]:
        me = self._app_state.workspace.me if self._app_state.workspace is not None else None
        yield [(safe_text(row.key, 80), "bold"), (f"  #{row.id}", "$text-muted")]
        yield [(f"{row.value} for {safe_text(me.email, 60) if me else 'the holder of the key'}", "")]
        yield []
        yield [(key_sign("lists.open"), "bold"), ("  opens the flag; its tab who shows why", "$text-muted")]


class DefinitionsScreen(FramedScreen):
    """Shows every flag folded to a line at first."""

    BINDINGS = bindings_of("definitions", "everywhere")
    AUTO_FOCUS = ""

    def __init__(self, app_state: AppState) -> None:
        super().__init__()
        self._app_state = app_state
        self._reads = app_state.reads

    def body(self) -> ComposeResult:
        yield Line(id="heading")
        yield JsonPane("json")

    def on_mount(self) -> None:
        self.follow(self._app_state.watch, self.update_from_state)
        self._draw("asking…")
        self._load()

    def update_from_state(self) -> None:
        """Draw the current state; read the data again when the lists were."""
        self.draw_frame()
        if self._reads != self._app_state.reads:
            self._reads = self._app_state.reads
            self._load()

    def _draw(self, words: str) -> None:
        self.draw_frame()
        title = styled((" LOCAL EVALUATION DATA", "bold"))
        self.query_one("#heading", Line).show(title, styled((f"{words} ", "$text-muted")))

    @work(exclusive=True, group="lookup")
    async def _load(self) -> None:
        if self._app_state.inspector is None:
            return
        local = self._app_state.inspector.definitions
        definitions = await local.read()
        words = "there is none" if definitions is None else summary(definitions)
        if local.trouble is not None:
            show_toast(self.app, explain_error(local.trouble, "the data cannot be read"))
            words = "not read" if definitions is None else f"{words}, not read again"
        self._draw(words)
        if definitions is None:
            return
        pane = self.query_one(JsonPane)
        pane.show_value(definitions.raw, [("flags", place) for place in range(len(definitions.flags))])
        if self.focused is None:
            pane.focus()

    def action_export(self) -> None:
        """Write a private file in the folder flagtui was started in; never overwrite one."""
        document = self._app_state.inspector.definitions.document if self._app_state.inspector else None
        workspace = self._app_state.workspace
        if document is None or workspace is None:
            show_toast(self.app, Notice("There is nothing to write yet."))
            return
        text = json.dumps(document.raw, indent=2, ensure_ascii=True) + "\n"
        name = f"flags-{workspace.client.project}.json"
        show_toast(self.app, export(name, text, summary(document), self._app_state.session.clock.time()))

    def action_back(self) -> None:
        if not self.query_one(JsonPane).leave_typing():
            self.dismiss(None)


def summary(document: LocalEvaluation) -> str:
    """Format the counts as `262 flags · 5 cohorts · 1 group type`."""
    parts = (
        count(len(document.flags), "flag"),
        count(len(document.cohorts), "cohort"),
        count(len(document.group_type_mapping), "group type"),
    )
    return " · ".join(parts)

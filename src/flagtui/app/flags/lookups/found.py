"""Flags as a plain list under a line to type in: found by their ids, or with what they are for oneself."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header, Tabs
from flagtui.app.shell.status_line import link_of, location_of, tabs_of
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import Line, cut, styled
from flagtui.app.widgets.line_view import LineView
from flagtui.app.widgets.screen_lifecycle import OwnedScreen
from flagtui.app.writing.changes import Changes
from flagtui.models.json_value import as_id, as_text
from flagtui.safe_text import safe_text
from flagtui.text.evaluation_words import value_words
from flagtui.text.notices import Notice
from flagtui.text.styled import Piece

LONGEST = 20_000


@dataclass(frozen=True)
class FoundFlags:
    """One line. `key` is raw; `words` is safe."""

    id: int
    key: str
    words: str = ""
    style: str = ""


class FoundScreen(OwnedScreen[None]):
    """Subclasses say what is asked and what the line above means."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("lookup", "everywhere"),
        Binding("down", "move('down')", "down", show=False),
        Binding("up", "move('up')", "up", show=False),
        Binding("pagedown", "move('page_down')", "page down", show=False),
        Binding("pageup", "move('page_up')", "page up", show=False),
    ]
    AUTO_FOCUS = "Input"
    heading: ClassVar[str]
    hint: ClassVar[str]

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        super().__init__()
        self._app_state = app_state
        self._changing = changing
        self._found: Sequence[FoundFlags] = ()
        self._words = ""

    @abstractmethod
    def typed(self, line: str) -> None:
        """The line above was changed."""

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        yield Line(id="heading")
        yield Field(placeholder=self.hint, max_length=LONGEST, answers="open", leaves="back")
        yield LineView()
        yield KeyLine()

    def on_mount(self) -> None:
        self.tell_lines("")

    def show_found(self, found: Sequence[FoundFlags], words: str) -> None:
        """Draw these lines under a few words."""
        self._found = found
        self.tell_lines(words)

    def tell_lines(self, words: str) -> None:
        """Draw the frame, with these words at the right."""
        app_state = self._app_state
        self.query_one(Header).show_location(location_of(app_state), link_of(app_state))
        self.query_one(Tabs).show_tabs(tabs_of(app_state), "1")
        title = styled((f" {self.heading}", "bold"))
        self.query_one("#heading", Line).show(title, styled((f"{safe_text(words, 160)} ", "$text-muted")))
        width = max(16, min(48, self.size.width // 2))
        lines: list[list[Piece]] = [
            [
                (f"{'#' + str(each.id):>8}  ", "$faint"),
                (cut(safe_text(each.key, 400), width).ljust(width + 2), each.style),
                (each.words, "$text-muted" if not each.style else each.style),
            ]
            for each in self._found
        ]
        self.query_one(LineView).show(lines)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.typed(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_open()

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    def action_move(self, way: str) -> None:
        self.query_one(LineView).move(way)

    def action_open(self) -> None:
        workspace, place = self._app_state.workspace, self.query_one(LineView).place
        if workspace is None or not 0 <= place < len(self._found):
            return
        row = workspace.flags.get(self._found[place].id)
        if row is None:
            tell(self.app, Notice(f"{self._found[place].key} is not in the list of this project.", "warning"))
        else:
            self.app.push_screen(FlagScreen(self._app_state, self._changing, row))

    def action_back(self) -> None:
        self.dismiss(None)


class IdsScreen(FoundScreen):
    """Ids from a log, a dashboard or a colleague: which flags are they?"""

    heading = "FLAGS BY ID"
    hint = "paste ids: 812, 813 … anything between them will do"

    def typed(self, line: str) -> None:
        ids = [*dict.fromkeys(int(text) for text in _digits(line) if 0 < int(text) < 2**31)]
        self._resolve(ids[:1_000])

    @work(exclusive=True, group="lookup")
    async def _resolve(self, ids: list[int]) -> None:
        workspace = self._app_state.workspace
        if workspace is None or not ids:
            self.show_found((), "")
            return
        known = {row.id: row.key for row in workspace.flags.rows}
        trouble = ""
        if missing := [id for id in ids if id not in known]:
            try:
                known |= await workspace.client.flags.bulk_keys(missing)
            except ApiError as error:
                trouble = f" · {error.what}"
        found = [
            FoundFlags(
                id,
                known.get(id, ""),
                "" if id in known else "not known here",
                "" if id in known else "$faint",
            )
            for id in ids
        ]
        self.show_found(found, f"{sum(id in known for id in ids)} of {len(ids)} found{trouble}")


class MyFlagsScreen(FoundScreen):
    """What every flag is for the holder of the key, as the server says it."""

    heading = "MY FLAGS"
    hint = "words narrow: a key, or on, off, a variant"
    _all: Sequence[FoundFlags] = ()
    _trouble = ""

    def on_mount(self) -> None:
        super().on_mount()
        self._load()

    @work(exclusive=True, group="lookup")
    async def _load(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        self.tell_lines("asking…")
        try:
            mine = await workspace.client.evaluation.my_flags()
        except ApiError as error:
            self._trouble = f"{error.what} {error.next}"
            mine = ()
        values = [
            (as_id(one.feature_flag.get("id")) or 0, as_text(one.feature_flag.get("key")), one.value)
            for one in mine
        ]
        self._all = [
            FoundFlags(id, key, value_words(value), "" if value in (False, None) else "$success")
            for id, key, value in values
        ]
        self.typed(self.query_one(Field).value)

    def typed(self, line: str) -> None:
        words = line.casefold().split()
        found = [
            one for one in self._all if all(word in f"{one.key} {one.words}".casefold() for word in words)
        ]
        on = sum(one.style != "" for one in found)
        self.show_found(found, self._trouble or f"{on} on, {len(found)} of {len(self._all)}")


def _digits(line: str) -> list[str]:
    """Runs of digits of a sensible length."""
    apart = "".join(each if each.isascii() and each.isdigit() else " " for each in line)
    return [text for text in apart.split() if len(text) < 12]

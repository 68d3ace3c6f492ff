"""The uses of a record in code, as of the last scan; enter opens a place in the editor."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Static

from flagtui.app.commands.cli_equivalents import place_options
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.records.code_scanning import open_place, search_of, start_scan
from flagtui.app.records.record_screen import CursorPane
from flagtui.app.state.app_state import AppState
from flagtui.app.state.code_search import CodeSearch
from flagtui.app.widgets.line import cut, cut_start, fit_cells, join_lines, styled
from flagtui.app.widgets.panes import LineView
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.local_time import DAY, ago
from flagtui.models.code_uses import CodeUse
from flagtui.safe_text import safe_text
from flagtui.store.code_scans import CodeScan
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

KIND: Final = 10
LANGUAGE: Final = 8
LANGUAGE_FROM: Final = 70
"""Cells from which the language has a column."""
RULES: Final = 24
RULES_WHERE_NARROW: Final = 16
OLD: Final = 7 * DAY
"""Seconds after which the age of a scan is a warning."""
FOOT: Final = 4
"""Lines about the place under the cursor."""
TALL: Final = 20
"""Lines of a screen from which the place has room for more than one."""


class CodePane(CursorPane):
    """The places with a cursor; below, details of the place under it."""

    BINDINGS = bindings_of("code")

    def __init__(self, app_state: AppState, runner: ChangeRunner, subject: str) -> None:
        super().__init__(id="tab-code", classes="pane")
        self._app_state = app_state
        self._runner = runner
        self._subject = subject
        self._key = ""
        self._places: Sequence[CodeUse] = ()
        self._is_asked = False

    def compose(self) -> ComposeResult:
        yield Static(id="code-head", markup=False)
        yield LineView(id="code-places")
        yield Static(id="code-foot", markup=False)

    @property
    def search(self) -> CodeSearch | None:
        return search_of(self._app_state)

    @property
    def place(self) -> CodeUse | None:
        """The place under the cursor."""
        return self._places[self.view.place] if 0 <= self.view.place < len(self._places) else None

    @property
    def is_short(self) -> bool:
        """Return whether every line counts."""
        return self.screen.size.height < TALL

    def show(self, key: str) -> None:
        """Draw the places of this key; the scan is loaded when they are first shown."""
        self._key = key
        if not self._is_asked and self.search is not None:
            self._is_asked = True
            self._load(self.search)
        self._draw()

    def leave_typing(self) -> bool:
        """Cancel a scan that runs; it is what esc ends first."""
        return self.search is not None and self.search.cancel()

    @work(exclusive=True, group="load-code", description="load")
    async def _load(self, search: CodeSearch) -> None:
        await search.load()
        self._draw()

    def _draw(self) -> None:
        search, width = self.search, max(20, self.size.width - 2)
        scan = None if search is None else search.scan
        had_places = bool(self._places)
        self._places = () if scan is None else scan.places_of(self._key, self._subject)
        self.query_one("#code-head", Static).update(join_lines(self._head(scan), width))
        self.view.show([place_line(place, width) for place in self._places])
        self.view.display = bool(self._places)
        self._explain()
        if had_places != bool(self._places):
            self.screen.refresh_bindings()

    def _head(self, scan: CodeScan | None) -> Iterator[list[Piece]]:
        search = self.search
        if search is None or not search.is_loaded:
            yield [("reading the last scan…" if search else "no code belongs to this profile", "$text-muted")]
            return
        if search.is_running:
            yield [
                ("◌ ", "$primary"),
                (progress_words(search), ""),
                (f"   {key_sign('app.back')} cancels", "$faint"),
            ]
        elif search.trouble:
            yield [("✗ ", "$error"), (safe_text(f"not scanned: {search.trouble}", 300), "$warning")]
        if scan is None:
            session, workspace = self._app_state.session, self._app_state.workspace
            project = workspace.client.project if workspace is not None else None
            program = f"flagtui {session.embedded_in}".strip()
            yield from first_steps(search, program, place_options(session.named_profile, project))
        else:
            yield [*scan_words(scan, self._places, self._app_state.session.now(), is_short=self.is_short)]
            yield from advice(self._places, search)

    @on(LineView.Moved)
    def _on_moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._explain()

    def _explain(self) -> None:
        foot = self.query_one("#code-foot", Static)
        foot.display = self.place is not None
        if self.place is not None and self.is_short:
            rule, (words, look) = next(report_lines(self.place))
            foot.update(styled(rule, (cut(words, max(20, self.size.width - 2 - len(rule[0]))), look)))
        elif self.place is not None:
            lines = [[(safe_text(self.place.place, 500), "bold")], *report_lines(self.place)]
            foot.update(join_lines(lines[:FOOT], max(20, self.size.width - 2)))

    @on(LineView.Chosen)
    def action_open_place(self) -> None:
        """Open the place in the user's editor, which has the terminal meanwhile."""
        search = self.search
        if self.place is not None and search is not None and search.scan is not None:
            open_place(self._runner, search.scan, self.place)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action applies; without a place there is nothing to open."""
        return self.place is not None if action == "open_place" else super().check_action(action, parameters)

    def action_scan_code(self) -> None:
        """Scan the folder in the background."""
        start_scan(self._app_state, self._runner)


def progress_words(search: CodeSearch) -> str:
    """Return `scanning 2,048 of 14,800 files`."""
    files, total = search.progress or (0, 0)
    return f"scanning {files:,} of {count(total, 'file')}" if total else "reading the flags and the file list"


def first_steps(search: CodeSearch, program: str, options: Sequence[str]) -> Iterator[list[Piece]]:
    """Explain how to make the first scan; `program` and `options` are those of this run."""
    folder = safe_text(short_path(search.source.folder), 200)
    if not search.is_running:
        yield [("No scan of ", ""), (folder, "bold"), (" yet.", "")]
        yield []
    if search.obstacle:
        yield [("Not possible from here: ", "$warning"), (safe_text(search.obstacle, 300), "")]
    elif not search.is_running:
        yield [
            (f" {key_sign('code.scan')} ", "bold $primary"),
            ("scans it now, in the background; nothing leaves this machine", ""),
        ]
    yield [
        (" $ ", "bold $primary"),
        (" ".join((program, "refs --in", _as_word(folder), *options)), ""),
        ("  scans it in a shell", "$faint"),
    ]
    yield [("The folder is where flagtui was started, or [code] folder of the profile.", "$faint")]


def _as_word(folder: str) -> str:
    """Return the folder as one word of a shell, which replaces a `~` outside quotes."""
    home = "~/" if folder.startswith("~/") else ""
    return home + shlex.quote(folder.removeprefix(home)) if folder != "~" else folder


def scan_words(scan: CodeScan, places: Sequence[CodeUse], now: float, *, is_short: bool) -> Iterator[Piece]:
    """Yield `3 uses and 2 mentions in ~/shop   scanned 2 h ago`; in few cells only the folder's name."""
    folder = Path(scan.folder).name if is_short else short_path(Path(scan.folder))
    uses = sum(place.is_use for place in places)
    others = len(places) - uses
    may_be_used = uses or any(place.kind == "string" for place in places)
    yield (count(uses, "use") if uses else "No use", "bold" if may_be_used else "bold $success")
    yield (f" and {count(others, 'mention')}" if others else "", "")
    yield (f" in {safe_text(folder, 100)}", "")
    is_old = now - scan.taken_at > OLD
    yield (f"   scanned {ago(scan.taken_at, now)}", "$warning" if is_old else "$text-muted")


def advice(places: Sequence[CodeUse], search: CodeSearch) -> Iterator[list[Piece]]:
    """Explain the code without the flag, and the meaning of an empty list."""
    becomes = next((place.becomes for place in places if place.becomes), "")
    if becomes:
        yield [("without the flag: ", "$text-muted"), (safe_text(becomes, 200), "$success")]
    elif not places:
        yield []
        yield [("No file names it. A key that code computes is not recognised.", "$text-muted")]
        if not search.obstacle and not search.is_running:
            yield [(f" {key_sign('code.scan')} ", "bold $primary"), ("scans again", "")]


def place_line(place: CodeUse, width: int) -> list[Piece]:
    """Draw `src/app.ts:12:5   call   ts   rolled-out`."""
    rules = ", ".join(finding.rule for finding in place.findings)
    has_language = width >= LANGUAGE_FROM
    rules_room = RULES if has_language else RULES_WHERE_NARROW
    room = max(18, width - KIND - LANGUAGE * has_language - rules_room)
    look = "" if place.is_use else "$text-muted"
    return [
        (fit_cells(cut_start(safe_text(place.place, 500), room - 2), room), look),
        (place.kind.ljust(KIND), "$primary" if place.is_use else "$faint"),
        (place.language.ljust(LANGUAGE) if has_language else "", "$text-muted"),
        (cut(rules, rules_room), "$warning"),
    ]


def report_lines(place: CodeUse) -> Iterator[list[Piece]]:
    """Yield what each rule reports about the place: its id, then the words."""
    for finding in place.findings:
        yield [(f"{finding.rule}  ", "$warning"), (safe_text(finding.message, 300), "")]
    if not place.findings:
        words = "no findings" if place.is_use else f"{place.kind}: the code does not need the key here"
        if place.kind == "string":
            words = "string: the key in quotes, not in a call that the scan recognises; it may be a use"
        yield [("", ""), (words, "$text-muted")]


def short_path(path: Path) -> str:
    """Return the path with `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}".removesuffix("/.") if path.is_relative_to(home) else str(path)

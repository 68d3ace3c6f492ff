"""The history of a flag; below, the difference of an entry or between two versions."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.tabs.tab_pane import Study
from flagtui.app.records.record_screen import CursorPane
from flagtui.app.shell.toasts import show_toast
from flagtui.app.widgets.line import cut, fill, join_lines
from flagtui.app.widgets.panes import LineView
from flagtui.local_time import age, unix
from flagtui.models.activity import SYSTEM, Activity, version_made
from flagtui.models.flag_responses import FlagVersion
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text
from flagtui.text.activity_words import STAFF, activity_words, actor_name
from flagtui.text.differences import diff_lines
from flagtui.text.formats import moment
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, Piece

ReadLog = Callable[[int], Awaitable[Sequence[Activity]]]
ReadVersion = Callable[[int, int], Awaitable[FlagVersion]]
Return = Callable[[int, int], None]


class HistoryPane(CursorPane):
    """The log with a cursor; x marks one side of a comparison."""

    BINDINGS = bindings_of("history")

    def __init__(
        self,
        name: str,
        read: ReadLog,
        version: ReadVersion,
        go_back: Return,
        may_return: Callable[[], bool | None] = lambda: True,
    ) -> None:
        super().__init__(id=f"tab-{name}", classes="pane")
        self._read = read
        self._version = version
        self._go_back = go_back
        self._may_return = may_return
        self._study: Study | None = None
        self._entries: Sequence[Activity] = ()
        self._read_for: object = None
        """The flag's version and the read of the page that the log was read for."""
        self._marked: int | None = None
        """The version the cursor's is compared with."""
        self._trouble = ""

    def compose(self) -> ComposeResult:
        yield LineView(id="log")
        with VerticalScroll(id="log-diff"):
            yield Static(markup=False)

    @property
    def entry(self) -> Activity | None:
        """The entry under the cursor."""
        return self._entries[self.view.place] if 0 <= self.view.place < len(self._entries) else None

    def show(self, study: Study) -> None:
        """Draw the tab; read the log when it is first shown, with the page, and when the flag has changed."""
        details = study.details
        # Without versions, the newest entries show whether there are others.
        state = details.changes if details.row.version is None else details.row.version
        self._study, read = study, (state, study.reads)
        if self._read_for != read:
            self._read_for = read
            self._load(study.details.row.id)
        self._draw()

    @work(exclusive=True, group="log", description="load")
    async def _load(self, record: int) -> None:
        """Read the log; the cursor stays with its entry."""
        place: int | None = None
        try:
            entries, here = await self._read(record), self.entry
            place = entries.index(here) if here in entries else None
            self._entries = entries
            self._trouble = "" if self._entries else "No history is recorded for this flag."
        except ApiError as error:
            self._trouble = f"{error.what} {error.next}"
        self._draw(place)

    def _draw(self, place: int | None = None) -> None:
        if self._study is None or not self.is_attached:
            return
        study, width = self._study, max(20, self.size.width - 4)
        self.view.show([log_line(entry, study, width, self._marked) for entry in self._entries], place)
        self._explain()

    @on(LineView.Moved)
    def _on_moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._explain()

    def _explain(self) -> None:
        entry = self.entry
        if entry is None:
            self._show([[(safe_text(self._trouble or "reading the log…", 300), "$text-muted")]])
            return
        here = version_made(entry)
        if self._marked is not None and here is not None and here != self._marked:
            self._compare(min(here, self._marked), max(here, self._marked))
        elif self._study is not None:
            self._show([*entry_lines(entry, self._study)])

    @work(exclusive=True, group="compare", description="compare")
    async def _compare(self, older: int, newer: int) -> None:
        study = self._study
        if study is None:
            return
        record = study.details.row.id
        self._show([[(f"reading v{older} and v{newer}…", "$text-muted")]])
        try:
            before, after = await self._version(record, older), await self._version(record, newer)
        except ApiError as error:
            self._show([[(safe_text(error.what, 300), "$warning")]])
            return
        way = f"   {key_sign('history.compare')} removes the mark"
        head: list[Piece] = [(f"v{older} → v{newer}", "bold"), (way, "$faint")]
        lines = diff_lines(
            before.raw,
            after.raw,
            is_secret=_is_secret(study),
            nothing="the two are the same",
            names=study.names,
        )
        self._show([head, [], *lines])

    def _show(self, lines: Sequence[list[Piece]]) -> None:
        text = join_lines(lines)
        self.query_one(Static).update(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._may_return() if action == "return" else super().check_action(action, parameters)

    def action_mark_version(self) -> None:
        """Compare from here, or no longer."""
        self._marked = None if self._marked is not None else self._require_version()
        self._draw()

    def action_return(self) -> None:
        """Bring back the version under the cursor, after the usual question."""
        if self._study is not None and (version := self._require_version()) is not None:
            self._go_back(self._study.details.row.id, version)

    def _require_version(self) -> int | None:
        """Return the version under the cursor; show a toast where there is none."""
        version = version_made(self.entry) if self.entry else None
        if version is None:
            show_toast(self.app, Notice("there is no version under the cursor"))
        return version


def log_line(entry: Activity, study: Study, width: int, marked: int | None = None) -> list[Piece]:
    """Return `▌  2m v12   sam         rollout 25 % → 50 %`."""
    version = version_made(entry)
    is_marked = version is not None and version == marked
    words = cut(activity_words(entry, 200, study.names), max(12, width - 28))
    return [
        ("▌" if is_marked else " ", "$primary"),
        (f"{age(unix(entry.created_at), study.now):>5} ", "$text-muted"),
        ((f"v{version}" if version else "").ljust(6), "$primary" if is_marked else "$faint"),
        (f"{fill(actor_name(entry), 11)} ", "$primary"),
        (words, ""),
    ]


def entry_lines(entry: Activity, study: Study) -> Iterator[list[Piece]]:
    """Yield one entry in full: time, user, way and changes."""
    version = version_made(entry)
    who = "the system"
    if entry.user is not None and entry.actor != SYSTEM:
        who = f"{STAFF if entry.was_impersonated else ''}{entry.user.email or entry.user.label}"
    what = f"   v{version - 1} → v{version}" if version and version > 1 else ""
    how = f"   by a {safe_text(entry.trigger.replace('_', ' '), 40)}" if entry.trigger else ""
    when = moment(unix(entry.created_at))
    yield [(when, "bold"), (f"  {safe_text(who, 60)}", "$primary"), (what + how, "$text-muted")]
    yield []
    yield from diff_lines(*_sides(entry), is_secret=_is_secret(study), names=study.names)


def _is_secret(study: Study) -> bool:
    flag = study.details.flag
    return flag is None or (flag.has_encrypted_payloads and not study.is_unmasked)


def _sides(entry: Activity) -> tuple[Mapping[str, JSON], Mapping[str, JSON]]:
    before = {change.field: change.before for change in entry.changes if change.action != "created"}
    after = {change.field: change.after for change in entry.changes if change.action != "deleted"}
    return before, after

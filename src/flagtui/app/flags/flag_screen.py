"""The page of a flag: tabs, their content, and a column beside them."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_columns import badges, mark_and_version
from flagtui.app.flags.flag_keys import FlagKeys
from flagtui.app.flags.related_changes import RelatedChanges
from flagtui.app.flags.tabs.conditions_tab import condition_pages, reach_lines
from flagtui.app.flags.tabs.history_tab import HistoryPane
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines, side_lines
from flagtui.app.flags.tabs.tab_pane import FlagJsonPane, Study, TextPane
from flagtui.app.flags.tabs.variants_tab import copied_value, variant_pages
from flagtui.app.flags.tabs.who_tab import WhoPane
from flagtui.app.records.code_pane import CodePane
from flagtui.app.records.record_screen import WIDE, RecordScreen, RecordTabs
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staged_records import staged_now
from flagtui.app.widgets.line import cells_of, cut, join_lines
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.flags.flag_intent import older_version
from flagtui.changes.related.creation import What
from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.details.set_evaluations import evaluate_with_set
from flagtui.details.subject_evaluations import evaluate_for
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.flag_details import FlagDetails
from flagtui.models.flag_responses import FlagVersion
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice, Piece, with_link

TITLES: Final = {
    "overview": ("Overview", "Over"),
    "conditions": ("Conditions", "Cond"),
    "variants": ("Variants", "Var"),
    "reach": ("Reach", "Reach"),
    "who": ("Who", "Who"),
    "history": ("History", "Hist"),
    "links": ("Links", "Links"),
    "code": ("Code", "Code"),
    "json": ("JSON", "JSON"),
}
"""Each tab's title, and a short one for narrow screens."""


def head_lines(study: Study, width: int) -> Iterator[list[Piece]]:
    """Yield `● key #812 v12  ON EXPERIMENT all runtimes`, and the description below."""
    row = study.details.row
    mark, version = mark_and_version(row)
    tail = f"  #{row.id}{version}   "
    shown = [*badges(row), *_staged_badge(study)]
    room = width - 2 - len(tail) - cells_of(shown)
    if room < 12:
        yield [
            mark,
            (cut(safe_text(row.key, 200), max(8, width - 2 - len(tail))), "bold"),
            (tail, "$text-muted"),
        ]
        yield shown
    else:
        yield [mark, (cut(safe_text(row.key, 200), room), "bold"), (tail, "$text-muted"), *shown]
    about = safe_lines(row.name, 400, 1) if row.name else ["no description"]
    yield [(cut(about[0], width), "$text-muted" if row.name else "$faint")]


def _staged_badge(study: Study) -> Iterator[Piece]:
    if (staged := study.details.staged) is not None:
        words = " CHANGED SINCE " if staged.is_outdated else " STAGED "
        yield from (
            (" ", ""),
            (words, f"bold $badge-text on {'$warning' if staged.is_outdated else '$primary'}"),
        )


SIDE: Final = 46
CLOSABLE: Final[tuple[What, ...]] = ("cohort", "dashboard")
"""Keys for what a server may refuse to API keys."""
LOG: Final = 500
"""Entries of one flag's log that are read."""
SHORT: Final = 20
"""Lines from which the description has room above the tabs."""


class FlagScreen(FlagKeys, RecordScreen[FlagRow]):
    """Shows its flag in tabs, with a column beside them that stays."""

    BINDINGS = bindings_of("flag", "everywhere")
    kind = "flags"
    place = "flag"
    tabs = TITLES

    def __init__(
        self, app_state: AppState, runner: ChangeRunner, row: FlagRow, tab: str = "overview"
    ) -> None:
        super().__init__(app_state, runner, row, tab)
        self._beside = RelatedChanges(app_state, runner)
        self._seen = staged_now(app_state), self._expirations
        """The staged changes and the number of expirations, with which the details were read."""
        details = app_state.inspector.cached_details(row) if app_state.inspector else FlagDetails(row)
        self._study = Study(details, app_state.session.now())

    def body(self) -> ComposeResult:
        with Horizontal(id="flag"):
            with Vertical(id="flag-main"):
                yield Static(id="flag-head", markup=False)
                yield RecordTabs()
                yield TextPane("overview", overview_lines)
                yield TextPane("conditions", condition_pages)
                yield TextPane("variants", variant_pages)
                yield TextPane("reach", reach_lines)
                yield WhoPane("who", self._account)
                may_return = partial(self.may_change, "return")
                yield HistoryPane("history", self._read_log, self._read_version, self._go_back, may_return)
                yield TextPane("links", link_pages)
                yield CodePane(self._app_state, self._runner, "flag")
                yield FlagJsonPane("json")
            yield Static(id="flag-side", markup=False)

    @property
    def _expirations(self) -> int:
        return self._app_state.inspector.expirations if self._app_state.inspector is not None else 0

    @property
    def tab_width(self) -> int:
        return self.size.width - 4 - (SIDE if self.size.width >= WIDE else 0)

    def update_from_state(self) -> None:
        super().update_from_state()
        seen = staged_now(self._app_state), self._expirations
        if seen != self._seen:
            self._seen = seen
            self.look()

    def take_row(self, before: FlagRow) -> None:
        if self._app_state.inspector is not None:
            cached = self._app_state.inspector.cached_details(self._row)
            # Until the flag has been read again the older picture is better than none.
            details = cached if cached.flag is not None else replace(self._study.details, row=self._row)
            self._study = replace(self._study, details=details)
        read = self._study.details.flag
        if not self._row.has_version_of(before):
            if read is None or not read.row().has_version_of(self._row):
                self.look()
            if self._study.asked_value is not None:
                self._study = replace(self._study, asked_value=None)
                self._ask_value(self._row.id)

    @work(exclusive=True, group="inspect")
    async def look(self) -> None:
        if self._app_state.inspector is not None:
            async for details in self._app_state.inspector.load_all(self._row):
                self._study = replace(self._study, details=details)
                self.draw_later()

    def draw_body(self) -> None:
        app_state, now = self._app_state, self._app_state.session.now()
        is_wide = self.size.width >= WIDE
        self._study = replace(
            self._study,
            now=now,
            reads=app_state.reads,
            is_wide=is_wide,
            details=self._with_mirror(self._study.details),
            names=app_state.names_about(self._study.details.flag),
            closed=self._beside.closed,
        )
        head = [*with_link(head_lines(self._study, self.tab_width), self.page_link)]
        # The description gives way where every line counts; the overview is one tab away.
        head = head if self.size.height >= SHORT else head[:-1]
        self.query_one("#flag-head", Static).update(join_lines(head, self.tab_width)[:-1])
        if is_wide:
            side = join_lines(side_lines(self._study, SIDE - 4, self._tab), SIDE - 4)
            self.query_one("#flag-side", Static).update(side)
        self.pane.show(self._row.key if self._tab == "code" else self._study)

    def _with_mirror(self, details: FlagDetails) -> FlagDetails:
        mirror = self._app_state.session.mirror
        return details if mirror is None else replace(details, mirror=mirror.state)

    def may_change(self, action: str) -> bool | None:
        """Return None, which dims the key, for actions that the server refused to keys before."""
        is_closed = any(what == action and self._beside.why_not(what) for what in CLOSABLE)
        return None if is_closed else super().may_change(action)

    def action_unmask(self) -> None:
        flag = self._study.details.flag
        if flag is not None and not (flag.has_encrypted_payloads or flag.is_remote_configuration):
            show_toast(self.app, Notice(f"{flag.key} has no encrypted payload"))
        elif flag is not None:
            self._study = replace(self._study, is_unmasked=not self._study.is_unmasked)
            self.draw()
            if flag.is_remote_configuration and self._study.is_unmasked:
                self._ask_value(flag.id)

    @work(exclusive=True, group="value", description="ask value")
    async def _ask_value(self, id: int) -> None:
        if self._app_state.workspace is None:
            return
        try:
            value = await self._app_state.workspace.client.evaluation.remote_config(id)
        except ApiError as error:
            show_toast(self.app, explain_error(error, "the value cannot be read"))
            return
        self._study = replace(self._study, asked_value=value)
        self.draw()

    # Keys

    def action_cohort(self) -> None:
        self._beside.make("cohort", self._row)

    def action_dashboard(self) -> None:
        self._beside.make_dashboard(self._row, self._study.details.flag)

    def action_copy_value(self) -> None:
        """Copy the value that the flag serves; secrets only while they are shown."""
        show_toast(self.app, copied_value(self.app, self._study))

    # What the tabs ask for: only because a person looked, nothing ahead

    async def _account(self, subject: EvaluationSubject, flag: Flag) -> PersonEvaluation | None:
        """Evaluate this flag and all others for one person."""
        workspace, inspector = self._app_state.workspace, self._app_state.inspector
        if workspace is None or inspector is None:
            return None
        client, local, staged = workspace.client, inspector.definitions, staged_now(self._app_state)
        if staged is None:
            return await evaluate_for(subject, flag, client, local)
        return await evaluate_with_set(subject, flag, staged.changes, client, local)

    async def _read_log(self, record: int) -> Sequence[Activity]:
        """Return a flag's log, newest first. Raises ApiError."""
        workspace, inspector = self._app_state.workspace, self._app_state.inspector
        if workspace is None:
            return ()
        entries = [entry async for entry in workspace.client.flags.entries(record, at_most=LOG)]
        if inspector is not None and await inspector.cohorts.learn_those_in(entries):
            self._app_state.notify_watchers()
        return entries

    async def _read_version(self, record: int, number: int) -> FlagVersion:
        """Read a version of the flag. Raises ApiError."""
        workspace = self._app_state.workspace
        return await workspace.client.flags.version(record, number) if workspace else FlagVersion()

    def _go_back(self, record: int, version: int) -> None:
        """Bring an older version back through the pipeline of changes."""
        self.app.run_worker(go_back(record, version, self._app_state, self._runner), group="reverting")


async def go_back(record: int, version: int, app_state: AppState, runner: ChangeRunner) -> None:
    """Begin the change back to that version."""
    if app_state.workspace is None:
        return
    client = app_state.workspace.client
    try:
        flag = await client.flags.get(record)
        if flag.version == version:
            runner.show_toast(Notice(f"nothing to restore: it is at version {version} already"))
            return
        stored = await client.flags.version(record, version)
    except ApiError as error:
        runner.show_toast(explain_error(error, f"version {version} cannot be restored"))
    else:
        runner.start([older_version(flag, version, stored.raw)])

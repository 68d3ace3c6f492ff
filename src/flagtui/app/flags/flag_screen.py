"""One flag in full: a line of tabs, what each of them shows, and a column that stays."""

from dataclasses import replace
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.flags.flag_artifacts import FlagArtifacts
from flagtui.app.flags.flag_keys import FlagKeys
from flagtui.app.flags.flag_reader import FlagReader
from flagtui.app.flags.tabs.conditions_tab import condition_pages
from flagtui.app.flags.tabs.copy_value import copied_value
from flagtui.app.flags.tabs.head import TITLES, head_lines
from flagtui.app.flags.tabs.history_tab import HistoryPane
from flagtui.app.flags.tabs.json_tab import FlagJsonPane
from flagtui.app.flags.tabs.links_tab import link_pages
from flagtui.app.flags.tabs.overview_tab import overview_lines
from flagtui.app.flags.tabs.reach_tab import reach_lines
from flagtui.app.flags.tabs.side_column import side_lines
from flagtui.app.flags.tabs.tab_pane import Study, TextPane
from flagtui.app.flags.tabs.variants_tab import variant_pages
from flagtui.app.flags.tabs.who_tab import WhoPane
from flagtui.app.records.record_screen import WIDE, RecordScreen
from flagtui.app.records.record_tabs import RecordTabs
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import writes_in
from flagtui.app.widgets.line import joined
from flagtui.app.writing.changes import Changes
from flagtui.details.flag_details import FlagDetails
from flagtui.models.rows import FlagRow
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import with_link

SIDE: Final = 46
SHORT: Final = 20
"""Lines from which the description has room above the tabs."""
Pane = TextPane | WhoPane | HistoryPane | FlagJsonPane


class FlagScreen(FlagKeys, RecordScreen[FlagRow]):
    """Shows its flag in tabs, with a column beside them that stays."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("flag", "everywhere")]
    kind = "flags"
    place = "flag"
    tabs = TITLES

    def __init__(self, app_state: AppState, changing: Changes, row: FlagRow, tab: str = "overview") -> None:
        super().__init__(app_state, changing, row, tab)
        self._beside = FlagArtifacts(app_state, changing)
        details = app_state.inspector.known(row) if app_state.inspector else FlagDetails(row)
        self._study = Study(details, app_state.now())

    def body(self) -> ComposeResult:
        reading = FlagReader(self.app, self._app_state, self._changing)
        with Horizontal(id="flag"):
            with Vertical(id="flag-main"):
                yield Static(id="flag-head", markup=False)
                yield RecordTabs()
                yield TextPane("overview", overview_lines)
                yield TextPane("conditions", condition_pages)
                yield TextPane("variants", variant_pages)
                yield TextPane("reach", reach_lines)
                yield WhoPane("who", reading.account)
                yield HistoryPane("history", reading.log, reading.version, reading.go_back)
                yield TextPane("links", link_pages)
                yield FlagJsonPane("json")
            yield Static(id="flag-side", markup=False)

    @property
    def pane(self) -> Pane:
        """The tab that is open."""
        found = self.query_one(f"#tab-{self._tab}")
        assert isinstance(found, Pane)
        return found

    @property
    def tab_width(self) -> int:
        return self.size.width - 4 - (SIDE if self.size.width >= WIDE else 0)

    def take_row(self, before: FlagRow) -> None:
        if self._app_state.inspector is not None:
            known = self._app_state.inspector.known(self._row)
            # Until the flag has been read again the older picture is better than none.
            details = known if known.flag is not None else replace(self._study.details, row=self._row)
            self._study = replace(self._study, details=details)
        if self._row.version != before.version:
            self.look()

    @work(exclusive=True, group="inspect")
    async def look(self) -> None:
        if self._app_state.inspector is not None:
            async for details in self._app_state.inspector.look_closer(self._row):
                self._study = replace(self._study, details=details)
                self.draw()

    def draw_body(self) -> None:
        app_state, now = self._app_state, self._app_state.now()
        is_wide = self.size.width >= WIDE
        self._study = replace(
            self._study,
            now=now,
            is_wide=is_wide,
            names=app_state.names_about(self._study.details.flag),
            closed=self._beside.closed,
        )
        head = [*with_link(head_lines(self._study, self.tab_width), self.page_link)]
        # The description gives way where every line counts; the overview is one tab away.
        head = head if self.size.height >= SHORT else head[:-1]
        self.query_one("#flag-head", Static).update(joined(head, self.tab_width))
        if is_wide:
            side = joined(side_lines(self._study, SIDE - 4), SIDE - 4)
            self.query_one("#flag-side", Static).update(side)
        self.pane.show(self._study)

    def may_change(self, action: str) -> bool | None:
        """What the server refused to keys before is dimmed."""
        return None if self._is_closed(action) else super().may_change(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in writes_in("history"):
            return self.may_change(action)
        return super().check_action(action, parameters)

    def action_unmask(self) -> None:
        flag = self._study.details.flag
        if flag is not None:
            self._study = replace(self._study, is_unmasked=not self._study.is_unmasked)
            self.draw()
            if flag.is_remote_configuration and self._study.is_unmasked:
                self._ask_value(flag.id)

    @work(exclusive=True, group="inspect")
    async def _ask_value(self, id: int) -> None:
        if self._app_state.workspace is None:
            return
        try:
            value = await self._app_state.workspace.client.evaluation.remote_config(id)
        except ApiError as error:
            tell(self.app, explain_error(error, "the value cannot be read"))
            return
        self._study = replace(self._study, asked_value=value)
        self.draw()

    # Keys

    def chosen(self) -> list[FlagRow]:
        return [self._row]

    def _is_closed(self, action: str) -> bool:
        """Whether the server refused this to keys before."""
        if action == "cohort":
            return bool(self._beside.why_not("cohort"))
        return action == "dashboard" and bool(self._beside.why_not("dashboard"))

    def action_cohort(self) -> None:
        self._beside.make("cohort", self._row)

    def action_dashboard(self) -> None:
        self._beside.make_dashboard(self._row, self._study.details.flag)

    def action_copy_value(self) -> None:
        """What the flag hands out: secrets only while they are shown."""
        tell(self.app, copied_value(self.app, self._study))

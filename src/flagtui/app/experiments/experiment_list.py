"""The experiments of a project: what runs, for how long, and what leads."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from textual import on, work
from textual.binding import BindingType
from textual.timer import Timer

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.experiments.detail.experiment_inspector import FRESH_FOR, ExperimentInspector
from flagtui.app.experiments.detail.experiment_keys import ExperimentKeys
from flagtui.app.experiments.detail.experiment_preview import ExperimentPane
from flagtui.app.experiments.detail.judgement import leading_of
from flagtui.app.experiments.detail.metric_findings import Findings
from flagtui.app.experiments.experiment_columns import Leading, experiment_columns
from flagtui.app.experiments.experiment_edits import ExperimentEdits
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.experiments.experiment_steps import ExperimentSteps
from flagtui.app.lists.loaded_list import RecordsScreen
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import may_write
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.changes import Changes
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.store.collection import Collection
from flagtui.store.finder import EXPERIMENT_LISTING, Finder
from flagtui.store.load import Loading
from flagtui.store.load_progress import RecordId
from flagtui.store.query import EXPERIMENTS
from flagtui.store.sort_orders import Sort
from flagtui.store.workspace import Workspace
from flagtui.text.formats import age
from flagtui.text.notices import Notice

STAY: Final = 0.3
"""Seconds the cursor rests before results of the visible rows are requested."""


class ExperimentsScreen(ExperimentKeys, RecordsScreen[ExperimentRow]):
    """Draws the collection of experiments; results of visible running ones are read once the cursor rests."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("experiments", "lists", "everywhere")]
    kind = "experiments"
    place = "experiments"
    tab = "2"
    hint = "search   is:running  flag:checkout  result:won  by:me  started:<7d"
    orders = ("state", "started", "name", "updated", "ended", "created")
    shown_orders: ClassVar[dict[str, str]] = {"ended": "started", "created": "updated", "state": "name"}

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        finder: Finder[ExperimentRow] = Finder(
            listing=EXPERIMENT_LISTING, sort=Sort("state"), clock=app_state.session.clock
        )
        super().__init__(app_state, changing, finder, EXPERIMENTS)
        self._inspector: ExperimentInspector | None = None
        self._staying: Timer | None = None
        self._is_glancing = False
        self.experimenting = ExperimentSteps(app_state, changing)
        self.writing = ExperimentEdits(app_state, changing, self.experimenting)

    def collection(self, workspace: Workspace) -> Collection[ExperimentRow]:
        return workspace.experiments

    def arriving(self, workspace: Workspace) -> Loading[ExperimentRow]:
        return workspace.experiments_loading

    def known_values(self, rows: Sequence[ExperimentRow]) -> dict[str, list[str]]:
        return {
            "flag": sorted({row.key for row in rows if row.key}),
            "by": ["me", *sorted({row.creator for row in rows if row.creator})],
        }

    def make_rows(self) -> RowList[ExperimentRow]:
        return RowList(experiment_columns(self.leading), clock=self._app_state.now)

    def make_preview(self) -> ExperimentPane:
        return ExperimentPane()

    @property
    def inspector(self) -> ExperimentInspector | None:
        """Asks about single experiments of the project that is open."""
        workspace = self._app_state.workspace
        if workspace is None:
            self._inspector = None
        elif self._inspector is None or self._inspector.client is not workspace.client:
            app_state = self._app_state
            self._inspector = ExperimentInspector(
                workspace.client, app_state.session.clock, lambda: may_write(app_state, "experiments") is True
            )
        return self._inspector

    def leading(self, row: ExperimentRow) -> Leading | None:
        """What its first metric said when it was last looked at."""
        found = self._inspector.glimpsed(row) if self._inspector is not None else None
        said = leading_of(found) if found is not None else None
        if found is None or said is None or found.at is None:
            return said
        is_old = self._app_state.now() - found.at > FRESH_FOR
        return replace(said, age=age(found.at, self._app_state.now())) if is_old else said

    # Following the cursor

    def draw_preview(self, row: ExperimentRow | None) -> None:
        pane, inspector = self.query_one(ExperimentPane), self.inspector
        known = inspector.known(row) if row is not None and inspector is not None else None
        if known is None or pane.display:
            pane.show(known, self._app_state.now())

    def look_closer(self, row: ExperimentRow) -> None:
        if self.inspector is not None and self.query_one(ExperimentPane).display:
            self._look(self.inspector, row)

    @work(exclusive=True, group="inspect")
    async def _look(self, inspector: ExperimentInspector, row: ExperimentRow) -> None:
        found: Findings
        async for found in inspector.look(row):
            if self.record is not None and self.record.id == row.id:
                self.query_one(ExperimentPane).show(found, self._app_state.now())
        if (refused := inspector.take_refusal()) is not None:
            # Nobody asked for it: the header says that another key is needed.
            self._app_state.become_troubled(refused)
        self.rows.redraw_ages()

    @on(RowList.Highlighted)
    def _glance_soon(self) -> None:
        """Reads results of the visible rows, one after the other, once the cursor has rested."""
        if self._staying is not None:
            self._staying.stop()
        # Who wants nothing refreshed by itself asks with a key.
        if self._app_state.session.refresh > 0:
            self._staying = self.set_timer(STAY, self._begin_glances)

    def on_screen_resume(self) -> None:
        self._glance_soon()

    def _begin_glances(self) -> None:
        if self.is_current and not self._is_glancing:
            self._glance()

    @work(group="glance")
    async def _glance(self) -> None:
        self._is_glancing = True
        try:
            while (inspector := self.inspector) is not None and self.is_current:
                row = next(filter(inspector.is_worth_a_glance, self.rows.in_sight), None)
                if row is None or "result" not in self.rows.shown_columns:
                    return
                await inspector.glance(row)
                self.rows.redraw_ages()
        except ApiError:
            # The list works without results; they are tried again when the cursor rests the next time.
            return
        finally:
            self._is_glancing = False

    # Keys

    def action_read_results(self) -> None:
        """Results of what is in sight, now and whatever was known of them."""
        if self.inspector is not None:
            self.inspector.forget_glances()
            self._begin_glances()

    def action_open(self) -> None:
        if self.record is not None and self.inspector is not None:
            screen = ExperimentScreen(self._app_state, self, self.inspector, self.record)
            self.app.push_screen(screen)

    def subject(self) -> ExperimentRow | None:
        return self.record

    def chosen(self) -> list[ExperimentRow]:
        return RecordsScreen.chosen(self)

    def saved(self, records: Iterable[RecordId]) -> None:
        self.rows.unmark(records)

    def known(self, row: ExperimentRow) -> Findings:
        return self._inspector.known(row) if self._inspector is not None else Findings(row)

    def state_here(self) -> AppState:
        return self._app_state

    def action_archived(self) -> None:
        """The server lists archived experiments apart; once they are here, `is:archived` asks for them."""
        line = self.search.value
        is_asked = "is:archived" in line.split()
        words = [word for word in line.split() if word != "is:archived"]
        self.search.set_line(" ".join(words if is_asked else [*words, "is:archived"]))
        if not is_asked:
            self._load_archived()

    @work(exclusive=True, group="archived")
    async def _load_archived(self) -> None:
        if self._app_state.workspace is not None:
            await self._app_state.workspace.load_archived("experiments")

    def action_copy_key(self) -> None:
        if self.record is not None:
            key = safe_text(self.record.key, 400)
            self.app.copy_to_clipboard(key)
            tell(self.app, Notice(f"sent to the terminal's clipboard: {key}"))

"""The experiments of a project: what runs, for how long, and what leads."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace
from textual import on, work
from textual.timer import Timer
from textual.worker import Worker

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.experiments.detail.exposures import variant_lines
from flagtui.app.experiments.detail.metric_table import COLOURS
from flagtui.app.experiments.detail.sections import (
    conclusion_lines,
    hint_lines,
    lifecycle_lines,
    results_line,
    sizing_of,
)
from flagtui.app.experiments.experiment_columns import (
    EXPERIMENT_LIST,
    MORE_EXPERIMENT_COLUMNS,
    experiment_columns,
)
from flagtui.app.experiments.experiment_keys import ExperimentKeys
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.lists.loaded_list import InspectedList
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import may_write
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.line import fill
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.details.experiment_inspector import FRESH_FOR, ExperimentInspector
from flagtui.details.metric_findings import Findings
from flagtui.local_time import age, ago
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.formats import count
from flagtui.text.judgement import Leading, leading_of, verdicts
from flagtui.text.styled import Notice, Piece

STAY: Final = 0.3
"""Seconds the cursor rests before results of the visible rows are requested."""


class ExperimentsScreen(ExperimentKeys, InspectedList[ExperimentRow]):
    """Draws the collection of experiments; results of visible running ones are read once the cursor rests."""

    BINDINGS = bindings_of("experiments", "lists", "everywhere")
    place = "experiments"
    tab = "2"
    description = EXPERIMENT_LIST

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self._inspector: ExperimentInspector | None = None
        self._staying: Timer | None = None
        self._is_glancing = False
        self._refreshing: Worker[None] | None = None

    def all_columns(self) -> tuple[Column[ExperimentRow], ...]:
        return (*experiment_columns(self.leading), *MORE_EXPERIMENT_COLUMNS)

    @property
    def inspector(self) -> ExperimentInspector | None:
        """The inspector of single experiments of the open project."""
        workspace = self._app_state.workspace
        if workspace is None:
            self._inspector = None
        elif self._inspector is None or self._inspector.client is not workspace.client:
            app_state = self._app_state
            self._inspector = ExperimentInspector(
                workspace.client,
                app_state.session.clock.time,
                lambda: may_write(app_state, self.write_scope) is True,
                partial(workspace.learn_row, "experiments"),
            )
        return self._inspector

    def leading(self, row: ExperimentRow) -> Leading | None:
        """Return the last result of its first metric."""
        lead = self._inspector.cached_lead(row) if self._inspector is not None else None
        result = leading_of(lead) if lead is not None else None
        if lead is None or result is None or lead.at is None:
            return result
        is_old = self._app_state.session.now() - lead.at > FRESH_FOR
        return replace(result, age=age(lead.at, self._app_state.session.now())) if is_old else result

    # Following the cursor

    def pane_lines(self, findings: Findings, now: float, width: int) -> Iterator[list[Piece]]:
        return pane_lines(findings, now, width)

    def known_of(self, row: ExperimentRow) -> Findings | None:
        inspector = self.inspector
        return inspector.cached_findings(row) if inspector is not None else None

    async def learn(self, row: ExperimentRow) -> AsyncIterator[Findings]:
        inspector = self.inspector
        if inspector is None:
            return
        async for findings in inspector.load(row):
            yield findings
        if (refused := inspector.take_refusal()) is not None:
            # The load was automatic: the header shows that another key is needed.
            self._app_state.become_troubled(refused)
        self.rows.redraw_row(row.id)

    @on(RowList.Highlighted)
    def _glance_soon(self) -> None:
        """Read results of the visible rows, one after the other, once the cursor has rested."""
        if self._staying is not None:
            self._staying.stop()
        # Without automatic refresh the user loads with a key.
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
                self.rows.redraw_row(row.id)
        except ApiError:
            # The list works without results; they are tried again when the cursor rests the next time.
            return
        finally:
            self._is_glancing = False

    # Keys

    def action_read_results(self) -> None:
        """Read the results of the visible rows and of the pane again, or stop reading."""
        if self._refreshing is not None and self._refreshing.is_running:
            self._refreshing.cancel()
        elif self.inspector is not None:
            self._refreshing = self._refresh_results(self.inspector)

    @work(exclusive=True, group="results", description="refresh results")
    async def _refresh_results(self, inspector: ExperimentInspector) -> None:
        inspector.expire_results()
        live = [row for row in self.rows.in_sight if inspector.is_worth_a_glance(row)]
        if not live:
            show_toast(self.app, Notice("no experiment in view is running or paused"))
        if self.record is not None:
            self.load_all(self.record)
        try:
            with self._runner.reading(count(len(live), "result")) as show_progress:
                for place, row in enumerate(live, start=1):
                    if inspector.is_worth_a_glance(row):
                        await inspector.glance(row)
                        self.rows.redraw_row(row.id)
                    show_progress(place)
        except ApiError as error:
            show_toast(self.app, Notice(f"{error.what} {error.next}".strip(), "error"))
        finally:
            inspector.keep_results()

    def page_of(self, row: ExperimentRow) -> ExperimentScreen | None:
        """Return the page of one of them; None without a connection."""
        if self.inspector is None:
            return None
        return ExperimentScreen(self._app_state, self._runner, self.inspector, row)

    def action_open(self) -> None:
        if self.record is not None and (page := self.page_of(self.record)) is not None:
            self.app.push_screen(page)

    def findings_of(self, row: ExperimentRow) -> Findings:
        if self._inspector is None:
            return Findings(row)
        # The result that the row shows is known where no page or preview has loaded the others.
        return self._inspector.cached_lead(row) or self._inspector.cached_findings(row)


def pane_lines(findings: Findings, now: float, width: int) -> Iterator[list[Piece]]:
    """Yield the whole pane, line by line."""
    row = findings.row
    yield [(safe_text(row.name, max(8, width - 8)), "bold"), (f"  #{row.id}", "$text-muted")]
    for line in safe_lines(row.description, 400, 3) if row.description else []:
        yield [(line, "$text-muted")]
    yield [("flag ", "$text-muted"), (safe_text(row.key, width), "$primary")]
    yield []
    sizing = sizing_of(findings)
    yield from lifecycle_lines(row, now, sizing.days if sizing else None, width)
    yield []
    if findings.trouble:
        yield [(safe_text(findings.trouble, 200), "$warning")]
        return
    if findings.experiment is None:
        yield [("loading…", "$text-muted")]
        return
    yield from conclusion_lines(findings.experiment)
    yield from hint_lines(findings)
    yield from variant_lines(findings, width)
    yield from _results(findings, width)
    yield results_line(findings, now, can_cancel=False)
    yield []
    creator = f"by {safe_text(row.creator, 40)}, " if row.creator else ""
    yield [(f"created {creator}{ago(row.created_at, now)}", "$faint")]


def _results(findings: Findings, width: int) -> Iterator[list[Piece]]:
    for reading in findings.readings:
        mark = "" if reading.metric.role == "primary" else "  secondary"
        yield [(safe_text(reading.metric.name, max(10, width - 12)), ""), (mark, "$faint")]
        judgements = list(verdicts(reading))
        for judgement in judgements:
            colour = COLOURS.get(judgement.look, "")
            yield [
                (f"  {fill(safe_text(judgement.variant), 14)} ", "$text-muted"),
                (f"{judgement.delta:>9}  {judgement.odds}", colour),
            ]
        if not judgements:
            words = "being calculated…" if reading.is_awaited else reading.trouble or "no numbers yet"
            yield [(f"  {safe_text(words, 80)}", "$faint")]
    if findings.readings:
        yield []

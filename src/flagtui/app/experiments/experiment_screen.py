"""Show one experiment on the whole screen: its state, results, their certainty, and its settings."""

from collections.abc import Iterable, Iterator

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static
from textual.worker import Worker

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.experiments.chart import SeriesPlot
from flagtui.app.experiments.detail.experiment_settings import measures_lines, settings_lines
from flagtui.app.experiments.detail.exposures import alarm_lines, variant_lines
from flagtui.app.experiments.detail.metric_table import strokes_here, table_lines
from flagtui.app.experiments.detail.sections import (
    conclusion_lines,
    head_lines,
    hint_lines,
    lifecycle_lines,
    results_line,
    shown_record,
    sizing_lines,
    sizing_of,
)
from flagtui.app.experiments.detail.series import SeriesScreen, courses_of
from flagtui.app.experiments.experiment_keys import ExperimentKeys
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.records.record_screen import LinesPane, RecordScreen, RecordTabs
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staged_records import staged_change
from flagtui.app.widgets.glyphs import terminal_glyphs
from flagtui.app.widgets.line import join_lines
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Findings, Metric
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.store.kinds import EXPERIMENTS
from flagtui.text.staged_lines import staged_lines
from flagtui.text.styled import Piece, with_link

ROOMY = 20
"""Lines from which the metrics have room above the results."""
PLOT_FROM = 34
"""Lines from which the chosen metric's course has room below the table."""


class ExperimentScreen(ExperimentKeys, RecordScreen[ExperimentRow]):
    """Results arrive one metric after the other and can be stopped."""

    BINDINGS = bindings_of("experiment", "everywhere")
    place = "experiment"

    def __init__(
        self, app_state: AppState, runner: ChangeRunner, inspector: ExperimentInspector, row: ExperimentRow
    ) -> None:
        super().__init__(app_state, runner, row)
        self._inspector = inspector
        self._findings = inspector.cached_findings(row)
        self._chosen = 0
        self._looking: Worker[None] | None = None
        self._plotted = ""
        self._drawn: dict[str, Content] = {}
        self._flag_version = self._read_flag_version()

    def body(self) -> ComposeResult:
        yield RecordTabs()
        with LinesPane(id="tab-overview", classes="pane"):
            yield Static(id="about")
            yield SeriesPlot(id="course")
            yield Static(id="rest")
        yield JsonPane("json")

    def on_mount(self) -> None:
        self.query_one(SeriesPlot).display = False
        if (workspace := self._app_state.workspace) is not None:
            self.follow(workspace.flags.watch, self._follow_flag)

    def _read_flag_version(self) -> int | None:
        workspace, flag_id = self._app_state.workspace, self._row.flag_id
        flag = workspace.flags.get(flag_id) if workspace is not None and flag_id is not None else None
        return flag.version if flag is not None else None

    def _follow_flag(self) -> None:
        """Read the experiment again when its flag has changed: the shares of its variants are the flag's."""
        before, self._flag_version = self._flag_version, self._read_flag_version()
        if before is not None and self._flag_version not in (None, before):
            self.look()

    def findings_of(self, row: ExperimentRow) -> Findings:
        return self._findings

    def look(self) -> object:
        self._looking = self._look()
        return self._looking

    def take_row(self, before: ExperimentRow) -> None:
        """Read the details again when the experiment has changed."""
        # The row can be that of the details, which are being loaded.
        states = ((each.updated_at, each.status) for each in (before, self._findings.row))
        if (self._row.updated_at, self._row.status) not in states:
            self._plotted = ""
            self._findings = self._inspector.cached_findings(self._row)
            self._looking = self._look(again=True)

    @work(exclusive=True, group="inspect", description="look")
    async def _look(self, *, again: bool = False) -> None:
        async for findings in self._inspector.load(self._row, again=again, with_flag=True):
            self._findings = findings
            self.draw_later()
        refused = self._inspector.take_refusal()
        if refused is None:
            await self._plot()
        else:
            self._sign_in(refused, again=again)

    @work(group="choose", description="sign in")
    async def _sign_in(self, refused: ApiError, *, again: bool) -> None:
        """Ask for another key and read with it; the screen keeps its content meanwhile."""
        if await self._runner.signing_in.helps(refused):
            self._looking = self._look(again=again)

    async def _plot(self) -> None:
        """Show the chosen metric over time where there is room for it."""
        metric, plot = self.metric, self.query_one(SeriesPlot)
        is_started = self._row.started_at is not None
        if metric is None or not is_started or self.size.height < PLOT_FROM or not metric.fingerprint:
            plot.display = False
            return
        if self._plotted == metric.uuid:
            plot.display = True
            return
        try:
            metric, series = await self._inspector.series(self._row, metric.uuid)
        except (ApiError, KeyError):
            plot.display = False
            return
        courses = courses_of(series)
        plot.display = bool(courses)
        if courses:
            title = f"{safe_text(metric.name, 40)}: % over the baseline by day, all days so far"
            plot.show(title, courses, [day for day, _ in series.days])
            self._plotted = metric.uuid

    @property
    def metric(self) -> Metric | None:
        """The metric with the mark beside it."""
        readings = self._findings.readings
        return readings[min(self._chosen, len(readings) - 1)].metric if readings else None

    def on_resize(self) -> None:
        self._replot()

    def draw_body(self) -> None:
        now = self._app_state.session.now()
        width = max(30, self.size.width - 6)
        # Blank lines are between the parts, also where the plot has no room.
        self._show("about", join_lines(self._about(now, width), width)[:-1])
        self._show("rest", join_lines(self._rest(now, width), width))
        self.query_one(JsonPane).show_record(self._findings.experiment, shown_record)

    def _show(self, part: str, text: Content) -> None:
        """Draw a part of the screen, where it is different now."""
        before = self._drawn.get(part)
        if before is None or not text.is_same(before):
            self._drawn[part] = text
            self.query_one(f"#{part}", Static).update(text)

    def _about(self, now: float, width: int) -> Iterator[list[Piece]]:
        findings, row = self._findings, self._row
        yield from with_link(head_lines(row, width), self.page_link)
        yield []
        yield from self._staged_lines()
        sizing = sizing_of(findings)
        yield from lifecycle_lines(row, now, sizing.days if sizing else None, width)
        yield []
        if findings.trouble:
            yield [(safe_text(findings.trouble, 200), "$warning")]
        if findings.experiment is None:
            return
        yield from conclusion_lines(findings.experiment)
        if self.size.height >= ROOMY:
            yield from _with_blank(measures_lines(findings.metrics, width))
        yield from hint_lines(findings)
        yield from alarm_lines(findings)
        yield from table_lines(findings, width, strokes_here(), self._chosen)
        yield results_line(findings, now)

    def _staged_lines(self) -> Iterator[list[Piece]]:
        change = staged_change(self._app_state, EXPERIMENTS.entry, self._row.id)
        if change is not None and (experiment := self._findings.experiment) is not None:
            # Loaded here: without staged changes, no page needs it.
            from flagtui.details.staged_details import staged_words

            mark = terminal_glyphs().staged
            yield from staged_lines(staged_words(experiment, change), mark)

    def _rest(self, now: float, width: int) -> Iterator[list[Piece]]:
        experiment = self._findings.experiment
        if experiment is None:
            return
        yield []
        if self.size.height < ROOMY:
            yield from _with_blank(measures_lines(self._findings.metrics, width))
        yield from variant_lines(self._findings, width)
        yield from sizing_lines(self._findings, now)
        yield from settings_lines(experiment, width)

    # Keys

    @work(exclusive=True, group="plot")
    async def _replot(self) -> None:
        await self._plot()

    def action_metric(self) -> None:
        if self.metric is not None and self._row.started_at is not None:
            signs_in = self._runner.signing_in.helps
            days = SeriesScreen(self._app_state, self._inspector, self._row, self.metric, signs_in)
            self.app.push_screen(days)

    def action_read_results(self) -> None:
        """Ask again, or stop asking."""
        if self._looking is not None and self._looking.is_running:
            self._looking.cancel()
            self._findings = self._inspector.stop(self._row)
            self.draw()
        else:
            self._plotted = ""
            self._looking = self._look(again=True)

    def action_scroll(self, way: str) -> None:
        """Move to the next or previous metric while there is one; scroll otherwise."""
        target = self._chosen + {"down": 1, "up": -1}.get(way, len(self._findings.readings))
        if self._tab == "overview" and 0 <= target < len(self._findings.readings):
            self._chosen = target
            self.draw()
            self._replot()
        else:
            super().action_scroll(way)


def _with_blank(lines: Iterable[list[Piece]]) -> Iterator[list[Piece]]:
    """Yield the lines and an empty one, or nothing where there are none."""
    spaced = [*lines]
    yield from [*spaced, []] if spaced else []

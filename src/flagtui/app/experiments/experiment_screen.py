"""One experiment on the whole screen: where it is, what it says, how sure that is, and what it is made of."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.worker import Worker

from flagtui.api.errors import ApiError
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.experiments.detail.courses import courses_of
from flagtui.app.experiments.detail.experiment_inspector import ExperimentInspector
from flagtui.app.experiments.detail.experiment_keys import ExperimentKeys
from flagtui.app.experiments.detail.experiment_settings import measures_lines, settings_lines
from flagtui.app.experiments.detail.lifecycle import lifecycle_lines
from flagtui.app.experiments.detail.metric_findings import Findings, Metric
from flagtui.app.experiments.detail.metric_table import table_lines
from flagtui.app.experiments.detail.sections import (
    alarm_lines,
    conclusion_lines,
    head_lines,
    hint_lines,
    json_lines,
    results_line,
    sizing_lines,
    sizing_of,
    variant_lines,
)
from flagtui.app.experiments.detail.series import SeriesScreen
from flagtui.app.experiments.intervals import strokes_here
from flagtui.app.experiments.series_plot import SeriesPlot
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header, Tabs
from flagtui.app.shell.status_line import link_of, location_of, tabs_of
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.screen_lifecycle import OwnedScreen
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

ROOMY = 20
"""Lines from which what is measured has room above what came of it."""
PLOT_FROM = 34
"""Lines from which the chosen metric's course has room below the table."""
TAB = "2"


class ExperimentScreen(ExperimentKeys, OwnedScreen[None]):
    """Follows its experiment; results arrive one metric after the other and can be stopped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("experiment", "everywhere"),
        Binding("down,j", "choose(1)", "next metric", show=False),
        Binding("up,k", "choose(-1)", "metric before", show=False),
        Binding("pagedown,ctrl+d", "scroll('page_down')", "down", show=False),
        Binding("pageup,ctrl+u", "scroll('page_up')", "up", show=False),
        Binding("end,G", "scroll('end')", "end", show=False),
        Binding("home,g", "scroll('home')", "top", show=False),
    ]

    place = "experiment"

    def __init__(
        self, app_state: AppState, keys: ExperimentKeys, inspector: ExperimentInspector, row: ExperimentRow
    ) -> None:
        super().__init__()
        self.experimenting = keys.experimenting
        self.writing = keys.writing
        self._app_state = app_state
        self._inspector = inspector
        self._row = row
        self._findings = inspector.known(row)
        self._chosen = 0
        self._looking: Worker[None] | None = None
        self._plotted = ""
        self._drawn: dict[str, list[list[Piece]]] = {}
        self._told: Experiment | None = None
        """Whose JSON is drawn."""

    @property
    def opened_for(self) -> object:
        return self._row.id

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        with VerticalScroll(id="experiment", can_focus=False):
            yield Static(id="about")
            yield SeriesPlot(id="course")
            yield Static(id="rest")
            yield Static(id="json")
        yield KeyLine()

    def on_mount(self) -> None:
        self.follow(self._app_state.watch, self.believe)
        self.query_one(SeriesPlot).display = False
        self._draw()
        self._looking = self._look()

    def subject(self) -> ExperimentRow:
        return self._row

    def known(self, row: ExperimentRow) -> Findings:
        return self._findings

    def state_here(self) -> AppState:
        return self._app_state

    def believe(self) -> None:
        """Draw what is known now; look again when the experiment has moved on."""
        if not self.is_attached or self._app_state.workspace is None:
            return
        row = self._app_state.workspace.experiments.get(self._row.id)
        if row is None:
            self.action_back()
            return
        has_moved = (row.updated_at, row.status) != (self._row.updated_at, self._row.status)
        self._row = row
        if has_moved:
            self._plotted = ""
            self._findings = self._inspector.known(row)
            self._looking = self._look(again=True)
        self._draw()

    @work(exclusive=True, group="inspect")
    async def _look(self, *, again: bool = False) -> None:
        async for found in self._inspector.look(self._row, again=again):
            self._findings = found
            self._draw()
        refused = self._inspector.take_refusal()
        if refused is None:
            await self._plot()
        else:
            self._sign_in(refused, again=again)

    @work(group="choose")
    async def _sign_in(self, refused: ApiError, *, again: bool) -> None:
        """Ask for another key, and read with that; what is on screen stays meanwhile."""
        if await self.experimenting.signs_in(refused):
            self._looking = self._look(again=again)

    async def _plot(self) -> None:
        """The course of the chosen metric, where there is room for it."""
        metric, plot = self.metric, self.query_one(SeriesPlot)
        if metric is None or self.size.height < PLOT_FROM or not metric.fingerprint:
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
        self._draw()
        self._replot()

    def redraw_ages(self) -> None:
        """Draw every age again; called once a minute."""
        self._draw()

    def _draw(self) -> None:
        app_state, now, found = self._app_state, self._app_state.now(), self._findings.experiment
        self.query_one(Header).show_location(location_of(app_state), link_of(app_state))
        self.query_one(Tabs).show_tabs(tabs_of(app_state), TAB)
        width = max(30, self.size.width - 6)
        self._show("about", list(self._about(now, width)))
        self._show("rest", list(self._rest(now, width)))
        if found is not None and found is not self._told:
            # Hundreds of lines: they are laid out once for each reading, not with every result.
            self._told = found
            self._show("json", list(json_lines(found)))

    def _show(self, part: str, lines: list[list[Piece]]) -> None:
        """Draw a part of the screen, where it is different now."""
        if lines != self._drawn.get(part):
            self._drawn[part] = lines
            self.query_one(f"#{part}", Static).update(_joined(lines))

    def _about(self, now: float, width: int) -> Iterator[list[Piece]]:
        found, row = self._findings, self._row
        yield from head_lines(row, width)
        yield []
        sizing = sizing_of(found)
        yield from lifecycle_lines(row, now, sizing.days if sizing else None, width)
        yield []
        if found.trouble:
            yield [(safe_text(found.trouble, 200), "$warning")]
        if found.experiment is None:
            return
        yield from conclusion_lines(found.experiment)
        if self.size.height >= ROOMY:
            yield from _spaced(measures_lines(found.experiment, width))
        yield from hint_lines(found)
        yield from alarm_lines(found)
        yield from table_lines(found, width, strokes_here(), self._chosen)
        yield results_line(found, now)

    def _rest(self, now: float, width: int) -> Iterator[list[Piece]]:
        experiment = self._findings.experiment
        if experiment is None:
            return
        yield []
        if self.size.height < ROOMY:
            yield from _spaced(measures_lines(experiment, width))
        yield from variant_lines(self._findings, width)
        yield from sizing_lines(self._findings, now)
        yield from settings_lines(experiment, width)
        yield []

    # Keys

    def action_choose(self, step: int) -> None:
        count = len(self._findings.readings)
        wanted = self._chosen + step
        if 0 <= wanted < count:
            self._chosen = wanted
            self._draw()
            self._replot()
        else:
            self.action_scroll("down" if step > 0 else "up")

    @work(exclusive=True, group="plot")
    async def _replot(self) -> None:
        await self._plot()

    def action_metric(self) -> None:
        if self.metric is not None and self._row.started_at is not None:
            signs_in = self.experimenting.signs_in
            days = SeriesScreen(self._app_state, self._inspector, self._row, self.metric, signs_in)
            self.app.push_screen(days)

    def action_read_results(self) -> None:
        """Ask again, or stop asking."""
        if self._looking is not None and self._looking.is_running:
            self._looking.cancel()
            self._findings = self._inspector.stop(self._row)
            self._draw()
        else:
            self._plotted = ""
            self._looking = self._look(again=True)

    def action_scroll(self, way: str) -> None:
        body = self.query_one(VerticalScroll)
        move = {
            "down": body.scroll_down,
            "up": body.scroll_up,
            "page_down": body.scroll_page_down,
            "page_up": body.scroll_page_up,
            "end": body.scroll_end,
            "home": body.scroll_home,
        }
        move[way](animate=False)

    def action_back(self) -> None:
        self.dismiss(None)


def _spaced(lines: Iterable[list[Piece]]) -> Iterator[list[Piece]]:
    """The lines and an empty one, or nothing where there are none."""
    found = [*lines]
    yield from [*found, []] if found else []


def _joined(lines: Iterable[list[Piece]]) -> Content:
    return styled(*(piece for line in lines for piece in [*line, ("\n", "")]))

"""Looks at experiments: the list, one as a whole, what it measures now and measured day by day."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flagtui.app.experiments.detail.experiment_inspector import ExperimentInspector
from flagtui.app.experiments.detail.judgement import lift_of, value_of
from flagtui.app.experiments.detail.metric_findings import Findings, Metric
from flagtui.cli.errors import EXIT_CODES, Trouble
from flagtui.cli.experiments.experiment_selection import experiments_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.lines import Steps, progress
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project, in_project_with_pages
from flagtui.cli.records.experiment_records import (
    DAY,
    EXPERIMENT,
    RESULT,
    WHOLE_EXPERIMENT,
    MetricValue,
    WholeExperiment,
)
from flagtui.cli.row_source import EXPERIMENTS
from flagtui.cli.selection import only_one, read_words
from flagtui.models.experiment_answers import MetricResult, Timeseries
from flagtui.models.rows import ExperimentRow


def list_experiments(line: str, sort: str, limit: int | None, place: WorkPlace, printer: Printer) -> int:
    """The rows a query finds."""
    rows: list[ExperimentRow]
    rows, page = in_project_with_pages(
        place, "experiments", lambda session: EXPERIMENTS.rows(session, line, sort)
    )
    printer.records(EXPERIMENT, rows[:limit], "No experiment is found.", page)
    return 0


def get_experiments(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """Experiments with their metrics."""
    wanted = read_words(words, EXPERIMENTS.is_query)
    found, page = in_project_with_pages(place, "experiments", lambda session: experiments_of(session, wanted))
    records = [WholeExperiment(one, one.row()) for one in found]
    printer.details(WHOLE_EXPERIMENT, records, lambda whole: page(whole.row))
    return 0


@dataclass(frozen=True)
class Calculation:
    """What was asked for on the command line."""

    is_anew: bool
    wait: float | None
    """Seconds; None for as long as the server usually takes."""


def show_results(words: Sequence[str], calculation: Calculation, place: WorkPlace, printer: Printer) -> int:
    """Every metric for every variant; calculated anew if asked for. 4 when it took longer than allowed."""
    wanted = read_words(words, EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> tuple[list[MetricValue], bool]:
        values: list[MetricValue] = []
        is_late = False
        for experiment in await experiments_of(session, wanted):
            found, is_whole = await _results_of(session, experiment.row(), calculation)
            is_late = is_late or not is_whole
            values += _values(found)
        return values, is_late

    values, is_late = in_project(place, work)
    printer.records(RESULT, values, "It has no metric.")
    return EXIT_CODES["not_known"] if is_late else 0


async def _results_of(
    session: ProjectSession, row: ExperimentRow, calculation: Calculation
) -> tuple[Findings, bool]:
    """What came within the time there is, and whether that is all."""
    inspector = ExperimentInspector(session.client, time.time, lambda: calculation.is_anew)
    steps, found = Steps(0, f"metrics of {row.name}"), Findings(row)
    try:
        async with asyncio.timeout(calculation.wait):
            async for found in inspector.look(row, again=calculation.is_anew):
                steps.count = len(found.readings)
                steps.take(steps.count - found.awaited - steps.done)
    except TimeoutError:
        progress(f"{row.name}: not everything is calculated after {calculation.wait:g} s")
        return found, False
    return found, True


def show_timeseries(
    word: str, metric: str, calculation: Calculation, place: WorkPlace, printer: Printer
) -> int:
    """One metric day by day, the first unless one is named. 4 when it took longer than allowed."""
    wanted = read_words([word], EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> tuple[list[MetricValue], bool]:
        experiment = only_one(await experiments_of(session, wanted), "experiment")
        inspector = ExperimentInspector(session.client, time.time)
        row = experiment.row()
        chosen = _metric(await anext(aiter(inspector.look(row))), metric, experiment.name)
        if calculation.is_anew:
            state = await inspector.recalculate(row, chosen)
            progress(f"asked the server to calculate the days anew: {state or 'accepted'}")

        async def look() -> tuple[Metric, Timeseries] | None:
            found = await inspector.series(row, chosen.uuid)
            return None if found[1].is_calculated_anew else found

        waited = None
        if calculation.wait:
            waited = await session.until(look, calculation.wait, "the days are calculated")
        kept, series = waited or await inspector.series(row, chosen.uuid)
        values = [
            value
            for day, result in series.days
            if result is not None
            for value in _of_result(experiment.id, kept, result, day.isoformat())
        ]
        return values, calculation.wait is not None and series.is_calculated_anew

    values, is_late = in_project(place, work)
    printer.records(DAY, values, "Nothing is stored by day.")
    return EXIT_CODES["not_known"] if is_late else 0


def _metric(found: Findings, wanted: str, name: str) -> Metric:
    metrics = [reading.metric for reading in found.readings]
    chosen = [one for one in metrics if not wanted or wanted in (one.uuid, one.name)]
    if not chosen:
        known = ", ".join(one.name for one in metrics) or "none"
        raise Trouble(f"{name} has no such metric.", f"Metrics: {known}.", code="not_found")
    return chosen[0]


def _values(found: Findings) -> Iterator[MetricValue]:
    for reading in found.readings:
        metric = reading.metric
        if reading.result is None:
            why = reading.trouble or ("not calculated yet" if reading.is_awaited else "no result")
            yield MetricValue(found.row.id, metric.name, metric.uuid, metric.role, "", why=why)
        else:
            yield from _of_result(found.row.id, metric, reading.result, reading.as_of or None)


def _of_result(
    experiment: int, metric: Metric, result: MetricResult, day: str | None
) -> Iterator[MetricValue]:
    base = result.baseline
    if base is None:
        return
    told = (experiment, metric.name, metric.uuid, metric.role)
    yield MetricValue(*told, base.key, value_of(base), base.number_of_samples, is_baseline=True, day=day)
    for one in result.variant_results:
        yield MetricValue(
            *told,
            one.key,
            value_of(one),
            one.number_of_samples,
            lift_of(one, base),
            one.interval,
            one.chance_to_win,
            one.p_value,
            one.significant,
            day=day,
            why=", ".join(one.validation_failures),
        )

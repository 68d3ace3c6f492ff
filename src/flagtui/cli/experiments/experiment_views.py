"""Looks at experiments: the list, one as a whole, what it measures now and measured day by day."""

import time
from collections.abc import Iterator, Sequence

from flagtui.app.experiments.detail.experiment_inspector import ExperimentInspector
from flagtui.app.experiments.detail.metric_findings import Findings, Metric
from flagtui.app.experiments.detail.numbers import lift_of, value_of
from flagtui.cli.errors import Trouble
from flagtui.cli.experiments.experiment_selection import experiments_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.lines import progress
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
from flagtui.models.experiment_answers import MetricResult
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


def show_results(words: Sequence[str], is_anew: bool, place: WorkPlace, printer: Printer) -> int:
    """Every metric for every variant; calculated anew if asked for."""
    wanted = read_words(words, EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> list[MetricValue]:
        found: list[MetricValue] = []
        for experiment in await experiments_of(session, wanted):
            inspector = ExperimentInspector(session.client, time.time, lambda: is_anew)
            looks = [one async for one in inspector.look(experiment.row(), again=is_anew)]
            found += _values(looks[-1])
        return found

    printer.records(RESULT, in_project(place, work), "It has no metric.")
    return 0


def show_timeseries(word: str, metric: str, is_anew: bool, place: WorkPlace, printer: Printer) -> int:
    """One metric day by day, the first unless one is named."""
    wanted = read_words([word], EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> list[MetricValue]:
        experiment = only_one(await experiments_of(session, wanted), "experiment")
        inspector = ExperimentInspector(session.client, time.time)
        row = experiment.row()
        chosen = _metric(await anext(aiter(inspector.look(row))), metric, experiment.name)
        if is_anew:
            state = await inspector.recalculate(row, chosen)
            progress(f"asked the server to calculate the days anew: {state or 'accepted'}")
        kept, series = await inspector.series(row, chosen.uuid)
        return [
            value
            for day, result in series.days
            if result is not None
            for value in _of_result(experiment.id, kept, result, day.isoformat())
        ]

    printer.records(DAY, in_project(place, work), "Nothing is stored by day.")
    return 0


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
            why = reading.trouble or "no result"
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

"""`flagtui experiments results` and `timeseries`: what one measures now, and measured day by day."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any, Final

import click
import msgspec
from msgspec.structs import replace

from flagtui.cli.commands.experiments.experiment_selection import experiments_of
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import WAIT_SECONDS, WorkPlace
from flagtui.cli.plumbing.output.lines import Steps, progress
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession, in_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import RecordSelection, only_one
from flagtui.cli.plumbing.word_types import EXPERIMENT_WORD, EXPERIMENT_WORDS
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Findings, Metric
from flagtui.models.experiment_responses import Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.models.rows import ExperimentRow
from flagtui.text.formats import signed_percent
from flagtui.text.judgement import (
    FAILURES,
    chance_of,
    chance_words,
    failures_of,
    lift_of,
    value_of,
)
from flagtui.text.shared_messages import requested_recalculation


class MetricValue(msgspec.Struct, frozen=True):
    """One variant of one metric, at the end or on one day."""

    experiment: int
    metric: str
    uuid: str
    role: str
    variant: str
    value: float | None = None
    samples: float | None = None
    lift: float | None = None
    interval: tuple[float, float] | None = None
    chance_to_win: float | None = None
    chance_better: float | None = None
    p_value: float | None = None
    significant: bool | None = None
    is_baseline: bool = False
    day: str | None = None
    reason: str = ""
    breakdown: str = ""


def _short(value: Any) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _signed_percent(value: Any) -> str:
    return "" if value is None else f"{signed_percent(value)} %"


def _chance(value: Any) -> str:
    return "" if value is None else chance_words(value)


def _reasons(reasons: Any) -> str:
    """Return the reasons in the words of the app; unknown ones stay as the server sent them."""
    return ", ".join(FAILURES.get(reason, reason) for reason in reasons.split(", "))


_VALUES: Final[tuple[RecordField[MetricValue], ...]] = (
    RecordField("experiment", "whole", "The id of the experiment.", is_shown=True),
    RecordField("metric", "text", "What is measured.", is_shown=True),
    RecordField("role", "text", "primary or secondary."),
    RecordField("variant", "text", "The variant; empty where there is none.", is_shown=True),
    RecordField("value", "number?", "A share, or an average.", is_shown=True, words=_short),
    RecordField(
        "lift", "number?", "Over the baseline: 0.1 is 10 % more.", is_shown=True, words=_signed_percent
    ),
    RecordField(
        "interval",
        "any",
        "Lower and upper bound of the lift; null where it is not known.",
        lambda value: list(value.interval) if value.interval else None,
    ),
    RecordField("chance_to_win", "number?", "The probability that it is greater, from 0 to 1."),
    RecordField(
        "chance_better",
        "number?",
        "The probability that it is better, from 0 to 1; for some metrics lower is better.",
        is_shown=True,
        words=_chance,
    ),
    RecordField("p_value", "number?", "Of the frequentist engine.", is_shown=True, words=_short),
    RecordField("significant", "truth?", "As the server reports it."),
    RecordField("baseline", "truth", "Whether others are compared with it.", lambda value: value.is_baseline),
    RecordField("samples", "number?", "The number of samples.", is_shown=True, words=_short),
    RecordField("breakdown", "text", "The values it is of, such as pro, DE; empty for all users."),
    RecordField("uuid", "text", "Of the metric."),
    RecordField("reason", "text", "Why there is no number.", is_shown=True, words=_reasons, is_long=True),
)

RESULT: Final[RecordSchema[MetricValue]] = RecordSchema(
    "experiment-result",
    "One variant of one metric, as of now.",
    (*_VALUES, RecordField("as_of", "text?", "The day, where that is not today.", lambda value: value.day)),
    version=2,
)
DAY: Final[RecordSchema[MetricValue]] = RecordSchema(
    "experiment-day",
    "One variant of one metric, cumulative up to a day.",
    (RecordField("day", "text?", "The day.", is_shown=True), *_VALUES),
    version=2,
)
WAIT: Final = click.option(
    "--wait",
    type=WAIT_SECONDS,
    metavar="SECONDS",
    help="How long to wait for results in calculation; exit with 4 when they are not ready by then.",
)


@command(
    "results",
    kind=RESULT,
    operations=(
        *(
            "experiments.list",
            "experiments.get",
            "experiments.latest_recalculation",
            "experiments.recalculate",
            "experiments.recalculation",
        ),
        *("experiments.query", "experiments.query_status", "experiments.old_result"),
        "experiments.requires_flag_implementation",
    ),
    examples=("31", "31 --json"),
)
@EXPERIMENT_WORDS
@click.option(
    "--recalculate", is_flag=True, help="Ask the server to recalculate the results, for all viewers."
)
@WAIT
def results(
    experiments: RecordSelection, recalculate: bool, wait: float | None, place: WorkPlace, printer: Printer
) -> int:
    """Show what experiments measure: every metric for every variant."""

    async def work(session: ProjectSession) -> tuple[list[MetricValue], bool]:
        values: list[MetricValue] = []
        is_late = False
        for experiment in await experiments_of(session, experiments):
            findings, is_whole = await _results_of(session, experiment.row(), recalculate, wait)
            is_late = is_late or not is_whole
            values += _values(findings)
        return values, is_late

    values, is_late = in_project(place, work)
    printer.records(RESULT, values, "It has no metric.")
    return EXIT_CODES["not_known"] if is_late else 0


@command(
    "timeseries",
    kind=DAY,
    operations=(
        "experiments.list",
        "experiments.get",
        "experiments.timeseries",
        "experiments.recalculate_timeseries",
    ),
    examples=("31", "31 --ndjson"),
)
@EXPERIMENT_WORD
@click.option("--metric", default="", metavar="NAME", help="Its name or UUID; default: the first.")
@click.option(
    "--recalculate", is_flag=True, help="Ask the server to recalculate the days, and show the progress."
)
@WAIT
def timeseries(
    experiment: RecordSelection,
    metric: str,
    recalculate: bool,
    wait: float | None,
    place: WorkPlace,
    printer: Printer,
) -> int:
    """Show one metric day by day, each day cumulative."""

    async def work(session: ProjectSession) -> tuple[list[MetricValue], bool]:
        fresh = only_one(await experiments_of(session, experiment), "experiment")
        if fresh.state == "draft":
            fix = f"Launch it first: {next_command('experiments', 'launch', str(fresh.id))}"
            raise Trouble(f"{fresh.name} is a draft, so there are no days.", fix, code="nothing_to_do")
        inspector = ExperimentInspector(session.client, time.time)
        row = fresh.row()
        chosen = _metric(await anext(aiter(inspector.load(row))), metric, fresh.name)
        if recalculate:
            state = await inspector.recalculate(row, chosen)
            progress(requested_recalculation(state))

        async def look() -> tuple[Metric, Timeseries] | None:
            reading = await inspector.series(row, chosen.uuid)
            return None if reading[1].is_recalculating else reading

        waited = None
        if wait:
            waited = await session.until(look, wait, "the days are calculated")
        kept, series = waited or await inspector.series(row, chosen.uuid)
        values = [
            value
            for day, result in series.days
            if result is not None
            for value in _of_result(fresh.id, kept, result, day.isoformat())
        ]
        return values, wait is not None and series.is_recalculating

    values, is_late = in_project(place, work)
    printer.records(DAY, values, "Nothing is stored by day.")
    return EXIT_CODES["not_known"] if is_late else 0


async def _results_of(
    session: ProjectSession, row: ExperimentRow, recalculate: bool, wait: float | None
) -> tuple[Findings, bool]:
    """Return the results received before the timeout, and whether they are complete."""
    inspector = ExperimentInspector(session.client, time.time, lambda: recalculate)
    steps, findings = Steps(0, f"metrics of {row.name}"), Findings(row)
    try:
        async with asyncio.timeout(wait):
            async for findings in inspector.load(row, again=recalculate):
                steps.count = len(findings.readings)
                steps.take(steps.count - findings.awaited - steps.done)
    except TimeoutError:
        progress(f"{row.name}: not everything is calculated after {wait:g} s")
        return findings, False
    return findings, True


def _metric(findings: Findings, requested: str, name: str) -> Metric:
    metrics = [reading.metric for reading in findings.readings]
    chosen = [metric for metric in metrics if not requested or requested in (metric.uuid, metric.name)]
    if not chosen:
        names = ", ".join(metric.name for metric in metrics) or "none"
        raise Trouble(f"{name} has no such metric.", f"Metrics: {names}.", code="not_found")
    return chosen[0]


def _values(findings: Findings) -> Iterator[MetricValue]:
    for reading in findings.readings:
        metric = reading.metric
        if reading.result is None:
            reason = reading.trouble or ("not calculated yet" if reading.is_awaited else "no result")
            yield MetricValue(findings.row.id, metric.name, metric.uuid, metric.role, "", reason=reason)
        else:
            yield from _of_result(findings.row.id, metric, reading.result, reading.as_of or None)


def _of_result(
    experiment: int, metric: Metric, result: MetricResult, day: str | None, breakdown: str = ""
) -> Iterator[MetricValue]:
    for value in _of_variants(experiment, metric, result, day):
        yield replace(value, breakdown=breakdown) if breakdown else value
    for values, part in result.breakdowns:
        yield from _of_result(experiment, metric, part, day, values)


def _of_variants(
    experiment: int, metric: Metric, result: MetricResult, day: str | None
) -> Iterator[MetricValue]:
    base = result.baseline
    if base is None:
        return
    named = (experiment, metric.name, metric.uuid, metric.role)
    yield MetricValue(*named, base.key, value_of(base), base.number_of_samples, is_baseline=True, day=day)
    for variant in result.variant_results:
        yield MetricValue(
            *named,
            variant.key,
            value_of(variant),
            variant.number_of_samples,
            lift_of(variant, base),
            variant.interval,
            variant.chance_to_win,
            chance_of(variant, metric.goal),
            variant.p_value,
            variant.significant,
            day=day,
            reason=", ".join(failures_of(variant, base)),
        )

"""Experiments with thousands of metrics and variants: a window of the table, and how many more there are."""

from functools import partial

import httpx
from tests.app.experiments.detail.test_metric_table import STROKES, text
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls, counting_calls
from tests.doubles.servers import MakeClient, clock, make_client

from flagtui.app.experiments.detail.experiment_settings import measures_lines
from flagtui.app.experiments.detail.exposures import variant_lines
from flagtui.app.experiments.detail.metric_table import table_lines
from flagtui.app.experiments.form.experiment_form_lines import Companions, experiment_lines
from flagtui.changes.experiments.experiment_draft import ExperimentCopy
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Findings, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_results import MetricResult
from flagtui.text.flag_sentences import plain
from flagtui.text.judgement import ratio_mismatch

__all__ = ["clock", "make_client"]
SAMPLE = {"number_of_samples": 100, "sum": 20.0, "sum_squares": 20.0}


def findings(metrics: int, variants: int = 2) -> Findings:
    made = Experiment.of(heavy.experiment(metrics, variants=variants))
    others = [{"key": f"variant-{place}", **SAMPLE} for place in range(1, variants)]
    result = MetricResult.of({"baseline": {"key": "variant-0", **SAMPLE}, "variant_results": others})
    return Findings(made.row(), made, tuple(MetricReading(metric, result) for metric in metrics_of(made)))


def test_table_draws_a_window_around_the_chosen_metric() -> None:
    metric_findings = findings(2_500)
    for chosen, above, below in ((0, 0, 4_940), (2_000, 1_970, 2_970), (4_999, 4_940, 0)):
        assert counted_calls(partial(list, table_lines(metric_findings, 120, STROKES, chosen))) < 60_000
        drawn = text(table_lines(metric_findings, 120, STROKES, chosen))
        assert (f"  {above:,} metrics above" in drawn) == (above > 0)
        assert (f"  {below:,} metrics below" in drawn) == (below > 0)
        assert drawn.count("▌") == 1
        assert f"metric {chosen}" in next(line for line in drawn.split("\n") if "▌" in line)


def test_thousands_of_variants_are_counted_and_not_compared() -> None:
    metric_findings = findings(1, variants=2_000)
    assert text(table_lines(metric_findings, 120, STROKES, 0)).count("… and 1,979 more variants") == 2
    assert "… and 1,900 more variants; the JSON tab has all" in text(variant_lines(metric_findings, 120))
    shares = {f"variant-{place}": 1.0 for place in range(20_000)}
    assert ratio_mismatch({}, shares) is None
    assert counted_calls(partial(ratio_mismatch, {}, shares)) < 10


def test_measures_and_form_count_the_metrics_they_leave_out() -> None:
    made = Experiment.of(heavy.experiment(5_000))
    lines = [*measures_lines(metrics_of(made), 120)]
    assert len(lines) <= 202
    assert "more metrics; the JSON tab has all" in plain(lines[-1:])
    form = plain(line.pieces for line in experiment_lines(ExperimentCopy.of(made), Companions()))
    assert "… and 4,900 more metrics; leave with esc; E edits the whole experiment as JSON" in form
    assert "+ a metric" in form
    assert "+ a shared metric" in form
    few, many = (findings(count).metrics for count in (500, 2_500))
    calls = [counted_calls(partial(list, measures_lines(metrics, 120))) for metrics in (few, many)]
    assert calls[1] - calls[0] < 50


async def test_draft_with_thousands_of_events_skips_the_usage_request(make_client: MakeClient) -> None:
    for metrics, asks in ((100, True), (5_000, False)):
        raw, paths = heavy.experiment(metrics), list[str]()

        def answer(request: httpx.Request, raw: object = raw, paths: list[str] = paths) -> httpx.Response:
            paths.append(request.url.path)
            return httpx.Response(200, json=raw)

        inspector = ExperimentInspector(make_client(answer), lambda: 0.0)
        async for _ in inspector.load(Experiment.of(raw).row()):
            pass
        assert any("requires_flag" in path for path in paths) == asks


async def test_heavy_experiment_is_opened_in_a_thread(make_client: MakeClient) -> None:
    for raw in (heavy.experiment(5_000), heavy.experiment(1, variants=20_000)):
        page = httpx.Response(200, json=raw)

        def answer(request: httpx.Request, page: httpx.Response = page) -> httpx.Response:
            return page if request.url.path.endswith("/920/") else httpx.Response(404)

        inspector = ExperimentInspector(make_client(answer), lambda: 0.0)
        row = Experiment.of(heavy.experiment(1)).row()
        with counting_calls() as calls:
            steps = [findings async for findings in inspector.load(row)]
        assert len(steps[-1].row.variants) == len(raw["feature_flag"]["filters"]["multivariate"]["variants"])
        assert calls.count < 4_000

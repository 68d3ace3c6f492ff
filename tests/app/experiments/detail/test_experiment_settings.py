"""What an experiment measures and by which rules, also with thousands of metrics."""

from functools import partial
from typing import Any

import httpx
import pytest
from tests.app.experiments.detail.test_metric_table import STROKES, text
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls, counting_calls
from tests.doubles.servers import MakeClient, clock, make_client

from flagtui.api.errors import ClosedToKeys, EndpointNotFound, ErrorFacts, NotFound, Unanswered
from flagtui.app.experiments.detail.experiment_settings import measures_lines, settings_lines
from flagtui.app.experiments.detail.exposures import variant_lines
from flagtui.app.experiments.detail.metric_table import strokes_for, table_lines
from flagtui.app.experiments.detail.sections import head_lines, results_line, sizing_lines
from flagtui.app.experiments.detail.series import why_no_days
from flagtui.app.experiments.form.experiment_form_lines import (
    Companions,
    experiment_lines,
    leaves_test_accounts_out,
)
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.changes.experiments.experiment_draft import ExperimentCopy
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Findings, Metric, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_results import MetricResult
from flagtui.text.flag_sentences import plain
from flagtui.text.judgement import ratio_mismatch

JSON = Any
NOW = 1_772_442_000.0
STARTED = {"id": 1, "name": "One", "start_date": "2026-02-18T09:00:00Z"}


def event(name: str) -> dict[str, JSON]:
    return {"kind": "EventsNode", "event": name}


def experiment(**more: JSON) -> Experiment:
    return Experiment.of({**STARTED, **more})


def line_after(label: str, **more: JSON) -> str:
    lines = plain(settings_lines(experiment(**more), 400)).splitlines()
    return next((line[14:] for line in lines if line[:14].strip() == label), "")


def findings_of(made: Experiment, **more: Any) -> Findings:
    readings = tuple(MetricReading(metric) for metric in metrics_of(made))
    return Findings(made.row(), made, readings, at=NOW, **more)


def test_what_is_measured_is_told_for_every_metric_and_wrapped() -> None:
    made = experiment(
        metrics=[
            {"metric_type": "funnel", "name": "Paid", "series": [event("a"), event("b")],
             "conversion_window": 14, "conversion_window_unit": "day"},
            {"metric_type": "mean", "source": event("c")},
        ],
        metrics_secondary=[{"metric_type": "mean", "name": "Long", "source": event("x" * 60)}],
    )  # fmt: skip
    assert plain(measures_lines(metrics_of(made), 60)).splitlines() == [
        "MEASURES      Paid: funnel a → b, within 14 days",
        "              mean of c",
        "              Long: mean of " + "x" * 32,
        "                " + "x" * 28,
    ]
    assert plain(measures_lines(metrics_of(experiment(metrics=[])), 60)) == ""


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        (
            {},
            "a call of its flag, with test accounts; several variants seen: excluded from the results",
        ),
        (
            {"filterTestAccounts": True, "multiple_variant_handling": "first_seen",
             "exposure_config": {"kind": "ActionsNode", "id": 5, "name": "Seen"}},
            "action Seen, without test accounts; several variants seen: counted for the first one",
        ),
    ],
)  # fmt: skip
def test_who_is_counted_is_told_as_servers_do_it(criteria: dict[str, JSON], words: str) -> None:
    assert line_after("EXPOSED BY", exposure_criteria=criteria) == words


def test_activation_holdout_cohort_and_open_windows_are_shown() -> None:
    words = line_after("ACTIVATED BY", exposure_criteria={"activation_config": {"event": "opened"}})
    assert words == "opened: only who does that afterwards counts, and from then on"
    assert line_after("ACTIVATED BY") == ""
    holdout = {"id": 3, "name": "Company", "filters": [{"rollout_percentage": 10}]}
    assert line_after("HOLDOUT", holdout=holdout) == "Company, 10 % held out"
    assert line_after("COHORT", exposure_cohort=7) == "exposed users: cohort #7"
    assert line_after("STATISTICS", only_count_matured_users=True).endswith(
        ", only users whose window is over"
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "bayesian, 95 % intervals"),
        ({"cuped": {"enabled": True, "lookback_days": 14}},
         "bayesian, 95 % intervals, CUPED: adjusted for what users did in 14 days before exposure"),
        ({"cuped": {"enabled": True}},
         "bayesian, 95 % intervals, CUPED: adjusted for what users did before exposure"),
        ({"cuped": {"enabled": False, "lookback_days": 14}}, "bayesian, 95 % intervals"),
        ({"method": "frequentist", "frequentist": {"alpha": 0.1, "sequential_testing": {"enabled": True}}},
         "frequentist, 90 % intervals, sequential testing: results may be read anytime"),
        ({"sequential": True}, "bayesian, 95 % intervals, sequential testing: results may be read anytime"),
        ({"baseline_variant_key": "b"}, "bayesian, 95 % intervals, compared with b"),
        ({"bayesian": {"ci_level": 0.9}}, "bayesian, 90 % intervals"),
    ],
)  # fmt: skip
def test_how_numbers_are_judged_is_told_whole(settings: dict[str, JSON], words: str) -> None:
    assert line_after("STATISTICS", stats_config=settings) == words


def test_goal_of_old_servers_is_a_metric() -> None:
    goal = experiment(filters={"insight": "FUNNELS", "events": [{"id": "a"}, {"id": "b", "order": 1}]})
    metric_findings = findings_of(goal)
    assert plain(measures_lines(metrics_of(goal), 60)) == "MEASURES      funnel a → b"
    assert [reading.metric.name for reading in metric_findings.readings] == ["b"]
    assert plain([results_line(metric_findings, NOW)]) == (
        "measured by an older engine: its numbers are only shown in the browser"
    )
    assert plain([results_line(findings_of(experiment()), NOW)]) == "no metric is set"


@pytest.mark.parametrize(
    ("metric", "name", "is_share"),
    [
        ({"metric_type": "mean", "source": event("a"), "threshold": 3}, "a", True),
        ({"metric_type": "mean", "source": event("a")}, "a", False),
        ({"metric_type": "ratio", "numerator": event("a"), "denominator": event("b")}, "a", False),
        ({"metric_type": "retention", "start_event": event("a"), "completion_event": event("b")}, "a", True),
        ({"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [event("a"), event("b")]}},
         "b", True),
        ({"metric_type": "count", "metric_config": {"event": "a"}}, "a", False),
        ({"metric_type": "next"}, "next", False),
    ],
)  # fmt: skip
def test_unnamed_metric_is_named_by_what_it_counts(
    metric: dict[str, JSON], name: str, is_share: bool
) -> None:
    made = Metric(metric, "primary")
    assert (made.name, made.is_share) == (name, is_share)


def test_unknown_samples_and_exposures_are_not_claimed() -> None:
    made = experiment(running_time_calculation={"recommended_sample_size": 400})
    assert "not known how many of 400 users" in plain(sizing_lines(findings_of(made), NOW))
    assert "120 of 400 users" in plain(sizing_lines(findings_of(made, exposed={"control": 120.0}), NOW))
    metric_findings = findings_of(experiment(), exposed={"control": 9.0}, exposure_trouble="No.")
    assert "users of the first metric; exposures are not known: No." in plain(
        variant_lines(metric_findings, 80)
    )


def test_table_heading_names_the_variant_compared_with() -> None:
    variants = [{"key": key, "rollout_percentage": 50} for key in ("control", "b")]
    made = experiment(
        metrics=[{"metric_type": "funnel", "series": [event("a")]}],
        parameters={"feature_flag_variants": variants},
    )
    result = MetricResult.of({"baseline": {"key": "b", "number_of_samples": 9.0, "sum": 3}})
    readings = tuple(MetricReading(metric, result) for metric in metrics_of(made))
    heading = plain(table_lines(Findings(made.row(), made, readings), 100, strokes_for(UNICODE), 0))
    assert " B " in heading.splitlines()[0]
    assert "CONTROL" not in heading.splitlines()[0]


@pytest.mark.parametrize(("flag", "off"), [(None, ""), (5, ""), ({"id": 3, "active": False}, " (off)")])
def test_flag_of_unknown_state_is_not_called_off(flag: JSON, off: str) -> None:
    made = experiment(feature_flag_key="k", feature_flag=flag)
    assert plain(head_lines(made.row(), 80)).splitlines()[0].endswith(f"flag k{off}")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (EndpointNotFound("No."), "This server keeps no results by day, or not for keys."),
        (ClosedToKeys("No."), "This server keeps no results by day, or not for keys."),
        (NotFound("Gone.", facts=ErrorFacts(path="/api/projects/1/experiments/3/timeseries_results/")),
         "This server keeps no results by day, or not for keys."),
        (NotFound("Gone.", facts=ErrorFacts(path="/api/projects/1/experiments/3/")),
         "Gone. It may have been deleted, or this key may not see it; read the list again."),
        (Unanswered("No answer."), "No answer. Try again; if it stays"),
    ],
)  # fmt: skip
def test_absent_days_are_not_called_deleted(error: Any, words: str) -> None:
    assert why_no_days(error).startswith(words)


def test_form_shows_and_toggles_the_exclusion_of_test_accounts() -> None:
    new = ExperimentCopy.new("A", "a", is_linked=False)
    assert leaves_test_accounts_out(new)
    for criteria, is_out in (({}, False), ({"filterTestAccounts": True}, True)):
        copy = ExperimentCopy.of(experiment(exposure_criteria=criteria))
        assert leaves_test_accounts_out(copy) is is_out


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

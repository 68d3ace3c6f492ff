"""What an experiment measures and by which rules, also with thousands of metrics."""

import re
from functools import partial
from typing import Any

import httpx
import pytest
from tests.app.experiments.detail.findings import NOW, compared, experiment, findings, sample, table
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls, counting_calls
from tests.doubles.servers import MakeClient

from flagtui.api.errors import ClosedToKeys, EndpointNotFound, ErrorFacts, NotFound, Unanswered
from flagtui.app.experiments.detail.experiment_settings import measures_lines, settings_lines
from flagtui.app.experiments.detail.exposures import variant_lines
from flagtui.app.experiments.detail.sections import head_lines, lifecycle_lines, results_line
from flagtui.app.experiments.detail.series import why_no_days
from flagtui.app.experiments.form.experiment_form_lines import (
    Companions,
    experiment_lines,
    leaves_test_accounts_out,
)
from flagtui.changes.experiments.experiment_draft import ExperimentCopy
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Findings, Metric, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow
from flagtui.text.flag_sentences import plain
from flagtui.text.judgement import ratio_mismatch

JSON = Any
DAY = 86_400.0
STARTED = 1_792_000_000.0


def event(name: str) -> dict[str, JSON]:
    return {"kind": "EventsNode", "event": name}


def stats(**config: JSON) -> dict[str, JSON]:
    return {"stats_config": config}


def test_every_metric_is_described_and_wrapped() -> None:
    window = {"conversion_window": 14, "conversion_window_unit": "day"}
    paid = {"metric_type": "funnel", "name": "Paid", "series": [event("a"), event("b")], **window}
    long = {"metric_type": "mean", "name": "Long", "source": event("x" * 60)}
    made = experiment(metrics=[paid, {"metric_type": "mean", "source": event("c")}], metrics_secondary=[long])
    assert plain(measures_lines(metrics_of(made), 60)).splitlines() == [
        "MEASURES      Paid: funnel a → b, within 14 days",
        "              mean of c",
        "              Long: mean of " + "x" * 32,
        "                " + "x" * 28,
    ]
    assert plain(measures_lines((), 60)) == ""


SEEN = {"kind": "ActionsNode", "id": 5, "name": "Seen"}
FIRST = {"filterTestAccounts": True, "multiple_variant_handling": "first_seen", "exposure_config": SEEN}
SEQUENTIAL = "sequential testing: results may be read anytime"
ALPHA = {"alpha": 0.1, "sequential_testing": {"enabled": True}}
ADJUSTED = "CUPED: adjusted for what users did"
HOLDOUT = {"id": 3, "name": "Company", "filters": [{"rollout_percentage": 10}]}


@pytest.mark.parametrize(("label", "settings", "words"), [
    ("EXPOSED BY", {"exposure_criteria": {}},
     "a call of its flag, with test accounts; several variants seen: excluded from the results"),
    ("EXPOSED BY", {"exposure_criteria": FIRST},
     "action Seen, without test accounts; several variants seen: counted for the first one"),
    ("ACTIVATED BY", {"exposure_criteria": {"activation_config": {"event": "opened"}}},
     "opened: only who does that afterwards counts, and from then on"),
    ("ACTIVATED BY", {}, ""),
    ("HOLDOUT", {"holdout": HOLDOUT}, "Company, 10 % held out"),
    ("COHORT", {"exposure_cohort": 7}, "exposed users: cohort #7"),
    ("STATISTICS", {"only_count_matured_users": True},
     "bayesian, 95 % intervals, only users whose window is over"),
    ("STATISTICS", stats(), "bayesian, 95 % intervals"),
    ("STATISTICS", stats(cuped={"enabled": True, "lookback_days": 14}),
     f"bayesian, 95 % intervals, {ADJUSTED} in 14 days before exposure"),
    ("STATISTICS", stats(cuped={"enabled": True}),
     f"bayesian, 95 % intervals, {ADJUSTED} before exposure"),
    ("STATISTICS", stats(cuped={"enabled": False, "lookback_days": 14}), "bayesian, 95 % intervals"),
    ("STATISTICS", stats(method="frequentist", frequentist=ALPHA),
     f"frequentist, 90 % intervals, {SEQUENTIAL}"),
    ("STATISTICS", stats(sequential=True), f"bayesian, 95 % intervals, {SEQUENTIAL}"),
    ("STATISTICS", stats(baseline_variant_key="b"), "bayesian, 95 % intervals, compared with b"),
    ("STATISTICS", stats(bayesian={"ci_level": 0.9}), "bayesian, 90 % intervals"),
])  # fmt: skip
def test_who_is_counted_and_how_is_described(label: str, settings: dict[str, JSON], words: str) -> None:
    lines = plain(settings_lines(experiment(**settings), 400)).splitlines()
    assert next((line[14:] for line in lines if line[:14].strip() == label), "") == words


def test_goal_of_old_servers_is_a_metric() -> None:
    events = [{"id": "a"}, {"id": "b", "order": 1}]
    goal = findings(experiment(metrics=[], filters={"insight": "FUNNELS", "events": events}))
    assert plain(measures_lines(goal.metrics, 60)) == "MEASURES      funnel a → b"
    assert [metric.name for metric in goal.metrics] == ["b"]
    words = "measured by an older engine: its numbers are only shown in the browser"
    assert plain([results_line(goal, NOW)]) == words
    assert plain([results_line(findings(experiment(metrics=[]), at=NOW), NOW)]) == "no metric is set"


@pytest.mark.parametrize(("metric", "name", "is_share"), [
    ({"metric_type": "mean", "source": event("a"), "threshold": 3}, "a", True),
    ({"metric_type": "mean", "source": event("a")}, "a", False),
    ({"metric_type": "ratio", "numerator": event("a"), "denominator": event("b")}, "a", False),
    ({"metric_type": "retention", "start_event": event("a"), "completion_event": event("b")}, "a", True),
    (
        {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [event("a"), event("b")]}},
        "b",
        True,
    ),
    ({"metric_type": "count", "metric_config": {"event": "a"}}, "a", False),
    ({"metric_type": "next"}, "next", False),
])  # fmt: skip
def test_unnamed_metric_is_named_by_what_it_counts(
    metric: dict[str, JSON], name: str, is_share: bool
) -> None:
    made = Metric(metric, "primary")
    assert (made.name, made.is_share) == (name, is_share)


def test_table_heading_names_the_variant_compared_with() -> None:
    heading, *_ = table(findings(experiment("control", "b"), compared(sample("b", 9, 3))), 100).splitlines()
    assert " B " in heading
    assert "CONTROL" not in heading


@pytest.mark.parametrize(("flag", "off"), [(None, ""), (5, ""), ({"id": 3, "active": False}, " (off)")])
def test_flag_of_unknown_state_is_not_called_off(flag: JSON, off: str) -> None:
    made = experiment(feature_flag_key="k", feature_flag=flag)
    assert plain(head_lines(made.row(), 80)).splitlines()[0].endswith(f"flag k{off}")


NO_DAYS = "This server keeps no results by day, or not for keys."
RECORD = "/api/projects/1/experiments/3/"


@pytest.mark.parametrize(("error", "words"), [
    (EndpointNotFound("No."), NO_DAYS),
    (ClosedToKeys("No."), NO_DAYS),
    (NotFound("Gone.", facts=ErrorFacts(path=f"{RECORD}timeseries_results/")), NO_DAYS),
    (NotFound("Gone.", facts=ErrorFacts(path=RECORD)),
     "Gone. It may have been deleted, or this key may not see it; read the list again."),
    (Unanswered("No answer."), "No answer. Try again; if it stays"),
])  # fmt: skip
def test_absent_days_are_not_called_deleted(error: Any, words: str) -> None:
    assert why_no_days(error).startswith(words)


def test_form_shows_whether_test_accounts_are_excluded() -> None:
    assert leaves_test_accounts_out(ExperimentCopy.new("A", "a", is_linked=False))
    for criteria, word in (({}, "counted"), ({"filterTestAccounts": True}, "excluded")):
        copy = ExperimentCopy.of(experiment(exposure_criteria=criteria, stats_config={}))
        assert leaves_test_accounts_out(copy) is (word == "excluded")
        form = plain(line.pieces for line in experiment_lines(copy, Companions()))
        assert re.search(rf"test accounts +{word}\n", form)
        assert "project default" in form


def draw_lifecycle(days: float, planned: float | None, status: str = "running", width: int = 50) -> list[str]:
    ended = STARTED + days * DAY if status == "stopped" else None
    row = ExperimentRow(id=1, name="new nav", status=status, started_at=STARTED, ended_at=ended)
    return plain(lifecycle_lines(row, STARTED + days * DAY, planned, width)).splitlines()


@pytest.mark.parametrize(("days", "planned", "status", "bar", "words"), [
    (0.1, 28, "running", "━───────────────", "day 0 of ~28"),
    (14, 28, "running", "━━━━━━━━────────", "day 14 of ~28"),
    (28.2, 28, "running", "━━━━━━━━━━━━━━━─", "day 28 of ~28"),
    (28.6, 28, "running", "━━━━━━━━━━━━━━━─", "day 29 of ~28 · longer than planned"),
    (28.6, 28.7, "running", "━━━━━━━━━━━━━━━─", "day 29 of ~29"),
    (90, 28, "running", "━━━━━━━━━━━━━━━─", "day 90 of ~28 · longer than planned"),
    (12, None, "running", None, "day 12"),
    (0.8, 28, "stopped", "━━━━━━━━━━━━━━━━", "1 day, until "),
    (9.2, 28, "stopped", "━━━━━━━━━━━━━━━━", "9 days, until "),
])  # fmt: skip
def test_bar_and_days_of_an_experiment_agree(
    days: float, planned: float | None, status: str, bar: str | None, words: str
) -> None:
    first, second = draw_lifecycle(days, planned, status)[:2]
    assert bar is None or first.split()[-2] == bar
    shown = second.partition("2026   ")[2]
    assert shown.startswith(words) if status == "stopped" else shown == words


@pytest.mark.parametrize("width", [41, 56, 76, 120])
def test_lifecycle_takes_one_line_in_every_width(width: int) -> None:
    words = ("draft", "running", "paused", "frozen", "ended")
    for status, word in zip(("draft", "running", "paused", "exposure_frozen", "stopped"), words, strict=True):
        first = draw_lifecycle(9, 28, status, width)[0]
        assert len(first) <= width
        assert word in first


def heavy_findings(metrics: int, variants: int = 2) -> Findings:
    others = (sample(f"variant-{place}", 100, 20) for place in range(1, variants))
    made = Experiment.of(heavy.experiment(metrics, variants=variants))
    return findings(made, compared(sample("variant-0", 100, 20), *others))


def test_table_draws_a_window_around_the_chosen_metric() -> None:
    shown = heavy_findings(2_500)
    for chosen, above, below in ((0, 0, 4_940), (2_000, 1_970, 2_970), (4_999, 4_940, 0)):
        assert counted_calls(partial(table, shown, 120, chosen)) < 60_000
        drawn = table(shown, 120, chosen)
        assert (f"  {above:,} metrics above" in drawn) == (above > 0)
        assert (f"  {below:,} metrics below" in drawn) == (below > 0)
        [line] = [line for line in drawn.split("\n") if "▌" in line]
        assert f"metric {chosen}" in line


def test_thousands_of_variants_are_counted_and_not_compared() -> None:
    shown = heavy_findings(1, variants=2_000)
    assert table(shown, 120).count("… and 1,979 more variants") == 2
    assert "… and 1,900 more variants; the JSON tab has all" in plain(variant_lines(shown, 120))
    shares = {f"variant-{place}": 1.0 for place in range(20_000)}
    assert ratio_mismatch({}, shares) is None
    assert counted_calls(partial(ratio_mismatch, {}, shares)) < 10


def test_measures_and_form_count_the_metrics_they_leave_out() -> None:
    made = Experiment.of(heavy.experiment(5_000))
    lines = [*measures_lines(metrics_of(made), 120)]
    assert len(lines) <= 202
    assert "more metrics; the JSON tab has all" in plain(lines[-1:])
    form = plain(line.pieces for line in experiment_lines(ExperimentCopy.of(made), Companions()))
    more = "… and 4,900 more metrics; leave with esc; E edits the whole experiment as JSON"
    assert all(words in form for words in (more, "+ a metric", "+ a shared metric"))
    few, many = (heavy_findings(count).metrics for count in (500, 2_500))
    calls = [counted_calls(partial(list, measures_lines(metrics, 120))) for metrics in (few, many)]
    assert calls[1] - calls[0] < 50


@pytest.mark.parametrize(("metrics", "asks"), [(100, True), (5_000, False)])
async def test_draft_with_thousands_of_events_skips_the_usage_request(
    make_client: MakeClient, metrics: int, asks: bool
) -> None:
    raw, paths = heavy.experiment(metrics), list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json=raw)

    inspector = ExperimentInspector(make_client(answer), lambda: 0.0)
    [_ async for _ in inspector.load(Experiment.of(raw).row())]
    assert any("requires_flag" in path for path in paths) == asks


@pytest.mark.parametrize(
    "raw", [heavy.experiment(5_000), heavy.experiment(1, variants=20_000)], ids=["metrics", "variants"]
)
async def test_heavy_experiment_is_opened_in_a_thread(make_client: MakeClient, raw: Any) -> None:
    page = httpx.Response(200, json=raw)
    inspector = ExperimentInspector(
        make_client(lambda request: page if request.url.path.endswith("/920/") else httpx.Response(404)),
        lambda: 0.0,
    )
    row = Experiment.of(heavy.experiment(1)).row()
    with counting_calls() as calls:
        steps = [shown async for shown in inspector.load(row)]
    assert len(steps[-1].row.variants) == len(raw["feature_flag"]["filters"]["multivariate"]["variants"])
    assert calls.count < 4_000

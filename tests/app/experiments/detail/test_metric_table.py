"""Tables of metrics where data is thin, odd, hostile or much."""

from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from flagtui.app.experiments.chart import chart_lines
from flagtui.app.experiments.detail.exposures import alarm_lines, variant_lines
from flagtui.app.experiments.detail.metric_table import strokes_for, table_lines
from flagtui.app.experiments.detail.proposed_conclusion import ProposedConclusion, propose_conclusion
from flagtui.app.experiments.detail.sections import head_lines, sizing_lines
from flagtui.app.experiments.detail.series import courses_of, day_lines, state_words
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.details.metric_findings import Findings, Metric, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import HealthFinding, Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.text.judgement import leading_of, verdicts
from flagtui.text.styled import Piece

HOSTILE = "\x1b[31mred\u202e [bold]x[/bold]\n\t\x9b2J"
STROKES = strokes_for(UNICODE)


def experiment(*keys: str, **more: Any) -> Experiment:
    variants = [{"key": key, "rollout_percentage": 100 / len(keys)} for key in keys]
    flag = {"id": 3, "key": "k", "active": True, "filters": {"multivariate": {"variants": variants}}}
    metric = {"uuid": "m", "metric_type": "funnel", "name": "Paid", "fingerprint": "f"}
    return Experiment.of(
        {
            "id": 1,
            "name": "One",
            "start_date": "2026-02-18T09:00:00Z",
            "feature_flag": flag,
            "metrics": [metric],
            **more,
        }
    )


def sample(key: str, people: int, total: float, **more: Any) -> dict[str, Any]:
    return {"key": key, "number_of_samples": people, "sum": total, "sum_squares": total, **more}


def findings(made: Experiment, result: dict[str, Any] | None, **exposed: float) -> Findings:
    metric_result = MetricResult.of(result) if result is not None else None
    readings = tuple(MetricReading(metric, metric_result) for metric in metrics_of(made))
    return Findings(made.row(), made, readings, exposed)


def text(lines: Any) -> str:
    pieces: list[list[Piece]] = [list(line) for line in lines]
    return "\n".join("".join(part for part, _style in line) for line in pieces)


def test_twenty_variants_each_have_their_line_at_every_width() -> None:
    keys = [f"v{place}" for place in range(20)]
    result = {
        "baseline": sample("v0", 100, 20),
        "variant_results": [
            sample(key, 100, 25, credible_interval=[-0.1, 0.6], chance_to_win=0.8) for key in keys[1:]
        ],
    }
    metric_findings = findings(experiment(*keys), result, **dict.fromkeys(keys, 100.0))
    for width in (30, 58, 74, 84, 126, 200):
        drawn = text(table_lines(metric_findings, width, STROKES, 0))
        assert all(f"  {key} " in drawn for key in keys[1:])
        assert max(cell_len(line) for line in drawn.splitlines()) <= width
    assert text(variant_lines(metric_findings, 126)).count("100   5.00 %") == 20


@pytest.mark.parametrize("key", ["simplified-onboarding", "功能标志结账重新设计", "\u202epgnp.exe"])
def test_long_names_of_variants_keep_the_columns(key: str) -> None:
    """Names are cut by the cells they are drawn in, not by their characters."""

    def places(name: str) -> list[int]:
        result = {"baseline": sample("control", 100, 20), "variant_results": [sample(name, 100, 25)]}
        metric_findings = findings(experiment("control", name), result, control=100.0, **{name: 100.0})
        lines = [
            text(table_lines(metric_findings, 126, STROKES, 0)),
            text(variant_lines(metric_findings, 126)),
        ]
        heading, exposed = lines[0].splitlines()[0], lines[1].splitlines()[2]
        return [cell_len(heading.partition("Δ")[0]), cell_len(exposed.partition(" 50 %")[0])]

    assert places(key) == places("test")


def comparison(people: int, **more: Any) -> dict[str, Any]:
    control, test = sample("control", people, people / 3), sample("test", people, people / 3, **more)
    return {"baseline": control, "variant_results": [test]}


@pytest.mark.parametrize(
    ("result", "words", "leads"),
    [
        (None, "no numbers yet", None),
        ({}, "no numbers yet", None),
        ({"baseline": sample("control", 0, 0), "variant_results": []}, "no numbers yet", None),
        (comparison(0), "no baseline", "no baseline"),
        ({**comparison(9), "baseline": sample("control", 9, 0)}, "the baseline is 0", "the baseline is 0"),
        (
            comparison(9, validation_failures=["not-enough-exposures"]),
            "too few users yet",
            "too few users yet",
        ),
        (comparison(9, validation_failures=["x-\x1bnew"]), "x-␛new", "x-␛new"),
        (comparison(9), "+0.0 %", "test +0.0 %"),
    ],
)
def test_thin_data_says_what_is_missing(result: dict[str, Any] | None, words: str, leads: str | None) -> None:
    metric_findings = findings(experiment("control", "test"), result)
    assert words in text(table_lines(metric_findings, 126, STROKES, 0))
    leading = leading_of(metric_findings)
    assert (None if leading is None else leading.words) == leads
    assert leading is None or leading.forms[0] in leading.words
    assert text(sizing_lines(metric_findings, 1_772_442_000.0)) == ""


def test_chance_means_better_and_is_never_rounded_to_certainty() -> None:
    metric = Metric({"metric_type": "mean", "goal": "decrease"}, "primary")
    result = MetricResult.of(
        {
            "baseline": sample("control", 100, 100),
            "variant_results": [sample("test", 100, 80, chance_to_win=0.0, significant=True)],
        }
    )
    (verdict,) = verdicts(MetricReading(metric, result))
    assert (verdict.odds, verdict.look, verdict.delta) == (">99.9 %", "good", "−20.0 %")


def test_p_values_are_shown_for_frequentist_results() -> None:
    made = experiment(
        "control", "test", stats_config={"method": "frequentist", "frequentist": {"alpha": 0.1}}
    )
    variant = sample("test", 100, 30, p_value=0.0004, confidence_interval=[0.1, 0.9], significant=True)
    result = {"baseline": sample("control", 100, 20), "variant_results": [variant]}
    drawn = text(table_lines(findings(made, result), 126, STROKES, 0))
    assert "P-VALUE" in drawn
    assert "90 % INTERVAL" in drawn
    assert "p <0.001" in drawn


def test_hostile_names_are_only_text() -> None:
    metric = {"uuid": "m", "metric_type": HOSTILE, "name": HOSTILE}
    made = experiment("control", HOSTILE, name=HOSTILE, metrics=[metric])
    result = {"baseline": sample("control", 9, 3), "variant_results": [sample(HOSTILE, 9, 4)]}
    metric_findings = findings(made, result, control=60.0, **{HOSTILE: 60.0})
    drawn = "\n".join(
        text(lines)
        for lines in (table_lines(metric_findings, 126, STROKES, 0), variant_lines(metric_findings, 126))
    )
    assert not set(drawn) & set("\x1b\u202e\t\x9b")
    assert "[bold]" in drawn


def test_splits_and_samples_name_what_is_wrong_and_counted() -> None:
    made = experiment("control", "test")
    assert "do not trust" in text(alarm_lines(findings(made, None, control=900.0, test=500.0)))
    assert text(alarm_lines(findings(made, None, control=700.0, test=710.0))) == ""
    grouped = {"filters": {"aggregation_group_type_index": 0}, "id": 3, "key": "k"}
    made = experiment(
        "control", feature_flag=grouped, running_time_calculation={"recommended_sample_size": 400}
    )
    assert "of 400 groups" in text(sizing_lines(findings(made, None, a=1.0), 1_772_442_000.0))


def test_sample_and_shares_count_analysed_variants_only() -> None:
    made = experiment("control", "test", parameters={"recommended_sample_size": 1_000})
    counts = {"control": 300.0, "test": 300.0, "$multiple": 40.0, "holdout-4": 60.0}
    experiment_findings = findings(made, None, **counts)
    assert "600 of 1,000 users" in text(sizing_lines(experiment_findings, 1_772_442_000.0))
    drawn = text(variant_lines(experiment_findings, 126))
    assert drawn.count("300  50.00 %") == 2
    lines = {line.split()[0]: line for line in drawn.splitlines() if line}
    assert lines["$multiple"].endswith("40  saw several variants, not analysed")
    assert lines["holdout-4"].endswith("60  held out, not analysed")


def test_bias_and_health_findings_are_alarms() -> None:
    made = findings(experiment("control", "test"), None, control=300.0, test=310.0)
    faults = [
        {"code": "flag_off_while_running", "severity": "error", "title": "Flag off", "detail": "No one."},
        {"code": "no_metric", "severity": "warning"},
        {"code": "srm", "title": "drawn from the exposures"},
    ]
    health = tuple(map(HealthFinding.of, faults))
    assert text(alarm_lines(replace(made, bias_percentage=1.25, health=health))).splitlines() == [
        "! risk of bias: 1.25 % of users saw several variants and are excluded",
        "! Flag off: No one.",
        "! no metric",
    ]


def test_deleted_flag_and_notes_are_shown() -> None:
    flag = {"id": 3, "key": "k", "deleted": True}
    parameters = {
        "variant_notes": {"a": "The old page " * 20},
        "feature_flag_variants": [{"key": "a", "rollout_percentage": 100}],
    }
    made = findings(experiment(feature_flag=flag, parameters=parameters), None)
    assert "flag k (deleted: no one gets a variant)" in text(head_lines(made.row, 100))
    assert f"  {'The old page ' * 20}" in text(variant_lines(made, 100)).splitlines()


def test_breakdowns_have_lines_and_unknown_lifts_no_zero() -> None:
    result = {"baseline": {"key": "control"}, "variant_results": [{"key": "test", "chance_to_win": 0.9}]}
    drawn = text(table_lines(findings(experiment("control", "test"), result), 126, STROKES, 0))
    assert "not known" in drawn.splitlines()[1]
    assert "90.0 %" in drawn
    assert "0.0 %" not in drawn.replace("90.0 %", "")
    part = {"breakdown_value": ["pro"], **comparison(100, chance_to_win=0.9)}
    result = {**comparison(400, chance_to_win=0.6), "breakdown_results": [part]}
    drawn = text(table_lines(findings(experiment("control", "test"), result), 126, STROKES, 0))
    assert drawn.splitlines()[-1].startswith("▌   pro · test  ")


def days(*values: float | None) -> Timeseries:
    results = {
        f"2026-02-{18 + place}": None
        if value is None
        else {
            "baseline": sample("control", 100, 20),
            "variant_results": [sample("test", 100, value, credible_interval=[-0.2, 0.4])],
        }
        for place, value in enumerate(values)
    }
    errors = {day: "timeout" for day, value in results.items() if value is None}
    return Timeseries.of({"timeseries": results, "errors": errors, "status": "partial"})


@pytest.mark.parametrize("values", [(20.0,), (None, 20.0), (20.0, None, 25.0), (20.0, 21.0, None)])
def test_failed_days_are_gaps_in_the_plot_and_words_below(values: tuple[float | None, ...]) -> None:
    series = days(*values)
    courses = courses_of(series)
    drawn = text(chart_lines("Paid", courses, [day for day, _ in series.days], (80, 16), UNICODE))
    assert "test" in drawn
    assert ("no value" in drawn) == (None in values)
    table = text(day_lines(Metric({"metric_type": "funnel"}, "primary"), series, 120))
    assert table.count("failed: timeout") == values.count(None)


def test_day_without_an_interval_fits_80_columns() -> None:
    few = sample("test", 3, 1, validation_failures=["not-enough-exposures"])
    result = {"baseline": sample("control", 3, 1), "variant_results": [few]}
    series = Timeseries.of({"timeseries": {"2026-02-18": result}})
    head, day = text(day_lines(Metric({"metric_type": "funnel"}, "primary"), series, 76)).splitlines()
    assert day.index("too few users yet") == head.index("INTERVAL")


def test_what_is_being_calculated_is_said() -> None:
    assert "being calculated: the server has no day yet" in state_words(Timeseries.of({"timeseries": {}}))[0]
    failed = Timeseries.of(
        {"timeseries": {"2026-02-18": None}, "errors": {"2026-02-18": "out of memory"}, "status": "failed"}
    )
    assert "out of memory" in state_words(failed)[0]
    again = Timeseries.of({"timeseries": {}, "recalculation_status": "in_progress"})
    assert "recalculated" in state_words(again)[0]
    assert state_words(days(20.0, None))[0] == "1 of 2 days, 1 failed"


@pytest.mark.parametrize(
    ("people", "total", "is_clear", "proposed"),
    [
        (3_000, 400, True, ProposedConclusion("won", winner="test")),
        (3_000, 200, True, ProposedConclusion("lost")),
        (3_000, 310, False, ProposedConclusion(objection="no clear result so far")),
        (200, 27, True, ProposedConclusion(objection="too few so far: 400 of 5,000 users")),
    ],
)
def test_winner_is_proposed_for_a_clear_result_with_enough_people(
    people: int, total: float, is_clear: bool, proposed: ProposedConclusion
) -> None:
    made = experiment("control", "test", parameters={"recommended_sample_size": 5_000})
    result = {
        "baseline": sample("control", people, people / 10),
        "variant_results": [
            sample("test", people, total, significant=is_clear),
            sample("holdout-1", people, people, significant=True),
        ],
    }
    assert propose_conclusion(findings(made, result, control=people, test=people)) == proposed


def test_nothing_is_proposed_without_results() -> None:
    made = experiment("control", "test")
    assert propose_conclusion(findings(made, None)) == ProposedConclusion(objection="no results are loaded")

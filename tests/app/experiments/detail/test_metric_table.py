"""Tables of metrics where data is thin, odd, hostile or much."""

from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from tests.app.experiments.detail.findings import NOW, compared, experiment, findings, sample, table

from flagtui.app.experiments.chart import chart_lines
from flagtui.app.experiments.detail.exposures import alarm_lines, variant_lines
from flagtui.app.experiments.detail.proposed_conclusion import ProposedConclusion, propose_conclusion
from flagtui.app.experiments.detail.sections import head_lines, sizing_lines
from flagtui.app.experiments.detail.series import courses_of, day_lines, state_words
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.details.metric_findings import Metric, MetricReading
from flagtui.models.experiment_responses import HealthFinding, Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.text.flag_sentences import plain
from flagtui.text.judgement import leading_of, verdicts

HOSTILE = "\x1b[31mred\u202e [bold]x[/bold]\n\t\x9b2J"
PAIR = experiment("control", "test")
FUNNEL = Metric({"metric_type": "funnel"}, "primary")
CONTROL = sample("control", 100, 20)


def test_twenty_variants_each_have_their_line_at_every_width() -> None:
    keys = [f"v{place}" for place in range(20)]
    others = (sample(key, 100, 25, credible_interval=[-0.1, 0.6], chance_to_win=0.8) for key in keys[1:])
    shown = findings(experiment(*keys), compared(sample("v0", 100, 20), *others), dict.fromkeys(keys, 100.0))
    for width in (30, 58, 74, 84, 126, 200):
        drawn = table(shown, width)
        assert all(f"  {key} " in drawn for key in keys[1:])
        assert max(map(cell_len, drawn.splitlines())) <= width
    assert plain(variant_lines(shown, 126)).count("100   5.00 %") == 20


@pytest.mark.parametrize("key", ["simplified-onboarding", "功能标志结账重新设计", "\u202epgnp.exe"])
def test_long_names_of_variants_keep_the_columns(key: str) -> None:
    """Names are cut by the cells they are drawn in, not by their characters."""

    def places(name: str) -> list[int]:
        result = compared(CONTROL, sample(name, 100, 25))
        shown = findings(experiment("control", name), result, {"control": 100.0, name: 100.0})
        heading, exposed = table(shown).splitlines()[0], plain(variant_lines(shown, 126)).splitlines()[2]
        return [cell_len(heading.partition("Δ")[0]), cell_len(exposed.partition(" 50 %")[0])]

    assert places(key) == places("test")


def thin(people: int, **more: Any) -> dict[str, Any]:
    share = people / 3
    return compared(sample("control", people, share), sample("test", people, share, **more))


@pytest.mark.parametrize(("result", "words", "leads"), [
    (None, "no numbers yet", None),
    ({}, "no numbers yet", None),
    (compared(sample("control", 0, 0)), "no numbers yet", None),
    (thin(0), "no baseline", "no baseline"),
    (compared(sample("control", 9, 0), sample("test", 9, 3)), "the baseline is 0", "the baseline is 0"),
    (compared(sample("control", 9, 3), sample("test", 0, 0)), "no value yet", "no value yet"),
    (thin(9, validation_failures=["not-enough-exposures"]), "too few users yet", "too few users yet"),
    (thin(9, validation_failures=["x-\x1bnew"]), "x-␛new", "x-␛new"),
    (thin(9), "+0.0 %", "test +0.0 %"),
])  # fmt: skip
def test_thin_data_says_what_is_missing(result: dict[str, Any] | None, words: str, leads: str | None) -> None:
    shown = findings(PAIR, result)
    assert words in table(shown)
    leading = leading_of(shown)
    assert (None if leading is None else leading.words) == leads
    assert leading is None or leading.forms[0] in leading.words
    assert plain(sizing_lines(shown, NOW)) == ""


def test_chance_means_better_and_is_never_rounded_to_certainty() -> None:
    metric = Metric({"metric_type": "mean", "goal": "decrease"}, "primary")
    variant = sample("test", 100, 80, chance_to_win=0.0, significant=True)
    result = MetricResult.of(compared(sample("control", 100, 100), variant))
    (verdict,) = verdicts(MetricReading(metric, result))
    assert (verdict.odds, verdict.look, verdict.delta) == (">99.9 %", "good", "−20.0 %")


def test_p_values_are_shown_for_frequentist_results() -> None:
    frequentist = {"method": "frequentist", "frequentist": {"alpha": 0.1}}
    variant = sample("test", 100, 30, p_value=0.0004, confidence_interval=[0.1, 0.9], significant=True)
    made = experiment("control", "test", stats_config=frequentist)
    drawn = table(findings(made, compared(CONTROL, variant)))
    assert all(words in drawn for words in ("P-VALUE", "90 % INTERVAL", "p <0.001"))


def test_hostile_names_are_only_text() -> None:
    metric = {"uuid": "m", "metric_type": HOSTILE, "name": HOSTILE}
    made = experiment("control", HOSTILE, name=HOSTILE, metrics=[metric])
    result = compared(sample("control", 9, 3), sample(HOSTILE, 9, 4))
    shown = findings(made, result, {"control": 60.0, HOSTILE: 60.0})
    drawn = f"{table(shown)}\n{plain(variant_lines(shown, 126))}"
    assert not set(drawn) & set("\x1b\u202e\t\x9b")
    assert "[bold]" in drawn


def test_splits_and_samples_name_what_is_wrong_and_counted() -> None:
    assert "do not trust" in plain(alarm_lines(findings(PAIR, exposed={"control": 900.0, "test": 500.0})))
    assert plain(alarm_lines(findings(PAIR, exposed={"control": 700.0, "test": 710.0}))) == ""
    grouped = {"filters": {"aggregation_group_type_index": 0}, "id": 3, "key": "k"}
    size = {"recommended_sample_size": 400}
    made = experiment("control", feature_flag=grouped, running_time_calculation=size)
    assert "of 400 groups" in plain(sizing_lines(findings(made, exposed={"a": 1.0}), NOW))
    made = experiment("control", running_time_calculation=size)
    assert "not known how many of 400 users" in plain(sizing_lines(findings(made), NOW))
    assert "120 of 400 users" in plain(sizing_lines(findings(made, exposed={"control": 120.0}), NOW))


def test_sample_and_shares_count_analysed_variants_only() -> None:
    made = experiment("control", "test", parameters={"recommended_sample_size": 1_000})
    counts = {"control": 300.0, "test": 300.0, "$multiple": 40.0, "holdout-4": 60.0}
    shown = findings(made, exposed=counts)
    assert "600 of 1,000 users" in plain(sizing_lines(shown, NOW))
    lines = {line.split()[0]: line for line in plain(variant_lines(shown, 126)).splitlines() if line}
    assert all("300  50.00 %" in lines[key] for key in ("control", "test"))
    assert lines["$multiple"].endswith("40  saw several variants, not analysed")
    assert lines["holdout-4"].endswith("60  held out, not analysed")
    shown = findings(experiment("control"), exposed={"control": 9.0}, exposure_trouble="No.")
    words = "users of the first metric; exposures are not known: No."
    assert words in plain(variant_lines(shown, 80))


def test_bias_and_health_findings_are_alarms() -> None:
    faults = [
        {"code": "flag_off_while_running", "severity": "error", "title": "Flag off", "detail": "No one."},
        {"code": "no_metric", "severity": "warning"},
        {"code": "srm", "title": "drawn from the exposures"},
    ]
    shown = findings(PAIR, exposed={"control": 300.0, "test": 310.0})
    health = tuple(map(HealthFinding.of, faults))
    assert plain(alarm_lines(replace(shown, bias_percentage=1.25, health=health))).splitlines() == [
        "! risk of bias: 1.25 % of users saw several variants and are excluded",
        "! Flag off: No one.",
        "! no metric",
    ]


def test_deleted_flag_and_notes_are_shown() -> None:
    share = {"key": "a", "rollout_percentage": 100}
    parameters = {"variant_notes": {"a": "The old page " * 20}, "feature_flag_variants": [share]}
    flag = {"id": 3, "key": "k", "deleted": True}
    shown = findings(experiment("a", feature_flag=flag, parameters=parameters))
    assert "flag k (deleted: no one gets a variant)" in plain(head_lines(shown.row, 100))
    assert f"  {'The old page ' * 20}" in plain(variant_lines(shown, 100)).splitlines()


def test_breakdowns_have_lines_and_unknown_lifts_no_zero() -> None:
    drawn = table(findings(PAIR, compared({"key": "control"}, {"key": "test", "chance_to_win": 0.9})))
    assert "not known" in drawn.splitlines()[1]
    assert "90.0 %" in drawn
    assert "0.0 %" not in drawn.replace("90.0 %", "")
    part = {"breakdown_value": ["pro"], **thin(100, chance_to_win=0.9)}
    drawn = table(findings(PAIR, {**thin(400, chance_to_win=0.6), "breakdown_results": [part]}))
    assert drawn.splitlines()[-1].startswith("▌   pro · test  ")


def days(*values: float | None) -> Timeseries:
    """Results day by day; None for a day whose calculation failed."""
    results, errors = dict[str, Any](), dict[str, str]()
    for place, value in enumerate(values, 18):
        variant = sample("test", 100, value or 0, credible_interval=[-0.2, 0.4])
        results[f"2026-02-{place}"] = None if value is None else compared(CONTROL, variant)
        errors |= {f"2026-02-{place}": "timeout"} if value is None else {}
    return Timeseries.of({"timeseries": results, "errors": errors, "status": "partial"})


@pytest.mark.parametrize("values", [(20.0,), (None, 20.0), (20.0, None, 25.0), (20.0, 21.0, None)])
def test_failed_days_are_gaps_in_the_plot_and_words_below(values: tuple[float | None, ...]) -> None:
    series = days(*values)
    dates = [day for day, _ in series.days]
    drawn = plain(chart_lines("Paid", courses_of(series), dates, (80, 16), UNICODE))
    assert "test" in drawn
    assert ("no value" in drawn) == (None in values)
    assert plain(day_lines(FUNNEL, series, 120)).count("failed: timeout") == values.count(None)


def test_day_without_an_interval_fits_80_columns() -> None:
    few = sample("test", 3, 1, validation_failures=["not-enough-exposures"])
    series = Timeseries.of({"timeseries": {"2026-02-18": compared(sample("control", 3, 1), few)}})
    head, day = plain(day_lines(FUNNEL, series, 76)).splitlines()
    assert day.index("too few users yet") == head.index("INTERVAL")
    few |= {"p_value": 0.2}
    series = Timeseries.of({"timeseries": {"2026-02-18": compared(sample("control", 3, 1), few)}})
    assert plain(day_lines(FUNNEL, series, 76)).splitlines()[0].endswith("P-VALUE")


FAILED = {"timeseries": {"2026-02-18": None}, "errors": {"2026-02-18": "out of memory"}, "status": "failed"}


@pytest.mark.parametrize(("series", "words"), [
    (Timeseries.of({"timeseries": {}}), "no day calculated yet"),
    (Timeseries.of(FAILED), "out of memory"),
    (Timeseries.of({"timeseries": {}, "recalculation_status": "in_progress"}), "recalculated"),
    (days(20.0, None), "1 of 2 days, 1 failed"),
])  # fmt: skip
def test_state_of_the_days_is_described(series: Timeseries, words: str) -> None:
    assert words in state_words(series)[0]


@pytest.mark.parametrize(("people", "total", "is_clear", "proposed"), [
    (3_000, 400, True, ProposedConclusion("won", winner="test")),
    (3_000, 200, True, ProposedConclusion("lost")),
    (3_000, 310, False, ProposedConclusion(objection="no clear result so far")),
    (200, 27, True, ProposedConclusion(objection="too few so far: 400 of 5,000 users")),
    (0, 0, False, ProposedConclusion(objection="no results are loaded")),
])  # fmt: skip
def test_winner_is_proposed_for_a_clear_result_with_enough_people(
    people: int, total: float, is_clear: bool, proposed: ProposedConclusion
) -> None:
    made = experiment("control", "test", parameters={"recommended_sample_size": 5_000})
    test, held_out = sample("test", people, total, significant=is_clear), sample("holdout-1", people, people)
    result = compared(sample("control", people, people / 10), test, {**held_out, "significant": True})
    shown = findings(made, result if people else None, {"control": people, "test": people} if people else {})
    assert propose_conclusion(shown) == proposed

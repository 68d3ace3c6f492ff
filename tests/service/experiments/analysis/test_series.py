"""Exposures and results day by day, on a small experiment done by hand and on a random one done twice."""

import random
from typing import Any

import pytest

from flagtui.service.experiments.analysis.inference import Criterion, verdict
from flagtui.service.experiments.analysis.metric import Metric
from flagtui.service.experiments.analysis.series import MOST_DAYS, History, day_ends, samples_at, walk
from flagtui.service.experiments.analysis.values import (
    MULTIPLE,
    Assignment,
    Occurrence,
    assign,
    by_entity,
    exposure_days,
)

DAY = 86_400.0
BUY: dict[str, Any] = {"kind": "EventsNode", "event": "buy"}
MEAN: dict[str, Any] = {"metric_type": "mean", "source": BUY}
SUM: dict[str, Any] = {"metric_type": "mean", "source": BUY | {"math": "sum", "math_property": "x"}}


def _history(**changes: Any) -> History:
    """Two days: a and b see control, c sees test; a buys on both days, c on the second."""
    given: dict[str, Any] = {
        "metric": Metric.of(MEAN),
        "exposures": by_entity([("a", 10, "control"), ("b", DAY + 5, "control"), ("c", 20, "test")]),
        "occurrences": {
            "a": [Occurrence(50, 1, 0), Occurrence(DAY + 50, 2, 0)],
            "c": [Occurrence(DAY + 60, 3, 0)],
        },
        "variants": ["control", "test"],
    }
    return History(**(given | changes))


def test_second_variants_exclude_from_their_day_or_not() -> None:
    exposures = by_entity([("a", 10, "control"), ("a", 30, "test"), ("c", 20, "test")])
    excluded = samples_at(_history(exposures=exposures), DAY)
    first = samples_at(_history(exposures=exposures, handling="first_seen"), DAY)
    assert [sample.count for sample in excluded] == [0, 1]
    assert [sample.count for sample in first] == [1, 1]
    assert assign(exposures["a"]) == Assignment(MULTIPLE, 10, 30)
    exposures = by_entity([("a", 10, "control"), ("a", DAY + 30, "test")])
    days = list(walk(_history(exposures=exposures), [(DAY, DAY), (2 * DAY, 2 * DAY)]))
    assert [day[0].count for day in days] == [1, 0]


def test_outliers_are_drawn_to_the_percentiles_of_all_variants() -> None:
    capped = Metric.of(SUM | {"upper_bound_percentile": 0.9, "lower_bound_percentile": 0.1})
    exposures = by_entity((f"p{place}", 1, "control" if place % 2 else "test") for place in range(10))
    occurrences = {f"p{place}": [Occurrence(2, place, 0, 10.0**place)] for place in range(10)}
    history = _history(metric=capped, exposures=exposures, occurrences=occurrences)
    control, test = samples_at(history, DAY)
    assert control.total == 10 + 1e3 + 1e5 + 1e7 + 1e9
    assert test.total == 10 + 1e2 + 1e4 + 1e6 + 1e8
    ignoring = Metric.of(SUM | {"upper_bound_percentile": 0.5, "ignore_zeros": True})
    largest = {name: occurrences[name] for name in ("p7", "p8", "p9")}
    both = samples_at(_history(metric=ignoring, exposures=exposures, occurrences=largest), DAY)
    assert sum(sample.total for sample in both) == 1e7 + 1e8 + 1e8


def test_walking_day_by_day_agrees_with_starting_afresh_each_day() -> None:
    source = random.Random(5)
    people = [f"p{number}" for number in range(120)]
    exposures = by_entity(
        (source.choice(people), source.uniform(0, 9 * DAY), source.choice(["control", "test", "other"]))
        for _ in range(260)
    )
    occurrences: dict[str, list[Occurrence]] = {}
    for event in range(900):
        moment, value = source.uniform(0, 9 * DAY), source.gauss(5, 3)
        occurrences.setdefault(source.choice(people), []).append(Occurrence(moment, event, 0, value))
    for seen in occurrences.values():
        seen.sort()
    metric = Metric.of(SUM | {"conversion_window": 2, "conversion_window_unit": "day"})
    given = {"metric": metric, "exposures": exposures, "occurrences": occurrences}
    for only_matured in (False, True):
        history = _history(**given, only_matured=only_matured)
        ends = list(day_ends(0, 9 * DAY, 9 * DAY).values())
        walked = list(walk(history, [(end, end) for end in ends]))
        assert walked == [samples_at(history, end) for end in ends]
        assert walked[-1][0].count > 10


def test_events_after_the_end_count_while_their_window_is_open() -> None:
    history = _history()
    assert samples_at(history, DAY)[1].total == 0
    assert samples_at(history, DAY, late=DAY)[1].total == 1
    assert samples_at(history, DAY, late=DAY)[0].count == 1


def test_days_run_from_start_to_end_and_the_last_count() -> None:
    assert list(day_ends(DAY * 1.5, DAY * 9, DAY * 3.25)) == [1, 2, 3]
    assert list(day_ends(DAY * 1.5, DAY * 2.5, DAY * 9).values())[-1] == DAY * 2.5
    assert day_ends(DAY * 1.5, DAY * 9, DAY * 9)[1] == pytest.approx(2 * DAY, abs=1e-3)
    assert list(day_ends(-1e11, DAY * 9, DAY * 9)) == list(range(9 - MOST_DAYS + 1, 10))
    days = exposure_days(
        [Assignment("test", 5, 9 * DAY), Assignment("test", 3 * DAY, 3 * DAY)], ["test"], 2, 4
    )
    assert days == {"test": [1, 2, 2]}


def _result(
    control: int, test: int, bought: int, method: str = "bayesian", kind: str = "mean"
) -> dict[str, Any]:
    metric = Metric.of({"metric_type": kind, "source": BUY, "series": [BUY]})
    people = [(f"c{number}", 1, "control") for number in range(control)]
    people += [(f"t{number}", 1, "test") for number in range(test)]
    buyers = [name for name, _, _ in people if int(name[1:]) < bought * (2 if name[0] == "t" else 1)]
    bought_by = {name: [Occurrence(2, place, 0)] for place, name in enumerate(buyers)}
    history = _history(metric=metric, exposures=by_entity(people), occurrences=bought_by)
    return verdict(samples_at(history, DAY), "control", metric.kind, Criterion.of({"method": method}))


@pytest.mark.parametrize(("people", "bought", "kind", "baseline", "variant"), [
    ((0, 0), 0, "mean", ["not-enough-exposures", "baseline-mean-is-zero"], ["not-enough-exposures"]),
    ((49, 60), 30, "mean", ["not-enough-exposures"], []),
    ((60, 60), 0, "mean", ["baseline-mean-is-zero"], []),
    ((60, 60), 60, "mean", [], ["not-enough-metric-data"]),
    ((60, 60), 4, "funnel", ["not-enough-metric-data"], []),
], ids=["nobody", "few", "zero", "no variance", "few conversions"])  # fmt: skip
def test_validation_failures_name_their_reason(
    people: tuple[int, int], bought: int, kind: str, baseline: list[str], variant: list[str]
) -> None:
    computed = _result(*people, bought, kind=kind)
    test = computed["variant_results"][0]
    assert computed["baseline"]["validation_failures"] == baseline
    assert test["validation_failures"] == variant
    assert (test["chance_to_win"], test["credible_interval"], test["significant"]) == (None, None, False)


def test_funnel_steps_are_counted_and_levels_have_defaults() -> None:
    computed = _result(60, 60, 10, kind="funnel")
    assert computed["baseline"]["step_counts"] == [10]
    assert computed["variant_results"][0]["step_counts"] == [20]
    assert Criterion.of({"bayesian": {"ci_level": 7}, "frequentist": {"alpha": "x"}}) == Criterion()
    assert Criterion.of({"method": "frequentist", "frequentist": {"alpha": 0.1}}) == Criterion(
        "frequentist", 0.1
    )
    assert Criterion.of(None) == Criterion()

"""What events are worth, and what changes the fingerprint of a metric."""

import hashlib
from typing import Any

import pytest
from tests.doubles.expected import require

from flagtui.service.experiments.analysis.metric import Metric, NotComputable, fingerprint
from flagtui.service.experiments.analysis.values import (
    Amount,
    Exposure,
    Occurrence,
    assign,
    entity_value,
    number,
)

DAY = 86_400.0
BUY: dict[str, Any] = {"kind": "EventsNode", "event": "buy"}
WINDOW = {"retention_window_start": 1, "retention_window_end": 7, "retention_window_unit": "day"}


def _mean(**changes: Any) -> dict[str, Any]:
    source = BUY | {key: changes.pop(key) for key in ("math", "math_property") if key in changes}
    return {"metric_type": "mean", "source": source} | changes


def _funnel(steps: int, order: str = "ordered", **changes: Any) -> dict[str, Any]:
    return {"metric_type": "funnel", "series": [BUY] * steps, "funnel_order_type": order} | changes


def _retention(**changes: Any) -> dict[str, Any]:
    events = {"start_event": BUY, "completion_event": BUY}
    return {"metric_type": "retention"} | events | WINDOW | changes


def _value(
    metric: dict[str, Any],
    events: list[tuple[Any, ...]],
    exposed: tuple[float, ...] = (10.0,),
    **options: Any,
) -> Amount | None:
    """`events` are (time, role, value) or (time, role); an event is told apart by its place in the list."""
    exposures = [Exposure(time, "test") for time in exposed]
    occurrences = [Occurrence(event[0], place, event[1], *event[2:]) for place, event in enumerate(events)]
    return entity_value(Metric.of(metric), require(assign(exposures)), exposures, occurrences, **options)


@pytest.mark.parametrize(("math", "values", "expected"), [
    ("total", [5, None, "x"], 3.0),
    ("sum", [5, 2.5, None, "4", "x", True], 11.5),
    ("sum", [1e300, 2], 2.0),
    ("min", [5, 2], 2.0),
    ("min", [], 0.0),
    ("max", [5, 2], 5.0),
    ("avg", [5, 2], 3.5),
    ("unique_session", ["a", "a", "b", "", None], 2.0),
    ("dau", ["me", "me"], 1.0),
])  # fmt: skip
def test_each_kind_of_math(math: str, values: list[Any], expected: float) -> None:
    events = [(20.0 + place, 0, value) for place, value in enumerate(values)]
    assert _value(_mean(math=math, math_property="price"), events) == Amount(expected)


DAILY = _mean(conversion_window=1, conversion_window_unit="day")
MINUTE: dict[str, Any] = {"conversion_window": 60, "conversion_window_unit": "second"}
PRICE = BUY | {"math": "sum", "math_property": "price"}
RATIO = {"metric_type": "ratio", "numerator": PRICE, "denominator": BUY}
LATE = 3 * DAY - 60
TWICE = [(DAY, 0), (5 * DAY, 0), (12 * DAY, 1)]
VALUES: dict[str, list[tuple[dict[str, Any], list[tuple[Any, ...]], Amount | None]]] = {
    "events count after exposure": [(_mean(), [(9.9, 0), (10.0, 0), (11.0, 0)], Amount(2.0))],
    "a threshold makes one of enough": [
        (_mean(threshold=2), [(11.0, 0), (12.0, 0)], Amount(1.0)),
        (_mean(threshold=3), [(11.0, 0), (12.0, 0)], Amount(0.0)),
    ],
    "a ratio has two sides": [
        (RATIO, [(11.0, 0, 30), (11.0, 1), (12.0, 0, 10), (12.0, 1)], Amount(40.0, 2.0))
    ],
    "a funnel counts steps in their order": [
        (_funnel(3), [(11.0, 1), (12.0, 0), (13.0, 1), (14.0, 2)], Amount(1.0, steps=3)),
        (_funnel(3), [(11.0, 2), (12.0, 0), (13.0, 1)], Amount(0.0, steps=2)),
        (_funnel(3), [(11.0, 0), (12.0, 2), (13.0, 1)], Amount(0.0, steps=2)),
        (_funnel(1), [(5.0, 0)], Amount(0.0, steps=0)),
    ],
    "a strict funnel has no other steps between": [
        (_funnel(3, "strict"), [(11.0, 0), (12.0, 2), (13.0, 1)], Amount(0.0, steps=1))
    ],
    "an unordered funnel takes any order": [
        (_funnel(3, "unordered"), [(11.0, 2), (12.0, 0), (13.0, 1)], Amount(1.0, steps=3))
    ],
    "users return some days after their start": [
        (_retention(), [(20.0, 1)], None),
        (_retention(), [(LATE, 0), (LATE + 120, 1)], Amount(1.0, 1.0)),
        (_retention(), [(LATE, 0), (LATE + 30, 1)], Amount(0.0, 1.0)),
        (_retention(), [(LATE, 0), (LATE + 9 * DAY, 1)], Amount(0.0, 1.0)),
        (_retention(), TWICE, Amount(0.0, 1.0)),
        (_retention(start_handling="last_seen"), TWICE, Amount(1.0, 1.0)),
    ],
}


@pytest.mark.parametrize("rule", VALUES)
def test_events_have_a_value(rule: str) -> None:
    for metric, events, expected in VALUES[rule]:
        assert _value(metric, events) == expected


def test_window_of_conversion_begins_at_an_exposure() -> None:
    events = [(11.0, 0), (10.0 + DAY, 0), (20.0 + DAY - 1, 0), (20.0 + DAY, 0)]
    assert _value(DAILY, events, (10.0, 20.0)) == Amount(3.0)
    events = [(15.0, 0), (505.0, 0), (530.0, 1)]
    assert _value(_funnel(2, **MINUTE), events, (10.0, 500.0)) == Amount(1.0, steps=2)
    assert _value(_funnel(2, **MINUTE), [events[0], events[2]], (10.0, 500.0)) == Amount(0.0, steps=1)


@pytest.mark.parametrize(("metric", "events", "early", "late", "expected"), [
    (DAILY, [], 9.0 + DAY, 10.0 + DAY, Amount(0.0)),
    (_retention(), [(DAY, 0)], 3 * DAY, 9 * DAY, Amount(0.0, 1.0)),
])  # fmt: skip
def test_users_count_once_their_window_has_passed(
    metric: dict[str, Any], events: list[tuple[float, int]], early: float, late: float, expected: Amount
) -> None:
    assert _value(metric, events, mature_by=early) is None
    assert _value(metric, events, mature_by=late) == expected


@pytest.mark.parametrize("order", ["ordered", "unordered"])
def test_one_event_is_one_step_of_a_funnel(order: str) -> None:
    exposures, funnel = [Exposure(10.0, "test")], Metric.of(_funnel(2, order))
    assignment = require(assign(exposures))
    both = [Occurrence(11.0, 7, 0), Occurrence(11.0, 7, 1)]
    assert entity_value(funnel, assignment, exposures, both) == Amount(0.0, steps=1)
    again = [*both, Occurrence(12.0, 8, 0), Occurrence(12.0, 8, 1)]
    assert entity_value(funnel, assignment, exposures, again) == Amount(1.0, steps=2)


@pytest.mark.parametrize("raw", [
    {"kind": "ExperimentTrendsQuery"},
    {"metric_type": "mean", "source": {"kind": "ExperimentDataWarehouseNode"}},
    {"metric_type": "mean", "source": BUY | {"math": "hogql", "math_hogql": "sum(1)"}},
    {"metric_type": "mean"},
])  # fmt: skip
def test_unsupported_metrics_name_the_reason(raw: dict[str, Any]) -> None:
    with pytest.raises(NotComputable, match="here"):
        Metric.of(raw)


@pytest.mark.parametrize("value", [True, None, "nan", "inf", [], {}, "12 apples", "9" * 400, 10**400])
def test_what_is_not_a_number_is_absent(value: object) -> None:
    assert number(value) is None


METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "u", "source": {"event": "buy"}}
START = "2026-03-01T12:00:00+00:00"


def test_fingerprint_hashes_sorted_json_in_any_order() -> None:
    text = (
        '{"metric":{"metric_type":"mean","source":{"event":"buy"}},'
        '"start_date":"2026-03-01T12:00:00+00:00","stats_method":"bayesian"}'
    )
    assert fingerprint(METRIC, START, {}) == hashlib.sha256(text.encode()).hexdigest()
    turned = ({"excluded_variants": names} for names in (["b", "a"], ["a", "b"]))
    assert len({fingerprint(METRIC, None, conditions) for conditions in turned}) == 1


def test_names_and_identity_do_not_change_a_fingerprint() -> None:
    names = {"uuid": "other", "name": "Revenue", "fingerprint": "x", "only_count_matured_users": True}
    empty: dict[str, Any] = {"stats_config": {}, "exposure_criteria": {}, "excluded_variants": []}
    for metric, conditions in ((METRIC | names, empty), (METRIC | {"breakdownFilter": {}}, {})):
        assert fingerprint(metric, None, conditions) == fingerprint(METRIC, None, {})


def test_all_that_changes_the_numbers_changes_the_fingerprint() -> None:
    under: list[dict[str, Any]] = [
        {},
        {"stats_config": {"method": "frequentist"}},
        {"exposure_criteria": {"filterTestAccounts": True}},
        {"excluded_variants": ["b", "a"]},
        {"only_count_matured_users": True},
    ]
    metrics = (METRIC, METRIC | {"breakdownFilter": {"breakdown": "$os"}}, METRIC | {"goal": "decrease"})
    fingerprints = {fingerprint(METRIC, START, conditions) for conditions in under}
    fingerprints |= {fingerprint(metric, None, {}) for metric in metrics}
    assert len(fingerprints) == 8

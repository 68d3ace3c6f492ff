"""Metrics built from events, and experiments on groups: their descriptions and problems."""

import re
from typing import Any, Final

import pytest
from tests.changes.experiments.conftest import make_experiment
from tests.doubles.targeting import variants

from flagtui.changes.experiments.experiment_fields import change_words, problems_in_fields, stored_field
from flagtui.changes.experiments.metric_nodes import events_of
from flagtui.changes.experiments.metric_words import metric_words
from flagtui.changes.experiments.metrics import (
    event_node,
    funnel_of,
    keep_settings,
    mean_of,
    problems_in_metric,
    ratio_of,
    retention_of,
    with_order,
)
from flagtui.changes.experiments.step_consequences import StepContext, consequences
from flagtui.changes.experiments.steps import STEPS, Choices
from flagtui.details.metric_findings import metrics_of
from flagtui.models.experiment import Experiment

ACTION = {"kind": "ActionsNode", "id": 5}
COMES_BACK = retention_of("signup", "order", (1, 14, "day"))
BUILT = [
    (mean_of(event_node("order")), "mean of order", ("order",)),
    (mean_of(event_node("order", "sum", "price")), "mean of sum of price of order", ("order",)),
    (mean_of(event_node("order", "dau")), "share of users with order", ("order",)),
    (funnel_of(["view", "order"]), "funnel view → order", ("view", "order")),
    (ratio_of(event_node("order"), event_node("visit", "unique_session")), "order per sessions with visit",
     ("order", "visit")),
    (COMES_BACK, "retention signup → order", ("signup", "order")),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "words", "events"), BUILT)
def test_built_metrics_have_words_and_can_be_saved(
    metric: dict[str, Any], words: str, events: tuple[str, ...]
) -> None:
    assert (metric_words(metric), events_of(metric)) == (words, events)
    assert list(problems_in_metric(metric)) == []


def test_built_metric_is_whole() -> None:
    node = {"kind": "EventsNode", "event": "order", "math": "sum", "properties": [], "math_property": "price"}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "goal": "increase", "source": node}
    assert mean_of(event_node("order", "sum", "price")) == metric


@pytest.mark.parametrize(("metric", "problem"), [
    (funnel_of([]), "counts nothing"),
    (funnel_of([""]), "a step without an event"),
    (mean_of({}), "a step without an event"),
    (mean_of(event_node("order", "sum")), "which property"),
    ({**mean_of(event_node("order")), "conversion_window": 0}, "ends before it begins"),
    ({**mean_of(event_node("order")), "name": "n" * 401}, "longer than 400"),
    ({"kind": "ExperimentTrendsQuery"}, "no longer measured"),
    ({**COMES_BACK, "completion_event": None}, "a step without an event"),
    ({**COMES_BACK, "retention_window_end": None}, "needs a return window"),
    ({**COMES_BACK, "retention_window_unit": "year"}, "needs a return window"),
    ({**COMES_BACK, "retention_window_start": 15}, "users return before their first visit"),
    ({**COMES_BACK, "retention_window_start": -1}, "users return before their first visit"),
    ({**COMES_BACK, "start_handling": ""}, "the first or the last time"),
])  # fmt: skip
def test_what_a_server_would_refuse_is_known_before(metric: dict[str, Any], problem: str) -> None:
    assert any(problem in words for words in problems_in_metric(metric))


def test_chosen_steps_keep_the_settings_of_their_event() -> None:
    home, price = ({"event": "view", "properties": [{"key": "page", "value": page}]} for page in "hp")
    chosen = [{"event": "view"}, {"event": "order"}, {"event": "view"}, {"event": "view"}]
    assert keep_settings(chosen, [home, ACTION, price]) == [home, chosen[1], price, chosen[3]]


@pytest.mark.parametrize(("name", "before", "after", "words"), [
    ("holdout_id", None, 3, "holdout: none → #3"),
    ("stats_config", {"method": "bayesian"}, {"method": "frequentist", "frequentist": {"alpha": 0.1}},
     "statistics: method bayesian → frequentist; statistics: interval default → 90 %"),
    ("exposure_criteria", {"filterTestAccounts": True},
     {"filterTestAccounts": False, "exposure_config": {"event": "seen"},
      "multiple_variant_handling": "first_seen"},
     "exposure: test accounts excluded → counted; exposure: by a call of its flag → seen; "
     "exposure: users who saw several variants excluded from the results → counted for the first one"),
    ("parameters", {"rollout_percentage": 100}, {"rollout_percentage": 20}, "rollout: 100 % → 20 %"),
    ("metrics", [{"uuid": "a"}, {"uuid": "b"}], [{"uuid": "b"}, {"uuid": "a"}],
     "primary metrics: in another order"),
    ("metrics", [{"uuid": "a"}, {"uuid": "b", "name": "B"}],
     [{"uuid": "b", "name": "B", "conversion_window": 1, "conversion_window_unit": "week"}, {"uuid": "a"}],
     "primary metrics: B: conversion window none → within 1 week; primary metrics: in another order"),
    ("metrics", [{**COMES_BACK, "uuid": "a", "name": "Back"}],
     [{**COMES_BACK, "uuid": "a", "name": "Soon", "retention_window_end": 7}],
     "primary metrics: Back: name Back → Soon, "
     "back 1 to 14 days after the first time → back 1 to 7 days after the first time"),
    ("description", "a", "b", "description: a → b"),
])  # fmt: skip
def test_a_change_is_told_in_words(name: str, before: Any, after: Any, words: str) -> None:
    assert "; ".join(change_words(name, before, after)) == words


ORDER = "primary_metrics_ordered_uuids"


def metrics(*uuids: str) -> list[dict[str, Any]]:
    return [{"kind": "ExperimentMetric", "metric_type": "mean", "uuid": uuid} for uuid in uuids]


def arrange(*shown: str, shared: str = "") -> Experiment:
    order: dict[str, Any] = {ORDER: list(shown)}
    return make_experiment(metrics=metrics(*sorted(uuid for uuid in shown if uuid != shared)), **order)


def test_metrics_are_ordered_where_the_server_keeps_an_order() -> None:
    assert stored_field(arrange("c", "a", "b"), "metrics") == metrics("c", "a", "b")
    unordered = make_experiment(metrics=metrics("b", "a"))
    assert stored_field(unordered, "metrics") == metrics("b", "a")
    for fresh, fields in (
        (unordered, {"metrics": metrics("a", "b")}),
        (arrange("a", "b"), {"metrics": [{"kind": "x"}]}),
    ):
        assert with_order(fresh, fields) == fields


@pytest.mark.parametrize(("before", "after", "sent"), [
    (("a", "b", "c"), ("b", "a", "c"), ["b", "a", "c"]),
    (("a", "s", "b"), ("b", "a"), ["b", "s", "a"]),
    (("a", "b"), ("b", "new", "a"), ["b", "new", "a"]),
    (("a", "b", "c"), ("c", "a"), ["c", "a"]),
    (("a", "b"), ("new", "a", "b"), ["new", "a", "b"]),
    (("a", "b"), ("a", "b", "new"), None),
    (("a", "b"), ("b",), None),
    (("a", "b"), (), None),
])  # fmt: skip
def test_an_order_is_sent_only_for_metrics_that_trade_places(
    before: tuple[str, ...], after: tuple[str, ...], sent: list[str] | None
) -> None:
    fields = with_order(arrange(*before, shared="s"), {"metrics": metrics(*after), "name": "n"})
    assert fields.get(ORDER) == sent
    assert fields["name"] == "n"


SIGNUP: Final = {"kind": "EventsNode", "event": "signed up"}
FILTERS: Final[dict[str, Any]] = {
    "groups": [{"properties": [], "rollout_percentage": 80}],
    "multivariate": variants(control=50, test=50),
    "holdout": {"id": 3, "exclusion_percentage": 10},
    "aggregation_group_type_index": 0,
}
RAW: Final[dict[str, Any]] = {
    "id": 1,
    "name": "Companies",
    "feature_flag_key": "companies",
    "feature_flag": {"id": 2, "key": "companies", "active": True, "filters": FILTERS},
    "metrics": [
        {"metric_type": "mean", "source": SIGNUP, "threshold": 5},
        {"metric_type": "binomial", "metric_config": SIGNUP},
    ],
    "exposure_criteria": {"activation_config": SIGNUP},
}


@pytest.mark.parametrize("name", ["launch", "pause", "end", "ship"])
def test_consequences_of_a_step_name_groups(name: str) -> None:
    start = None if name == "launch" else "2026-02-18T09:00:00Z"
    fresh, chosen = Experiment.of({**RAW, "start_date": start}), Choices(variant="test")
    effects = consequences(fresh, STEPS[name], chosen, StepContext())
    words = " ".join(f"{each.label} {each.text}" for each in effects)
    assert "roups" in words
    assert not re.search(r"\b(people|users?)\b", words, re.IGNORECASE), words


def test_metrics_are_shares_of_groups() -> None:
    measured = [metric.measures for metric in metrics_of(Experiment.of(RAW))]
    assert measured == ["share of groups with at least 5 of signed up", "share of groups with signed up"]


def settings(**shares: float) -> dict[str, Any]:
    """Settings with these variants."""
    return {"feature_flag_variants": variants(**shares)["variants"]}


@pytest.mark.parametrize(("parameters", "problem"), [
    (settings(control=50, test=50), None),
    (settings(control=33.3, test=33.3, third=33.4), None),
    (settings(control=100), "an experiment needs at least two variants"),
    (settings(old=50, test=50), None),
    (settings(control=50, **{"a b": 50}), "the variant a b needs letters, digits, - and _"),
    (settings(control=50, test=60), "the variants have 110 % together, which has to be 100 %"),
    (settings(control=100, **{f"v{place}": 0 for place in range(20)}),
     "an experiment has 20 variants at most"),
    ({"feature_flag_variants": settings(control=50)["feature_flag_variants"] * 2},
     "two variants have the same key"),
])  # fmt: skip
def test_variants_share_everyone_and_have_plain_keys(parameters: Any, problem: str | None) -> None:
    assert list(problems_in_fields({"parameters": parameters})) == ([problem] if problem else [])


LEVEL: Final = "the confidence level is more than 0 and less than 100 %"


@pytest.mark.parametrize(("settings", "problem"), [
    ({"method": "bayesian", "bayesian": {"ci_level": 0.95}}, None),
    ({"method": "frequentist", "frequentist": {"alpha": 0.05}}, None),
    ({"method": "guessing"}, "statistics are bayesian or frequentist"),
    ({"bayesian": {"ci_level": 1}}, LEVEL),
    ({"frequentist": {"alpha": 0}}, LEVEL),
])  # fmt: skip
def test_statistics_have_a_known_method_and_level(settings: Any, problem: str | None) -> None:
    assert list(problems_in_fields({"stats_config": settings})) == ([problem] if problem else [])

"""Descriptions of metrics of every kind and age are complete."""

from typing import Any

import pytest

from flagtui.changes.experiments.metric_nodes import events_measured, events_of, goals_of
from flagtui.changes.experiments.metric_words import (
    activated_by,
    counts_test_accounts,
    exposed_by,
    further_words,
    metric_words,
    several_words,
)
from flagtui.models.experiment import Experiment

JSON = Any


def event(name: str, **more: JSON) -> dict[str, JSON]:
    return {"kind": "EventsNode", "event": name, **more}


def words_of(metric: dict[str, JSON]) -> str:
    return ", ".join([metric_words(metric), *further_words(metric)])


PRO = {"key": "plan", "value": ["pro"], "operator": "exact", "type": "event"}
RICH = {"key": "age", "value": "30", "operator": "gt", "type": "person"}
ACTION = {"kind": "ActionsNode", "id": 5}
STEP = {"metric_type": "funnel", "series": [event("a")]}
RETENTION = {
    "metric_type": "retention",
    "start_event": event("a"),
    "completion_event": event("b"),
    "retention_window_start": 7,
    "retention_window_end": 14,
    "retention_window_unit": "day",
}


@pytest.mark.parametrize(("metric", "words"), [
    ({"metric_type": "mean", "source": event("a", math="hogql", math_hogql="sum(toFloat(x))")},
     "mean of sum(toFloat(x)) of a"),
    ({"metric_type": "mean", "source": event("a", math="unique_group", math_group_type_index=1)},
     "mean of groups of type 1 with a"),
    ({"metric_type": "mean", "source": event("a", properties=[PRO, RICH])},
     "mean of a (plan is pro and the person's age > 30)"),
    ({"metric_type": "mean", "source": event("a", properties={"type": "OR", "values": [PRO, RICH]})},
     "mean of a (plan is pro or the person's age > 30)"),
    ({"metric_type": "mean", "source": event("a", properties=[{**PRO, "value": "false"}])},
     "mean of a (plan is false)"),
    ({"metric_type": "mean", "source": event("a", properties=[{**PRO, "value": []}])},
     "mean of a (plan: no value is listed)"),
    ({"metric_type": "mean", "source": event("a", properties=[{"type": "hogql", "key": "x > 1"}])},
     "mean of a (x > 1)"),
    ({"metric_type": "mean", "source": event("a"), "threshold": 5}, "share of users with at least 5 of a"),
    ({"metric_type": "mean", "source": event("a"), "lower_bound_percentile": 0.05,
      "upper_bound_percentile": 0.99, "ignore_zeros": True},
     "mean of a, values clamped to at least the 5 % and at most the 99 % quantile, zeros excluded"),
    ({"metric_type": "mean", "source": event("a"), "lower_bound_percentile": 0.05, "ignore_zeros": True},
     "mean of a, values clamped to at least the 5 % quantile"),
    ({"metric_type": "mean", "source": {"kind": "ActionsNode", "id": 5, "name": "Signed up"}},
     "mean of action Signed up"),
    ({"metric_type": "mean", "source": {"kind": "ExperimentDataWarehouseNode", "table_name": "orders",
                                        "math": "sum", "math_property": "total"}},
     "mean of sum of total of table orders"),
    ({"metric_type": "funnel", "series": [event("a"), event("b")], "funnel_order_type": "unordered",
      "conversion_window": 14, "conversion_window_unit": "day"},
     "funnel a, b in any order, within 14 days"),
    ({"metric_type": "funnel", "series": [event("a"), event("b", properties=[PRO])],
      "funnel_order_type": "strict"},
     "funnel a → b (plan is pro), with nothing between"),
    ({"metric_type": "ratio", "numerator": event("a", math="sum", math_property="price"),
      "denominator": event("b"), "numerator_outlier_handling": {"upper_bound_percentile": 0.9}},
     "sum of price of a per b, numerator: values clamped to at most the 90 % quantile"),
    (RETENTION, "retention a → b, back 7 to 14 days after the first time"),
    ({**RETENTION, "start_handling": "last_seen"}, "retention a → b, back 7 to 14 days after the last time"),
    ({**RETENTION, "goal": "decrease", "breakdownFilter": {"breakdowns": [{"property": "os"}]}},
     "retention a → b, back 7 to 14 days after the first time, broken down by os, lower wins"),
    ({"metric_type": "count", "metric_config": {"kind": "ExperimentEventMetricConfig", "event": "a"}},
     "count of a"),
    ({"metric_type": "continuous", "metric_config": event("a", math="sum", math_property="x")},
     "mean of sum of x of a"),
    ({"metric_type": "binomial", "metric_config": event("a")}, "share of users with a"),
    ({"metric_type": "mean", "source": event("a", properties=[{"type": "cohort", "value": 31}])},
     "mean of a (users in cohort 31)"),
    ({"metric_type": "ratio", "numerator": event("a"), "denominator": event("b"),
      "denominator_outlier_handling": {"lower_bound_percentile": 0.1}},
     "a per b, denominator: values clamped to at least the 10 % quantile"),
    ({**RETENTION, "breakdownFilter": {"breakdowns": [{"property": "os"}, {"property": "plan"}]}},
     "retention a → b, back 7 to 14 days after the first time, broken down by os, plan"),
    ({**STEP, "funnel_order_type": "unordered"}, "funnel a"),
    ({"metric_type": "funnel", "series": []}, "funnel without steps"),
    ({**STEP, "conversion_window": 1, "conversion_window_unit": "hour"}, "funnel a, within 1 hour"),
    # Windows that servers do not apply.
    ({**STEP, "conversion_window": 0, "conversion_window_unit": "day"}, "funnel a"),
    ({**STEP, "conversion_window": 3}, "funnel a"),
    ({**RETENTION, "retention_window_start": None, "start_event": ACTION, "completion_event": ACTION},
     "retention action 5 → action 5, back at an unspecified time after the first time"),
    ({"metric_type": "next year's"}, "next year's"),
    ({"kind": "ExperimentTrendsQuery"}, "count of an event without a name, with test accounts"),
    ({}, "?"),
    ({"metric_type": "ratio", "numerator": 3, "denominator": [1]},
     "an event without a name per an event without a name"),
    ({"metric_type": "mean", "source": {"kind": "EventsNode", "event": None}}, "mean of any event"),
    ({"metric_type": "mean", "source": {"kind": "EventsNode"}}, "mean of an event without a name"),
    ({"metric_type": "mean", "source": {"event": None}}, "mean of an event without a name"),
    ({"metric_type": "mean",
      "source": event("a", properties={"values": [{"type": "OR", "values": [PRO, RICH]}, PRO]})},
     "mean of a ((plan is pro or the person's age > 30) and plan is pro)"),
])  # fmt: skip
def test_nothing_of_a_metric_is_left_out(metric: dict[str, JSON], words: str) -> None:
    assert words_of(metric) == words


TRENDS = {
    "kind": "ExperimentTrendsQuery",
    "count_query": {
        "series": [event("paid", math="sum", math_property="amount")],
        "filterTestAccounts": True,
    },
    "exposure_query": {"series": [event("seen", properties=[PRO])]},
}
FUNNEL = {
    "kind": "ExperimentFunnelsQuery",
    "funnels_query": {
        "series": [event("a"), event("b")],
        "funnelsFilter": {
            "funnelOrderType": "unordered", "funnelWindowInterval": 3, "funnelWindowIntervalUnit": "hour"
        },
        "filterTestAccounts": False,
    },
}  # fmt: skip


@pytest.mark.parametrize(("metric", "words", "events"), [
    (TRENDS, "count of sum of amount of paid, exposed by seen (plan is pro), without test accounts",
     ("paid",)),
    (FUNNEL, "funnel a, b in any order, within 3 hours, with test accounts", ("a", "b")),
])  # fmt: skip
def test_queries_of_the_older_engine_name_what_they_count(
    metric: dict[str, JSON], words: str, events: tuple[str, ...]
) -> None:
    assert words_of(metric) == words
    assert events_of(metric) == events


def test_goals_of_the_first_servers_are_told_as_metrics() -> None:
    filters = {
        "insight": "FUNNELS",
        "events": [{"id": "b", "order": 1}, {"id": "a", "order": 0, "properties": [PRO]}],
        "actions": [{"id": 7, "name": "Bought", "order": 2}],
        "funnel_window_interval": 14,
        "funnel_window_interval_unit": "day",
    }
    second = {"name": "Views", "filters": {"insight": "TRENDS", "events": [{"id": "v", "math": "dau"}]}}
    nowhere = {"filters": {"events": [{"id": "x"}]}}
    old = Experiment.of({"id": 1, "metrics": [], "filters": filters, "secondary_metrics": [second, nowhere]})
    assert old.has_old_goal
    assert old.uses_legacy_metrics
    assert not old.is_mostly_fixed
    [goal] = goals_of(old, "primary")
    assert words_of(goal) == "funnel a (plan is pro) → b → action Bought, within 14 days"
    views, other = goals_of(old, "secondary")
    assert (views["name"], words_of(views)) == ("Views", "count of users with v")
    assert words_of(other) == "goal of x"
    assert events_measured(old) == ("a", "b", "v", "x")


def test_replaced_goals_and_several_variants_have_words() -> None:
    metric = {"metric_type": "mean", "source": event("new")}
    both = Experiment.of({"id": 1, "metrics": [metric], "filters": {"events": [{"id": "old"}]}})
    assert not both.has_old_goal
    assert events_measured(both) == ("new",)
    phrases = [several_words({"multiple_variant_handling": word}) for word in (None, "first_seen", "newest")]
    assert phrases == ["excluded from the results", "counted for the first one", "newest"]


@pytest.mark.parametrize(("criteria", "by", "then"), [
    ({}, "a call of its flag", ""),
    ({"exposure_config": {"event": "signup", "properties": [PRO]}}, "signup (plan is pro)", ""),
    ({"exposure_config": {"kind": "ActionsNode", "id": 5, "name": "Seen"}}, "action Seen", ""),
    ({"exposure_config": ACTION}, "action 5", ""),
    ({"activation_config": {"event": "opened"}}, "a call of its flag", "opened"),
])  # fmt: skip
def test_who_counts_as_exposed_is_told_whole(criteria: dict[str, JSON], by: str, then: str) -> None:
    assert (exposed_by(criteria), activated_by(criteria)) == (by, then)


def test_test_accounts_count_unless_they_are_left_out_expressly() -> None:
    settings: list[dict[str, JSON]] = [{}, *({"filterTestAccounts": value} for value in (None, False, True))]
    assert [counts_test_accounts(criteria) for criteria in settings] == [True, True, True, False]

"""Rules of an experiment's fields: scenarios 9 to 12 and 38."""

from typing import Any

import pytest
from tests.service.experiments.conftest import FUNNEL, MEAN, Service, body_of

RATIO = {
    "kind": "ExperimentMetric",
    "metric_type": "ratio",
    "numerator": {"kind": "EventsNode", "event": "bought", "math": "sum", "math_property": "price"},
    "denominator": {"kind": "EventsNode", "event": "bought"},
}
RETENTION = {
    "kind": "ExperimentMetric",
    "metric_type": "retention",
    "start_event": {"kind": "EventsNode", "event": "bought"},
    "completion_event": {"kind": "EventsNode", "event": "bought"},
    "retention_window_start": 1,
    "retention_window_end": 7,
    "retention_window_unit": "day",
    "start_handling": "first_seen",
}


async def test_scenario_9_events_must_be_known_or_insisted_upon(service: Service) -> None:
    status, detail, attr = await service.refused("POST", "experiments", body_of(metrics=[MEAN]))
    assert (status, attr) == (400, None)
    expected = "Event(s) 'bought' not found. No events with these names have been ingested by this project."
    assert detail.startswith(expected)
    assert (await service.get("feature_flags"))["count"] == 0
    await service.post("experiments", body_of(metrics=[MEAN], allow_unknown_events=True), 201)
    service.define_event("bought")
    await service.create("other", metrics=[MEAN])


async def test_actions_exist_and_repeated_metric_ids_are_replaced(service: Service) -> None:
    metric = MEAN | {"source": {"kind": "ActionsNode", "id": 9}}
    detail = (
        "Action(s) with ID 9 not found or deleted. "
        "Each ActionsNode must reference an existing action belonging to this project."
    )
    assert await service.refused("POST", "experiments", body_of(metrics=[metric])) == (400, detail, None)
    service.define_event("bought")
    twice = MEAN | {"uuid": "0b7c0000-0000-0000-0000-000000000000"}
    made = await service.create(metrics=[twice, twice])
    assert made["metrics"][0]["uuid"] == twice["uuid"]
    assert made["metrics"][1]["uuid"] != twice["uuid"]


async def test_scenario_10_metrics_of_each_kind_get_ids_and_fingerprints(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics=[MEAN, FUNNEL, RATIO, RETENTION], metrics_secondary=[MEAN])
    uuids = [metric["uuid"] for metric in made["metrics"]]
    assert made["primary_metrics_ordered_uuids"] == uuids
    assert len(set(uuids)) == 4
    assert all(len(metric["fingerprint"]) == 64 for metric in made["metrics"])
    assert made["secondary_metrics_ordered_uuids"] == [made["metrics_secondary"][0]["uuid"]]


WRONG_METRICS: list[tuple[Any, str]] = [
    ({}, "Metrics must be a list"),
    (["x"], "Invalid metric at index 0: must be a dict"),
    ([{"kind": "x"}], "Invalid metric at index 0: metric kind must be 'ExperimentMetric'"),
    (
        [{"kind": "ExperimentTrendsQuery"}],
        "Invalid metric at index 0: legacy metric kind 'ExperimentTrendsQuery' is no longer supported "
        "for new experiments. Use 'ExperimentMetric' instead.",
    ),
    (
        [FUNNEL | {"series": []}],
        "Invalid metric at index 0: funnel metrics require at least one step. "
        "The experiment exposure event is added as the initial step automatically.",
    ),
    ([{"kind": "ExperimentMetric", "metric_type": "mean"}],
     "Invalid metric at index 0: [{'loc': ('source',), 'type': 'missing', 'msg': 'Field required'}]."),
]  # fmt: skip


async def test_scenario_11_metrics_of_the_wrong_shape(service: Service) -> None:
    for metrics, detail in WRONG_METRICS:
        for field in ("metrics", "metrics_secondary"):
            expected = (400, detail, field)
            assert await service.refused("POST", "experiments", body_of(**{field: metrics})) == expected


FAULTY_METRICS: list[dict[str, Any]] = [
    {"metric_type": "sum"},
    MEAN | {"uuid": ["a"]},
    MEAN | {"name": {}},
    MEAN | {"source": "bought"},
    MEAN | {"source": {"kind": "EventsNode", "event": 5}},
    MEAN | {"source": {"kind": "EventsNode", "event": "bought", "math": "median"}},
    MEAN | {"source": {"kind": "EventsNode", "event": "bought", "math": "sum"}},
    MEAN | {"source": {"kind": "EventsNode", "event": "bought", "properties": {}}},
    MEAN | {"source": {"kind": "ActionsNode", "id": True}},
    MEAN | {"source": {"kind": "ExperimentDataWarehouseNode"}},
    MEAN | {"source": {"kind": "SomethingNode"}},
    MEAN | {"upper_bound_percentile": 2, "threshold": "x", "goal": "up", "conversion_window_unit": "eon"},
    FUNNEL | {"series": {}},
    RATIO | {"numerator_outlier_handling": []},
    RATIO | {"denominator_outlier_handling": {"upper_bound_percentile": "0.9"}},
    {name: value for name, value in RETENTION.items() if name != "start_handling"},
]


async def test_other_faults_list_the_metric_or_name_no_field(service: Service) -> None:
    for metric in FAULTY_METRICS:
        body = body_of(metrics=[{"kind": "ExperimentMetric", **metric}], allow_unknown_events=True)
        status, detail, attr = await service.refused("POST", "experiments", body)
        assert (status, attr) == (400, "metrics")
        assert detail.startswith("Invalid metric at index 0: [{'loc': (")
    for field, value, detail in REFUSED_AS_A_WHOLE:
        assert await service.refused("POST", "experiments", body_of(**{field: value})) == (400, detail, None)
        assert (await service.get("feature_flags"))["count"] == 0


REFUSED: list[tuple[str, Any, str]] = [
    ("type", "mobile", '"mobile" is not a valid choice.'),
    ("conclusion", "maybe", '"maybe" is not a valid choice.'),
    ("holdout_id", 99, 'Invalid pk "99" - object does not exist.'),
    ("holdout_id", "9" * 2_000, "String value too large."),
    ("exposure_criteria", "x", "exposure_criteria must be an object"),
    ("exposure_criteria", {"filterTestAccounts": 1},
     "exposure_criteria.filterTestAccounts must be a boolean"),
    ("exposure_criteria", {"exposure_config": 1}, "exposure_criteria.exposure_config must be an object"),
    (
        "exposure_criteria",
        {"exposure_config": {"kind": "x"}},
        "exposure_criteria.exposure_config.kind must be one of "
        "['ExperimentEventExposureConfig', 'ActionsNode']",
    ),
    ("exposure_criteria", {"exposure_config": {"kind": "ActionsNode"}},
     "Invalid exposure_criteria.exposure_config"),
    ("excluded_variants", "x", "excluded_variants must be a list of strings"),
    ("saved_metrics_ids", {}, "Saved metrics must be a list"),
    ("saved_metrics_ids", [1], "Saved metric must be an object"),
    ("saved_metrics_ids", [{}], "Saved metric must have an id"),
    ("saved_metrics_ids", [{"id": 1, "metadata": 1}], "Metadata must be an object"),
    ("saved_metrics_ids", [{"id": 1, "metadata": {}}], "Metadata must have a type key"),
    (
        "start_date",
        "yesterday",
        "Datetime has wrong format. Use one of these formats instead: "
        "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
    ),
]  # fmt: skip


async def test_scenarios_12_and_38_other_fields_that_are_refused(service: Service) -> None:
    for field, value, detail in REFUSED:
        assert await service.refused("POST", "experiments", body_of(**{field: value})) == (400, detail, field)
        assert (await service.get("feature_flags"))["count"] == 0


REFUSED_AS_A_WHOLE: list[tuple[str, Any, str]] = [
    ("stats_config", {"method": "x"}, "Invalid stats method: 'x'. Must be one of: bayesian, frequentist"),
    ("stats_config", {"baseline_variant_key": "x"},
     "Invalid baseline_variant_key: 'x'. Must be one of: control, test"),
    ("filters", {"properties": [1]}, "Experiments do not support global filter properties"),
    ("excluded_variants", ["holdout-1"], "cannot exclude holdout pseudo-variants: ['holdout-1']"),
    ("excluded_variants", ["control"], "baseline variant cannot be excluded ('control')"),
    ("excluded_variants", ["x"], "unknown variants for this experiment: ['x']"),
    ("excluded_variants", ["test"], "at least one test variant must remain in analysis"),
    ("running_time_calculation", {"x": 1}, "running_time_calculation got unknown keys: ['x']"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "detail"),
    [
        ([f"v{number}" for number in range(21)], "Feature flag variants must be less than 21"),
        (["a", "b"], "Feature flag variants must contain a control variant"),
    ],
)
async def test_older_servers_name_parameters_for_variants(
    legacy: Service, keys: list[str], detail: str
) -> None:
    variants = [{"key": key, "rollout_percentage": 100 / len(keys)} for key in keys]
    body = body_of(parameters={"feature_flag_variants": variants})
    assert await legacy.refused("POST", "experiments", body) == (400, detail, "parameters")

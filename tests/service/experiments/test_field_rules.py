"""Which fields of a new experiment are refused, and why: scenarios 2 to 5, 9 to 12 and 38."""

from typing import Any

import pytest
from tests.service.experiments.conftest import FUNNEL, MEAN, NODE, Service, body_of, variants_of

PRICE = NODE | {"math": "sum", "math_property": "price"}
RATIO = {"kind": "ExperimentMetric", "metric_type": "ratio", "numerator": PRICE, "denominator": NODE}
RETENTION = {
    **{"kind": "ExperimentMetric", "metric_type": "retention", "start_event": NODE, "completion_event": NODE},
    **{"retention_window_start": 1, "retention_window_end": 7, "retention_window_unit": "day"},
    "start_handling": "first_seen",
}
REQUIRED = "This field is required."
TWO = "Feature flag must have at least 2 variants (control and at least one test variant)"
CONTROL = (
    "Feature flag variants must contain a variant with key 'control' (lowercase, exactly). "
    "Got keys: ['a', 'b']. Rename the baseline variant's 'key' to 'control'."
)
SHARE = "Each variant must include split_percent (recommended) or rollout_percentage (deprecated)."
SUM = "Invalid variant definitions: Variant rollout percentages must sum to 100."
OLDER = (
    "Invalid metric at index 0: legacy metric kind 'ExperimentTrendsQuery' is no longer supported "
    "for new experiments. Use 'ExperimentMetric' instead."
)
STEP = (
    "Invalid metric at index 0: funnel metrics require at least one step. "
    "The experiment exposure event is added as the initial step automatically."
)
SOURCE = "Invalid metric at index 0: [{'loc': ('source',), 'type': 'missing', 'msg': 'Field required'}]."
KINDS = "['ExperimentEventExposureConfig', 'ActionsNode']"
TIME = (
    "Datetime has wrong format. Use one of these formats instead: "
    "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
)
ACTION = (
    "Action(s) with ID 9 not found or deleted. "
    "Each ActionsNode must reference an existing action belonging to this project."
)
UNSUPPORTED = "Unsupported key for the experiment feature_flag input."
SHARELESS = "feature_flag__filters__multivariate__variants__0__rollout_percentage"
MANY = {"control": 5, **{f"v{number}": 5 for number in range(20)}}


def metrics_of(faults: list[tuple[Any, str]]) -> list[tuple[str, Any, str, str | None]]:
    return [(name, *fault, name) for fault in faults for name in ("metrics", "metrics_secondary")]


def of_variants(*variants: Any) -> dict[str, Any]:
    return {"feature_flag_variants": [*variants]}


def of_filters(**filters: Any) -> dict[str, Any]:
    return {"filters": filters}


REFUSED: list[tuple[str, Any, str, str | None]] = [
    ("name", "n" * 401, "Ensure this field has no more than 400 characters.", "name"),
    ("type", "mobile", '"mobile" is not a valid choice.', "type"),
    ("conclusion", "maybe", '"maybe" is not a valid choice.', "conclusion"),
    ("holdout_id", 99, 'Invalid pk "99" - object does not exist.', "holdout_id"),
    ("holdout_id", "9" * 2_000, "String value too large.", "holdout_id"),
    ("start_date", "yesterday", TIME, "start_date"),
    ("parameters", variants_of(**MANY), "Feature flag variants must be less than 21", None),
    ("parameters", variants_of(control=100), TWO, None),
    ("parameters", variants_of(a=50, b=50), CONTROL, None),
    ("parameters", variants_of(control=50, test=40), SUM, "filters"),
    ("parameters", of_variants("x", "y"), "Feature flag variant at index 0 must be an object", None),
    ("parameters", of_variants({"key": "control"}, {}),
     "Feature flag variant at index 1 must have a 'key' field", None),
    ("parameters", of_variants({"key": "control"}, {"key": "test"}), SHARE, None),
    ("feature_flag", {"filters": {}, "colour": 1}, UNSUPPORTED, "feature_flag__colour"),
    ("feature_flag", of_filters(super_groups=[]), UNSUPPORTED, "feature_flag__filters__super_groups"),
    ("feature_flag", of_filters(multivariate={"x": 1}), UNSUPPORTED,
     "feature_flag__filters__multivariate__x"),
    ("feature_flag", of_filters(groups=[{"variant": "test"}]), UNSUPPORTED,
     "feature_flag__filters__groups__0__variant"),
    ("feature_flag", of_filters(multivariate={"variants": [{"key": "control"}]}), REQUIRED, SHARELESS),
    *metrics_of([
        ({}, "Metrics must be a list"),
        (["x"], "Invalid metric at index 0: must be a dict"),
        ([{"kind": "x"}], "Invalid metric at index 0: metric kind must be 'ExperimentMetric'"),
        ([{"kind": "ExperimentTrendsQuery"}], OLDER),
        ([FUNNEL | {"series": []}], STEP),
        ([{"kind": "ExperimentMetric", "metric_type": "mean"}], SOURCE),
    ]),
    ("metrics", [MEAN | {"source": {"kind": "ActionsNode", "id": 9}}], ACTION, None),
    ("exposure_criteria", "x", "exposure_criteria must be an object", "exposure_criteria"),
    *(("exposure_criteria", value, f"exposure_criteria.{detail}", "exposure_criteria") for value, detail in (
        ({"filterTestAccounts": 1}, "filterTestAccounts must be a boolean"),
        ({"exposure_config": 1}, "exposure_config must be an object"),
        ({"exposure_config": {"kind": "x"}}, f"exposure_config.kind must be one of {KINDS}"),
    )),
    ("exposure_criteria", {"exposure_config": {"kind": "ActionsNode"}},
     "Invalid exposure_criteria.exposure_config", "exposure_criteria"),
    ("saved_metrics_ids", {}, "Saved metrics must be a list", "saved_metrics_ids"),
    ("saved_metrics_ids", [1], "Saved metric must be an object", "saved_metrics_ids"),
    ("saved_metrics_ids", [{}], "Saved metric must have an id", "saved_metrics_ids"),
    ("saved_metrics_ids", [{"id": 1, "metadata": 1}], "Metadata must be an object", "saved_metrics_ids"),
    ("saved_metrics_ids", [{"id": 1, "metadata": {}}], "Metadata must have a type key", "saved_metrics_ids"),
    ("stats_config", {"method": "x"},
     "Invalid stats method: 'x'. Must be one of: bayesian, frequentist", None),
    ("stats_config", {"baseline_variant_key": "x"},
     "Invalid baseline_variant_key: 'x'. Must be one of: control, test", None),
    ("filters", {"properties": [1]}, "Experiments do not support global filter properties", None),
    ("excluded_variants", "x", "excluded_variants must be a list of strings", "excluded_variants"),
    ("excluded_variants", ["holdout-1"], "cannot exclude holdout pseudo-variants: ['holdout-1']", None),
    ("excluded_variants", ["control"], "baseline variant cannot be excluded ('control')", None),
    ("excluded_variants", ["x"], "unknown variants for this experiment: ['x']", None),
    ("excluded_variants", ["test"], "at least one test variant must remain in analysis", None),
    ("running_time_calculation", {"x": 1}, "running_time_calculation got unknown keys: ['x']", None),
    ("end_date", "2026-03-09T12:00:00Z", "End date must be after start date", None),
    ("end_date", "2026-03-08T12:00:00", "End date must be after start date", None),
]  # fmt: skip


async def test_refused_field_makes_no_flag(service: Service) -> None:
    for field, value, detail, attr in REFUSED:
        start = {"start_date": "2026-03-09T12:00:00Z"} if field == "end_date" else {}
        body = body_of(**start, **{field: value})
        assert await service.refused("POST", "experiments", body) == (400, detail, attr)
        assert (await service.get("feature_flags"))["count"] == 0, detail


@pytest.mark.parametrize("missing", [["name"], ["feature_flag_key"], ["name", "feature_flag_key"]])
async def test_scenario_2_name_and_flag_key_are_required(service: Service, missing: list[str]) -> None:
    body = {name: value for name, value in body_of().items() if name not in missing}
    assert await service.refused("POST", "experiments", body) == (400, REQUIRED, missing[0])


@pytest.mark.parametrize(("variants", "detail"), [
    (variants_of(**MANY), "Feature flag variants must be less than 21"),
    (variants_of(a=50, b=50), "Feature flag variants must contain a control variant"),
])  # fmt: skip
async def test_older_servers_name_parameters_for_variants(
    legacy: Service, variants: Any, detail: str
) -> None:
    body = body_of(parameters=variants)
    assert await legacy.refused("POST", "experiments", body) == (400, detail, "parameters")


async def test_scenario_9_events_must_be_known_or_insisted_upon(service: Service) -> None:
    status, detail, attr = await service.refused("POST", "experiments", body_of(metrics=[MEAN]))
    assert (status, attr) == (400, None)
    expected = "Event(s) 'bought' not found. No events with these names have been ingested by this project."
    assert detail.startswith(expected)
    await service.post("experiments", body_of(metrics=[MEAN], allow_unknown_events=True), 201)


async def test_scenario_10_metrics_of_each_kind_get_ids_and_fingerprints(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics=[MEAN, FUNNEL, RATIO, RETENTION], metrics_secondary=[MEAN])
    uuids = [metric["uuid"] for metric in made["metrics"]]
    assert made["primary_metrics_ordered_uuids"] == uuids
    assert len(set(uuids)) == 4
    assert all(len(metric["fingerprint"]) == 64 for metric in made["metrics"])
    assert made["secondary_metrics_ordered_uuids"] == [made["metrics_secondary"][0]["uuid"]]
    twice = MEAN | {"uuid": "0b7c0000-0000-0000-0000-000000000000"}
    first, second = (await service.create("other", metrics=[twice, twice]))["metrics"]
    assert first["uuid"] == twice["uuid"] != second["uuid"]


FAULTY_METRICS: list[dict[str, Any]] = [
    MEAN | {"uuid": ["a"]}, MEAN | {"name": {}}, MEAN | {"source": "bought"},
    MEAN | {"source": NODE | {"event": 5}}, MEAN | {"source": NODE | {"properties": {}}},
    MEAN | {"source": NODE | {"math": "median"}}, MEAN | {"source": NODE | {"math": "sum"}},
    MEAN | {"source": {"kind": "ActionsNode", "id": True}},
    MEAN | {"source": {"kind": "ExperimentDataWarehouseNode"}}, MEAN | {"source": {"kind": "SomethingNode"}},
    MEAN | {"upper_bound_percentile": 2, "threshold": "x", "goal": "up", "conversion_window_unit": "eon"},
    FUNNEL | {"series": {}}, RATIO | {"numerator_outlier_handling": []},
    RATIO | {"denominator_outlier_handling": {"upper_bound_percentile": "0.9"}},
    {name: value for name, value in RETENTION.items() if name != "start_handling"},
    {"kind": "ExperimentMetric", "metric_type": "sum"},
]  # fmt: skip


async def test_faults_within_a_metric_are_listed_with_their_place(service: Service) -> None:
    for metric in FAULTY_METRICS:
        body = body_of(metrics=[metric], allow_unknown_events=True)
        status, detail, attr = await service.refused("POST", "experiments", body)
        assert (status, attr) == (400, "metrics")
        assert detail.startswith("Invalid metric at index 0: [{'loc': (")

"""Results and exposures by query, from events stored a moment before."""

import base64
import sqlite3
import zlib
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.service.experiments.conftest import (
    DAY,
    FUNNEL,
    HOUR,
    MEAN,
    NODE,
    START,
    THIRDS,
    Service,
    people,
    variants_of,
)

from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.stored_events import People, matcher


async def query(service: Service, experiment: Any, metric: dict[str, Any] = MEAN) -> Any:
    service.clock.now = max(service.clock.now, START + 6 * HOUR)
    return await service.query("Query", experiment, metric=metric)


async def query_test(service: Service, experiment: Any, metric: dict[str, Any] = MEAN) -> Any:
    """The result of the first variant beside the baseline."""
    return (await query(service, experiment, metric))["variant_results"][0]


async def query_refused(service: Service, experiment: Any, metric: dict[str, Any] = MEAN) -> Any:
    body = {"kind": "ExperimentQuery", "experiment_id": experiment["id"], "metric": metric}
    return await service.refused("POST", "query", {"query": body})


FREQUENTIST = {"method": "frequentist", "frequentist": {"alpha": 0.01}}
WINS = {"method": "bayesian", "significant": True, "chance_to_win": pytest.approx(0.98350, abs=1e-5),
        "credible_interval": pytest.approx([0.08070, 1.91930], abs=1e-5)}  # fmt: skip
IS_OPEN = {"method": "frequentist", "significant": False, "p_value": pytest.approx(0.03519, abs=1e-5),
           "confidence_interval": pytest.approx([-0.22655, 2.22655], abs=1e-5)}  # fmt: skip


@pytest.mark.parametrize(("stats", "metric", "verdict"), [({}, FUNNEL, WINS), (FREQUENTIST, MEAN, IS_OPEN)])
async def test_query_returns_the_current_verdict(
    service: Service, stats: Any, metric: Any, verdict: Any
) -> None:
    """Scipy computes the same: `analysis/test_inference.py` compares them."""
    running = await service.start_sale({"control": 20, "test": 40}, stats_config=stats)
    response = await query(service, running, metric)
    assert (response["kind"], response["baseline"]["sum"]) == ("ExperimentQuery", 20)
    assert {name: response["variant_results"][0][name] for name in verdict} == verdict


CALLED = {"kind": "EventsNode", "event": "$feature_flag_called"}
DEAR = {"key": "price", "value": "5", "operator": "gt", "type": "event"}
OTHER_FLAG = {"key": "$feature_flag", "value": ["other"], "operator": "exact"}
STAFF = '{"test_account_filters":[{"key":"email","type":"person","operator":"not_icontains","value":"@us"}]}'


async def test_metric_counts_the_events_that_its_filters_match(service: Service) -> None:
    running = await service.start_sale({"control": 60, "test": 60})
    service.record(*(("bought", person, START + 3 * HOUR, {"price": 1}) for person in people("test", 60)))
    service.expose("other", "on", *people("test", 30), at=START + 2 * HOUR)
    cohort = service.insert("cohorts", project_id=1, name="c", is_static=1, created_at="")
    service.write(f"INSERT INTO cohort_members SELECT {cohort}, id FROM persons WHERE uuid = 'test-0'")
    in_cohort = {"key": "id", "type": "cohort", "value": str(cohort), "operator": "in"}
    for source, total in (
        (NODE | {"properties": [DEAR], "math": "sum", "math_property": "price"}, 600),
        (NODE | {"properties": [in_cohort]}, 2),
        (CALLED | {"properties": [OTHER_FLAG]}, 30),
        (CALLED | {"properties": [{"value": 1}]}, 0),
    ):
        assert (await query_test(service, running, MEAN | {"source": source}))["sum"] == total
    service.write("DELETE FROM cohort_members")
    service.write("UPDATE cohorts SET is_static = 0")
    metric = MEAN | {"source": NODE | {"properties": [in_cohort]}}
    detail = f"The members of cohort {cohort} are not stored here"
    assert await query_refused(service, running, metric) == (400, detail, "metric")


async def test_test_accounts_are_no_samples(service: Service) -> None:
    running = await service.start_sale({"control": 60, "test": 60})
    service.write("UPDATE projects SET settings = ?", STAFF)
    service.write("""UPDATE persons SET properties = '{"email":"me@us.test"}' WHERE uuid = 'control-0'""")
    assert (await query(service, running))["baseline"]["number_of_samples"] == 99


async def test_excluded_variants_are_not_analysed(service: Service) -> None:
    running = await service.start_sale(
        {"control": 20, "a": 20, "b": 20}, parameters=variants_of(**THIRDS), excluded_variants=["b"]
    )
    results = (await query(service, running))["variant_results"]
    assert [result["key"] for result in results] == ["a"]
    for key, more in (("b", {}), ("a", {"excluded_variants": ["a"]})):
        refusal = await service.edit_refused(running, stats_config={"baseline_variant_key": key}, **more)
        assert refusal == (400, f"baseline variant cannot be excluded ('{key}')", None)


async def test_an_action_or_another_event_can_expose(service: Service) -> None:
    opened = {"kind": "ExperimentEventExposureConfig", "event": "opened", "properties": []}
    running = await service.start_sale(exposure_criteria={"exposure_config": opened})
    seen = {"$feature/blue-button": "test"}
    service.record(*(("opened", person, START + HOUR, seen) for person in people("test", 7)))
    assert (await query_test(service, running))["number_of_samples"] == 7
    service.insert("actions", id=5, project_id=1, name="o", steps=[{"event": "opened", "properties": []}])
    await service.edit(running, exposure_criteria={"exposure_config": {"kind": "ActionsNode", "id": 5}})
    assert (await query_test(service, running))["number_of_samples"] == 7
    service.write("UPDATE actions SET deleted = 1")
    assert await query_refused(service, running) == (400, "Action 5 does not exist here", "metric")


async def test_groups_can_be_what_is_counted(service: Service) -> None:
    running = await service.start_sale(parameters={"aggregation_group_type_index": 0})
    called = {"$feature_flag": "blue-button", "$feature_flag_response": "test", "$group_0": "acme"}
    service.record(*(("$feature_flag_called", person, START + HOUR, called) for person in "ab"))
    service.record(*(("bought", person, START + HOUR, {"$group_0": "acme"}) for person in "abc"))
    test = await query_test(service, running)
    assert (test["number_of_samples"], test["sum"]) == (1, 3)


async def test_exposures_are_listed_by_day_with_their_ratio_test(service: Service) -> None:
    running = await service.running()
    service.expose("blue-button", "control", *people("control", 300), at=START + HOUR)
    service.expose("blue-button", "test", *people("test", 200), "control-0", at=START + DAY)
    service.clock.now = START + DAY + HOUR
    response = await service.query("ExposureQuery", running)
    assert response["total_exposures"] == {"control": 299, "test": 200, "$multiple": 1}
    control, test, multiple = response["timeseries"]
    assert (control["variant"], control["exposure_counts"]) == ("control", [299, 299])
    assert test["exposure_counts"] == [0, 200]
    assert (multiple["variant"], multiple["days"]) == ("$multiple", ["2026-03-10", "2026-03-11"])
    mismatch = {"p_value": pytest.approx(9.34286e-6), "expected": {"control": 249.5, "test": 249.5}}
    assert {name: response["sample_ratio_mismatch"][name] for name in mismatch} == mismatch


@pytest.mark.parametrize(("control", "risk"), [(80, 100 / 90), (50, None)])
async def test_exposures_report_bias_risk_of_uneven_variants(
    service: Service, control: int, risk: Any
) -> None:
    running = await service.running(parameters=variants_of(control=control, test=100 - control))
    service.expose("blue-button", "control", *people("control", 90), at=START + HOUR)
    service.expose("blue-button", "test", "control-0", at=START + 2 * HOUR)
    service.clock.now = START + 3 * HOUR
    exposures = await service.query("ExposureQuery", running)
    assert exposures["total_exposures"] == {"control": 89, "test": 0, "$multiple": 1}
    expected = risk and {"multiple_variant_percentage": pytest.approx(risk)}
    assert (exposures["bias_risk"], exposures["sample_ratio_mismatch"]) == (expected, None)
    await service.act(running, "end")
    assert (await service.query("ExposureQuery", running))["bias_risk"] is None


async def test_a_draft_has_no_exposures_and_no_results(service: Service) -> None:
    draft = await service.create()
    response = await service.query("ExposureQuery", draft)
    expected: dict[str, Any] = {"timeseries": [], "total_exposures": {}, "sample_ratio_mismatch": None}
    assert response.items() >= expected.items()
    result = await query(service, draft)
    assert result["baseline"]["number_of_samples"] == 0
    assert result["variant_results"][0]["validation_failures"] == ["not-enough-exposures"]


TRENDS = {"kind": "ExperimentTrendsQuery"}
SENSELESS: list[tuple[Any, int]] = [
    (None, 400),
    ("x", 400),
    ({"kind": "HogQLQuery"}, 400),
    ({"kind": "ExperimentQuery"}, 400),
    ({"kind": "ExperimentQuery", "experiment_id": "x"}, 404),
    ({"kind": "ExperimentQuery", "experiment_id": 99}, 404),
    ({"kind": "ExperimentQuery", "experiment_id": 1}, 400),
    ({"kind": "ExperimentQuery", "experiment_id": 1, "metric": TRENDS}, 400),
]
NESTED = base64.urlsafe_b64encode(zlib.compress(b'[1, {"a": ' + b"[" * 50_000)).decode().rstrip("=")
UNKNOWN: list[str] = ["x", "q1", "eJzLSM3JyQcABiwCFQ", "eJwDAAAAAAE", "%00", "9" * 5_000, NESTED]


async def test_senseless_and_unknown_queries_are_refused(service: Service) -> None:
    await service.create()
    for query, status in SENSELESS:
        assert (await service.refused("POST", "query", query and {"query": query}))[0] == status
    for number in UNKNOWN:
        assert (await service.refused("GET", f"query/{number}"))[0] == 404


async def test_a_question_can_be_fetched_later(service: Service) -> None:
    running = await service.start_sale({"control": 20, "test": 40})
    service.clock.now = START + 6 * HOUR
    body = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": MEAN}
    waiting = (await service.post("query", {"query": body, "refresh": "force_async"}, 202))["query_status"]
    assert (waiting["complete"], waiting["results"]) == (False, None)
    service.clock.pass_(seconds=-0.9)
    assert (await service.send("GET", f"query/{waiting['id']}")).status_code == 202
    assert (await service.send("GET", f"query/{waiting['id'][:5]}%0a{waiting['id'][5:]}")).status_code == 404
    answered = (await service.get(f"query/{waiting['id']}"))["query_status"]
    assert (answered["complete"], answered["results"]["baseline"]["sum"]) == (True, 20)


async def test_experiment_from_long_ago_is_reported_in_time(service: Service) -> None:
    made = await service.create(start_date="0603-05-06T13:00:24Z")
    assert made["start_date"] == "0603-05-06T13:00:24Z"
    service.expose("blue-button", "test", *people("test", 5), at=START)
    service.clock.now = START + 2 * HOUR
    response = await service.query("ExposureQuery", made)
    expected = (1_000, {"control": 0, "test": 5})
    assert (len(response["timeseries"][0]["days"]), response["total_exposures"]) == expected


async def test_unknown_values_are_no_second_variant(service: Service) -> None:
    running = await service.start_sale()
    service.expose("blue-button", "false", *people("test", 3), at=START + HOUR)
    service.expose("blue-button", "test", *people("test", 3), at=START + 2 * HOUR)
    assert (await query_test(service, running))["number_of_samples"] == 3


@pytest.mark.parametrize("operator", ["regex", "not_regex"])
def test_metric_behind_a_costly_pattern_is_not_computed(operator: str) -> None:
    costly = {"key": "name", "operator": operator, "value": "(?=.)(a|aa)+$"}
    with closing(sqlite3.connect(":memory:")) as database:
        matches = matcher([costly], People(database), datetime(2026, 3, 10, tzinfo=UTC))
        with pytest.raises(NotComputable, match="The pattern is too costly to evaluate here"):
            matches({"name": "a" * 80 + "!"}, None)

"""Results and exposures by query, from events stored a moment before."""

import base64
import sqlite3
import zlib
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
import scipy
from tests.service.experiments.buyers import DAY, HOUR, fill, people, start_experiment
from tests.service.experiments.conftest import FUNNEL, MEAN, NODE, START, Service

from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.stored_events import People, matcher


async def _query(service: Service, experiment: Any, metric: dict[str, Any]) -> Any:
    service.clock.now = max(service.clock.now, START + 6 * HOUR)
    query = {"kind": "ExperimentQuery", "experiment_id": experiment["id"], "metric": metric}
    return await service.post("query", {"query": query, "refresh": "blocking"})


async def test_query_returns_the_current_result_of_any_metric(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    response = await _query(service, running, FUNNEL)
    assert (response["kind"], response["baseline"]["sum"]) == ("ExperimentQuery", 20)
    test = response["variant_results"][0]
    effect, error = 1.0, (0.4 * 0.6 / 100 / 0.04 + 0.16 * (0.2 * 0.8 / 100) / 0.0016) ** 0.5
    assert test["chance_to_win"] == pytest.approx(scipy.stats.norm.sf(0, effect, error), abs=1e-6)
    assert test["credible_interval"] == pytest.approx(
        list(scipy.stats.norm.interval(0.95, effect, error)), abs=1e-6
    )
    assert test["significant"] is True


async def test_a_frequentist_experiment_is_judged_by_a_test(service: Service) -> None:
    running = await start_experiment(
        service, stats_config={"method": "frequentist", "frequentist": {"alpha": 0.01}}
    )
    fill(service, {"control": 20, "test": 40})
    test = (await _query(service, running, MEAN))["variant_results"][0]
    own, base = 0.4 * 0.6 / 99, 0.2 * 0.8 / 99
    error = (own / 0.2**2 + 0.4**2 * base / 0.2**4) ** 0.5
    degrees = (own + base) ** 2 / ((own**2 + base**2) / 99)
    assert (test["method"], test["significant"]) == ("frequentist", False)
    assert test["p_value"] == pytest.approx(2 * scipy.stats.t.sf(1 / error, degrees))
    assert test["confidence_interval"] == pytest.approx(
        list(scipy.stats.t.interval(0.99, degrees, 1.0, error))
    )


async def test_properties_persons_and_test_accounts_filter_events(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 60, "test": 60})
    cheap = [("bought", person, START + 3 * HOUR, {"price": 1}) for person in people("test", 60)]
    service.record(*cheap)
    dear = {"key": "price", "value": "5", "operator": "gt", "type": "event"}
    source = NODE | {"properties": [dear], "math": "sum", "math_property": "price"}
    response = await _query(service, running, MEAN | {"source": source})
    assert response["variant_results"][0]["sum"] == 600
    staff = (
        '{"test_account_filters":[{"key":"email","type":"person","operator":"not_icontains","value":"@us"}]}'
    )
    service.write("UPDATE projects SET settings = ?", staff)
    mail = '{"email":"me@us.test"}'
    service.write("UPDATE persons SET properties = ? WHERE uuid = 'control-0'", mail)
    response = await _query(service, running, MEAN)
    assert response["baseline"]["number_of_samples"] == 99


async def test_metric_counts_calls_of_any_flag(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 0, "test": 0})
    service.expose("other", "on", *people("test", 30), at=START + 2 * HOUR)
    filters = ({"key": "$feature_flag", "value": ["other"], "operator": "exact"}, {"value": 1})
    for item, expected in zip(filters, (30, 0), strict=True):
        source = {"kind": "EventsNode", "event": "$feature_flag_called", "properties": [item]}
        response = await _query(service, running, MEAN | {"source": source})
        assert response["variant_results"][0]["sum"] == expected


async def test_metric_filters_by_the_list_of_a_cohort(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 60, "test": 60})
    cohort = service.insert("cohorts", project_id=1, name="c", is_static=1, created_at="")
    service.write(f"INSERT INTO cohort_members SELECT {cohort}, id FROM persons WHERE uuid = 'test-0'")
    item = {"key": "id", "type": "cohort", "value": str(cohort), "operator": "in"}
    metric = MEAN | {"source": NODE | {"properties": [item]}}
    assert (await _query(service, running, metric))["variant_results"][0]["sum"] == 1
    service.write("DELETE FROM cohort_members")
    service.write("UPDATE cohorts SET is_static = 0")
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": metric}
    detail = f"The members of cohort {cohort} are not stored here"
    assert await service.refused("POST", "query", {"query": query}) == (400, detail, "metric")


async def test_excluded_variants_are_not_analysed(service: Service) -> None:
    thirds = [
        {"key": key, "rollout_percentage": share} for key, share in (("control", 34), ("a", 33), ("b", 33))
    ]
    service.define_event("bought")
    running = await service.running(
        metrics=[MEAN], parameters={"feature_flag_variants": thirds}, excluded_variants=["b"]
    )
    fill(service, {"control": 20, "a": 20, "b": 20})
    response = await _query(service, running, MEAN)
    assert [result["key"] for result in response["variant_results"]] == ["a"]
    for key, more in (("b", {}), ("a", {"excluded_variants": ["a"]})):
        body = {"stats_config": {"baseline_variant_key": key}, **more}
        refusal = await service.refused("PATCH", f"experiments/{running['id']}", body)
        assert refusal == (400, f"baseline variant cannot be excluded ('{key}')", None)


async def test_an_action_or_another_event_can_expose(service: Service) -> None:
    criteria = {
        "exposure_config": {"kind": "ExperimentEventExposureConfig", "event": "opened", "properties": []}
    }
    running = await start_experiment(service, exposure_criteria=criteria)
    seen = {"$feature/blue-button": "test"}
    service.record(*(("opened", person, START + HOUR, seen) for person in people("test", 7)))
    assert (await _query(service, running, MEAN))["variant_results"][0]["number_of_samples"] == 7
    service.insert("actions", id=5, project_id=1, name="o", steps=[{"event": "opened", "properties": []}])
    action = {"exposure_criteria": {"exposure_config": {"kind": "ActionsNode", "id": 5}}}
    await service.patch(f"experiments/{running['id']}", action)
    assert (await _query(service, running, MEAN))["variant_results"][0]["number_of_samples"] == 7
    service.write("UPDATE actions SET deleted = 1")
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": MEAN}
    refused = (400, "Action 5 does not exist here", "metric")
    assert await service.refused("POST", "query", {"query": query}) == refused


async def test_groups_can_be_what_is_counted(service: Service) -> None:
    service.define_event("bought")
    running = await service.running(metrics=[MEAN], parameters={"aggregation_group_type_index": 0})
    called = {"$feature_flag": "blue-button", "$feature_flag_response": "test", "$group_0": "acme"}
    service.record(*(("$feature_flag_called", person, START + HOUR, called) for person in ("a", "b")))
    service.record(*(("bought", person, START + HOUR, {"$group_0": "acme"}) for person in ("a", "b", "c")))
    test = (await _query(service, running, MEAN))["variant_results"][0]
    assert (test["number_of_samples"], test["sum"]) == (1, 3)


async def test_exposures_are_listed_by_day_with_their_ratio_test(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 0}, each=300)
    service.expose("blue-button", "test", *people("test", 200), at=START + DAY)
    service.expose("blue-button", "test", "control-0", at=START + DAY)
    service.clock.now = START + DAY + HOUR
    query = {"kind": "ExperimentExposureQuery", "experiment_id": running["id"]}
    response = await service.post("query", {"query": query})
    assert response["total_exposures"] == {"control": 299, "test": 200, "$multiple": 1}
    control, test, multiple = response["timeseries"]
    assert (control["variant"], control["exposure_counts"]) == ("control", [299, 299])
    assert test["exposure_counts"] == [0, 200]
    assert (multiple["variant"], multiple["days"]) == ("$multiple", ["2026-03-10", "2026-03-11"])
    mismatch = response["sample_ratio_mismatch"]
    assert mismatch["p_value"] == pytest.approx(scipy.stats.chisquare([299, 200]).pvalue)
    assert mismatch["expected"] == {"control": 249.5, "test": 249.5}


async def test_exposures_report_bias_risk_of_uneven_variants(service: Service) -> None:
    variants = [{"key": "control", "rollout_percentage": 80}, {"key": "test", "rollout_percentage": 20}]
    running = await service.running(parameters={"feature_flag_variants": variants})
    service.expose("blue-button", "control", *people("control", 90), at=START + HOUR)
    service.expose("blue-button", "test", "control-0", at=START + 2 * HOUR)
    service.clock.now = START + 3 * HOUR
    query = {"kind": "ExperimentExposureQuery", "experiment_id": running["id"]}
    exposures = await service.post("query", {"query": query})
    assert exposures["total_exposures"] == {"control": 89, "test": 0, "$multiple": 1}
    assert exposures["bias_risk"] == {"multiple_variant_percentage": pytest.approx(100 / 90)}
    assert exposures["sample_ratio_mismatch"] is None
    await service.post(f"experiments/{running['id']}/end")
    assert (await service.post("query", {"query": query}))["bias_risk"] is None


async def test_bias_risk_is_null_for_even_variants(service: Service) -> None:
    running = await service.running()
    service.expose("blue-button", "control", "ann", at=START + HOUR)
    service.expose("blue-button", "test", "ann", at=START + 2 * HOUR)
    service.clock.now = START + 3 * HOUR
    query = {"kind": "ExperimentExposureQuery", "experiment_id": running["id"]}
    exposures = await service.post("query", {"query": query})
    assert (exposures["total_exposures"]["$multiple"], exposures["bias_risk"]) == (1, None)


async def test_a_draft_has_no_exposures_and_no_results(service: Service) -> None:
    draft = await service.create()
    response = await service.post(
        "query", {"query": {"kind": "ExperimentExposureQuery", "experiment_id": draft["id"]}}
    )
    assert (response["timeseries"], response["total_exposures"], response["sample_ratio_mismatch"]) == (
        [],
        {},
        None,
    )
    result = await _query(service, draft, MEAN)
    assert result["baseline"]["number_of_samples"] == 0
    assert result["variant_results"][0]["validation_failures"] == ["not-enough-exposures"]


SENSELESS: list[tuple[Any, int]] = [
    (None, 400),
    ("x", 400),
    ({"kind": "HogQLQuery"}, 400),
    ({"kind": "ExperimentQuery"}, 400),
    ({"kind": "ExperimentQuery", "experiment_id": "x"}, 404),
    ({"kind": "ExperimentQuery", "experiment_id": 99}, 404),
    ({"kind": "ExperimentQuery", "experiment_id": 1}, 400),
    ({"kind": "ExperimentQuery", "experiment_id": 1, "metric": {"kind": "ExperimentTrendsQuery"}}, 400),
]


async def test_senseless_unknown_and_unscoped_queries_are_refused(service: Service) -> None:
    await service.create()
    for query, status in SENSELESS:
        response = await service.refused("POST", "query", {"query": query} if query is not None else {})
        assert response[0] == status
    for number in UNKNOWN:
        assert (await service.refused("GET", f"query/{number}"))[0] == 404
    few = service.with_key("experiment:write")
    detail = "API key missing required scope 'query:read'"
    assert await few.refused("POST", "query", {}) == (403, detail, None)


async def test_a_question_can_be_fetched_later(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    service.clock.now = START + 6 * HOUR
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": MEAN}
    waiting = (await service.post("query", {"query": query, "refresh": "force_async"}, 202))["query_status"]
    assert (waiting["complete"], waiting["results"]) == (False, None)
    service.clock.pass_(seconds=-0.9)
    assert (await service.send("GET", f"query/{waiting['id']}")).status_code == 202
    assert (await service.send("GET", f"query/{waiting['id'][:5]}%0a{waiting['id'][5:]}")).status_code == 404
    answered = (await service.get(f"query/{waiting['id']}"))["query_status"]
    assert (answered["complete"], answered["results"]["baseline"]["sum"]) == (True, 20)


NESTED = base64.urlsafe_b64encode(zlib.compress(b'[1, {"a": ' + b"[" * 50_000)).decode().rstrip("=")
UNKNOWN: list[str] = ["x", "q1", "eJzLSM3JyQcABiwCFQ", "eJwDAAAAAAE", "%00", "9" * 5_000, NESTED]


async def test_experiment_from_long_ago_is_reported_in_time(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics=[MEAN], start_date="0603-05-06T13:00:24Z")
    assert made["start_date"] == "0603-05-06T13:00:24Z"
    service.expose("blue-button", "test", *people("test", 5), at=START)
    service.clock.now = START + 2 * HOUR
    query = {"kind": "ExperimentExposureQuery", "experiment_id": made["id"]}
    response = await service.post("query", {"query": query})
    expected = (1_000, {"control": 0, "test": 5})
    assert (len(response["timeseries"][0]["days"]), response["total_exposures"]) == expected


async def test_unknown_values_are_no_second_variant(service: Service) -> None:
    running = await start_experiment(service)
    service.expose("blue-button", "false", *people("test", 3), at=START + HOUR)
    service.expose("blue-button", "test", *people("test", 3), at=START + 2 * HOUR)
    assert (await _query(service, running, MEAN))["variant_results"][0]["number_of_samples"] == 3


NOW = datetime(2026, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize("operator", ["regex", "not_regex"])
def test_metric_behind_a_costly_pattern_is_not_computed(operator: str) -> None:
    costly = {"key": "name", "operator": operator, "value": "(?=.)(a|aa)+$"}
    with closing(sqlite3.connect(":memory:")) as database:
        matches = matcher([costly], People(database), NOW)
        with pytest.raises(NotComputable, match="The pattern is too costly to evaluate here"):
            matches({"name": "a" * 80 + "!"}, None)

"""Results day by day, and recalculations: scenario 31."""

from typing import Any

import pytest
from tests.service.experiments.conftest import DAY, HOUR, MEAN, NODE, START, Service, people

SERIES, RECALCULATION = "timeseries_results", "metrics_recalculation"
SINCE = "2026-03-10T12:00:00Z"
LATE = "Cannot recalculate timeseries for experiment that hasn't started"


async def metric_of(service: Service, experiment: Any) -> Any:
    return (await service.reread(experiment))["metrics"][0]


async def series_of(service: Service, experiment: Any, **parameters: Any) -> Any:
    metric = await metric_of(service, experiment)
    chosen = {"metric_uuid": metric["uuid"], "fingerprint": metric["fingerprint"], **parameters}
    return await service.get(f"experiments/{experiment['id']}/{SERIES}", **chosen)


async def test_scenario_31_what_must_be_asked_and_when(service: Service) -> None:
    draft, running = await service.create(), await service.running("other")
    for parameters, detail in (
        ({}, "metric_uuid query parameter is required"),
        ({"metric_uuid": "x"}, "fingerprint query parameter is required"),
        ({"metric_uuid": "x", "fingerprint": "y"}, "Experiment has not been started yet"),
    ):
        refusal = await service.refused("GET", f"experiments/{draft['id']}/{SERIES}", **parameters)
        assert refusal == (400, detail, None)
    for experiment, body, detail in (
        (running, {}, "metric is required"),
        (running, {"metric": {"uuid": "u"}}, "fingerprint is required"),
        (draft, {"metric": {"uuid": "u"}, "fingerprint": "f"}, LATE),
    ):
        refusal = await service.act_refused(experiment, "recalculate_timeseries", body)
        assert refusal == (400, detail, None)


async def test_scenario_31_series_reports_past_days_only(service: Service) -> None:
    running = await service.start_sale({"control": 20, "test": 40})
    service.record(*(("bought", person, START + DAY, {}) for person in people("control", 10)))
    service.clock.now = START + 2 * DAY
    series = await series_of(service, running)
    assert (series["status"], series["errors"]) == ("partial", None)
    assert list(series["timeseries"]) == ["2026-03-10", "2026-03-11", "2026-03-12"]
    first, second, third = series["timeseries"].values()
    assert third is None
    assert (first["baseline"]["number_of_samples"], first["baseline"]["sum"]) == (100, 20)
    assert (second["baseline"]["sum"], second["baseline"]["sum_squares"]) == (30, 10 * 4 + 10)
    test = second["variant_results"][0]
    assert (test["key"], test["method"], test["sum"]) == ("test", "bayesian", 40)
    assert series["computed_at"].endswith("+00:00")


@pytest.mark.parametrize("unknown", [{"metric_uuid": "x"}, {"fingerprint": "x"}])
async def test_scenario_31_an_unknown_metric_or_fingerprint_is_pending(
    service: Service, unknown: Any
) -> None:
    running = await service.start_sale()
    service.clock.now = START + 2 * DAY
    series = await series_of(service, running, **unknown)
    assert (series["status"], series["computed_at"]) == ("pending", None)
    assert set(series["timeseries"].values()) == {None}


async def test_an_ended_experiment_is_complete(service: Service) -> None:
    running = await service.start_sale({"control": 20, "test": 40})
    service.clock.now = START + 2 * DAY
    await service.act(running, "end")
    service.record(*(("bought", person, START + 2 * DAY + HOUR, {}) for person in people("test", 9)))
    service.clock.now = START + 9 * DAY
    series = await series_of(service, running)
    assert (series["status"], len(series["timeseries"])) == ("completed", 3)
    assert series["timeseries"]["2026-03-12"]["variant_results"][0]["sum"] == 40


async def test_first_day_is_pending_until_a_recalculation(service: Service) -> None:
    running = await service.start_sale({"control": 20, "test": 40})
    service.clock.now = START + 3 * HOUR
    assert (await series_of(service, running))["status"] == "pending"
    metric = await metric_of(service, running)
    body = {"metric": metric, "fingerprint": metric["fingerprint"]}
    job = await service.act(running, "recalculate_timeseries", body, 201)
    assert (job["status"], job["metric_uuid"]) == ("pending", metric["uuid"])
    again = await service.act(running, "recalculate_timeseries", body)
    assert (again["id"], again["status"]) == (job["id"], "in_progress")
    service.clock.pass_(seconds=2)
    series = await series_of(service, running)
    assert (series["status"], series["recalculation_status"]) == ("completed", "completed")
    assert series["timeseries"]["2026-03-10"]["baseline"]["sum"] == 20
    assert (await service.act(running, "recalculate_timeseries", body, 201))["id"] != job["id"]


async def test_a_recalculation_of_all_metrics_can_be_watched(service: Service) -> None:
    running = await service.start_sale({"control": 20, "test": 40})
    service.clock.now = START + 3 * HOUR
    path = f"experiments/{running['id']}/{RECALCULATION}"
    none_yet = (await service.send("GET", f"{path}/latest")).json()
    assert none_yet == {"detail": "No completed recalculation found"}
    run = await service.post(path, {"trigger": "manual"}, 201)
    assert (run["status"], run["total_metrics"], run["completed_metrics"]) == ("pending", 2, 0)
    again = await service.post(path, {})
    assert (again["id"], again["is_existing"], again["status"]) == (run["id"], True, "in_progress")
    done = await service.get(f"{path}/{run['id']}")
    assert (done["status"], done["completed_metrics"]) == ("completed", 2)
    assert [result["status"] for result in done["results"]] == ["completed", "completed"]
    assert done["results"][1]["result"]["baseline"]["step_counts"] == [20]
    assert (await service.get(f"{path}/latest"))["id"] == run["id"]
    assert await service.refused("GET", f"{path}/nobody") == (404, "Not found.", None)


async def test_metric_or_exposures_without_a_result_fail_with_a_reason(service: Service) -> None:
    metric = MEAN | {"source": NODE | {"math": "hogql", "math_hogql": "sum(1)"}}
    detail = "The math 'hogql' is not computed here"
    service.define_event("bought")
    running = await service.running(metrics=[metric])
    service.clock.now = START + 2 * DAY
    series = await series_of(service, running)
    errors = dict.fromkeys(["2026-03-10", "2026-03-11"], detail)
    assert (series["status"], series["errors"]) == ("failed", errors)
    run = await service.act(running, RECALCULATION, {}, 201)
    service.clock.pass_(seconds=9)
    done = await service.get(f"experiments/{running['id']}/{RECALCULATION}/{run['id']}")
    assert (done["status"], done["failed_metrics"]) == ("failed", 1)
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": metric}
    assert await service.refused("POST", "query", {"query": query}) == (400, detail, "metric")
    by_action = {"exposure_config": {"kind": "ActionsNode", "id": 5}}
    unread = await service.create("other", exposure_criteria=by_action, metrics=[MEAN], start_date=SINCE)
    assert set((await series_of(service, unread))["errors"].values()) == {"Action 5 does not exist here"}


async def test_conversion_window_stays_open_after_the_end_only(service: Service) -> None:
    service.define_event("bought")
    windowed = MEAN | {"conversion_window": 2, "conversion_window_unit": "day"}
    running = await service.running(metrics=[windowed])
    service.expose("blue-button", "control", "ada", at=START + HOUR)
    service.record(*(("bought", "ada", START + hours * HOUR, {}) for hours in (2, 26, 47, 50)))
    service.clock.now = START + 40 * HOUR
    await service.act(running, "end")
    service.clock.now = START + 9 * DAY
    series = await series_of(service, running)
    sums = {day: result["baseline"]["sum"] for day, result in series["timeseries"].items()}
    assert sums == {"2026-03-10": 1, "2026-03-11": 2, "2026-03-12": 3}

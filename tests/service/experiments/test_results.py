"""Results day by day, and recalculations: scenario 31."""

from typing import Any

import pytest
from tests.service.experiments.buyers import DAY, HOUR, Happened, fill, people, start_experiment
from tests.service.experiments.conftest import MEAN, NODE, START, Service


async def _series(service: Service, experiment: Any, place: int = 0) -> Any:
    fresh = await service.get(f"experiments/{experiment['id']}")
    metric = fresh["metrics"][place]
    parameters = {"metric_uuid": metric["uuid"], "fingerprint": metric["fingerprint"]}
    return await service.get(f"experiments/{experiment['id']}/timeseries_results", **parameters)


async def test_scenario_31_what_must_be_asked_and_when(service: Service) -> None:
    draft = await service.create()
    path = f"experiments/{draft['id']}/timeseries_results"
    missing = (400, "metric_uuid query parameter is required", None)
    assert await service.refused("GET", path) == missing
    missing = (400, "fingerprint query parameter is required", None)
    assert await service.refused("GET", path, metric_uuid="x") == missing
    early = (400, "Experiment has not been started yet", None)
    assert await service.refused("GET", path, metric_uuid="x", fingerprint="y") == early


async def test_scenario_31_series_reports_past_days_only(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    late: list[Happened] = [("bought", person, START + DAY, {}) for person in people("control", 10)]
    service.record(*late)
    service.clock.now = START + 2 * DAY
    series = await _series(service, running)
    assert (series["status"], series["errors"]) == ("partial", None)
    assert list(series["timeseries"]) == ["2026-03-10", "2026-03-11", "2026-03-12"]
    first, second, third = series["timeseries"].values()
    assert third is None
    assert (first["baseline"]["number_of_samples"], first["baseline"]["sum"]) == (100, 20)
    assert (second["baseline"]["sum"], second["baseline"]["sum_squares"]) == (30, 10 * 4 + 10)
    test = second["variant_results"][0]
    assert (test["key"], test["method"], test["sum"]) == ("test", "bayesian", 40)
    assert series["computed_at"].endswith("+00:00")


async def test_scenario_31_an_unknown_metric_or_fingerprint_is_pending(service: Service) -> None:
    running = await start_experiment(service)
    service.clock.now = START + 2 * DAY
    metric = running["metrics"][0]
    for uuid, fingerprint in (("x", metric["fingerprint"]), (metric["uuid"], "x")):
        path = f"experiments/{running['id']}/timeseries_results"
        series = await service.get(path, metric_uuid=uuid, fingerprint=fingerprint)
        assert series["status"] == "pending"
        assert set(series["timeseries"].values()) == {None}
        assert series["computed_at"] is None


async def test_an_ended_experiment_is_complete(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    service.clock.now = START + 2 * DAY
    await service.post(f"experiments/{running['id']}/end")
    late: list[Happened] = [("bought", person, START + 2 * DAY + HOUR, {}) for person in people("test", 9)]
    service.record(*late)
    service.clock.now = START + 9 * DAY
    series = await _series(service, running)
    assert (series["status"], len(series["timeseries"])) == ("completed", 3)
    assert series["timeseries"]["2026-03-12"]["variant_results"][0]["sum"] == 40


async def test_first_day_is_pending_until_a_recalculation(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    service.clock.now = START + 3 * HOUR
    assert (await _series(service, running))["status"] == "pending"
    fresh = await service.get(f"experiments/{running['id']}")
    metric = fresh["metrics"][0]
    path = f"experiments/{running['id']}/recalculate_timeseries"
    body = {"metric": metric, "fingerprint": metric["fingerprint"]}
    job = await service.post(path, body, 201)
    assert (job["status"], job["metric_uuid"]) == ("pending", metric["uuid"])
    again = await service.post(path, body, 200)
    assert again["id"] == job["id"]
    assert again["status"] == "in_progress"
    service.clock.pass_(seconds=2)
    series = await _series(service, running)
    assert (series["status"], series["recalculation_status"]) == ("completed", "completed")
    assert series["timeseries"]["2026-03-10"]["baseline"]["sum"] == 20
    assert (await service.post(path, body, 201))["id"] != job["id"]


@pytest.mark.parametrize(
    ("body", "detail"), [({}, "metric is required"), ({"metric": {"uuid": "u"}}, "fingerprint is required")]
)
async def test_recalculation_needs_a_metric(service: Service, body: dict[str, Any], detail: str) -> None:
    running = await service.running()
    path = f"experiments/{running['id']}/recalculate_timeseries"
    assert await service.refused("POST", path, body) == (400, detail, None)
    draft = await service.create("other")
    full = {"metric": {"uuid": "u"}, "fingerprint": "f"}
    late = (400, "Cannot recalculate timeseries for experiment that hasn't started", None)
    assert await service.refused("POST", f"experiments/{draft['id']}/recalculate_timeseries", full) == late


async def test_a_recalculation_of_all_metrics_can_be_watched(service: Service) -> None:
    running = await start_experiment(service)
    fill(service, {"control": 20, "test": 40})
    service.clock.now = START + 3 * HOUR
    path = f"experiments/{running['id']}/metrics_recalculation"
    assert (await service.send("GET", f"{path}/latest")).json() == {
        "detail": "No completed recalculation found"
    }
    run = await service.post(path, {"trigger": "manual"}, 201)
    assert (run["status"], run["total_metrics"], run["completed_metrics"]) == ("pending", 2, 0)
    again = await service.post(path, {}, 200)
    assert (again["id"], again["is_existing"], again["status"]) == (run["id"], True, "in_progress")
    half = await service.get(f"{path}/{run['id']}")
    assert (half["status"], half["completed_metrics"]) == ("completed", 2)
    assert [result["status"] for result in half["results"]] == ["completed", "completed"]
    assert half["results"][1]["result"]["baseline"]["step_counts"] == [20]
    assert (await service.get(f"{path}/latest"))["id"] == run["id"]
    assert await service.refused("GET", f"{path}/nobody") == (404, "Not found.", None)


async def test_a_metric_this_service_cannot_compute_fails_with_a_reason(service: Service) -> None:
    expression = MEAN | {"source": NODE | {"math": "hogql", "math_hogql": "sum(1)"}}
    service.define_event("bought")
    running = await service.running(metrics=[expression])
    service.clock.now = START + 2 * DAY
    series = await _series(service, running)
    assert series["status"] == "failed"
    assert series["errors"] == dict.fromkeys(
        ["2026-03-10", "2026-03-11"], "The math 'hogql' is not computed here"
    )
    run = await service.post(f"experiments/{running['id']}/metrics_recalculation", {}, 201)
    service.clock.pass_(seconds=9)
    done = await service.get(f"experiments/{running['id']}/metrics_recalculation/{run['id']}")
    assert (done["status"], done["failed_metrics"]) == ("failed", 1)
    query = {"kind": "ExperimentQuery", "experiment_id": running["id"], "metric": expression}
    refused = (400, "The math 'hogql' is not computed here", "metric")
    assert await service.refused("POST", "query", {"query": query}) == refused


async def test_exposures_that_cannot_be_read_fail_the_days(service: Service) -> None:
    running = await start_experiment(
        service, exposure_criteria={"exposure_config": {"kind": "ActionsNode", "id": 5}}
    )
    service.clock.now = START + 2 * DAY
    series = await _series(service, running)
    assert series["status"] == "failed"
    assert set(series["errors"].values()) == {"Action 5 does not exist here"}


async def test_conversion_window_stays_open_after_the_end_only(service: Service) -> None:
    service.define_event("bought")
    windowed = MEAN | {"conversion_window": 2, "conversion_window_unit": "day"}
    running = await service.running(metrics=[windowed])
    service.expose("blue-button", "control", "ada", at=START + HOUR)
    for hours in (2, 26, 47, 50):
        service.record(("bought", "ada", START + hours * HOUR, {}))
    service.clock.now = START + 40 * HOUR
    await service.post(f"experiments/{running['id']}/end")
    service.clock.now = START + 9 * DAY
    series = await _series(service, running)
    sums = {day: result["baseline"]["sum"] for day, result in series["timeseries"].items()}
    assert sums == {"2026-03-10": 1, "2026-03-11": 2, "2026-03-12": 3}

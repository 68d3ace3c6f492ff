"""Experiments of the older engine get a copy on the current one."""

import json
from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, Service

NODE = {"kind": "EventsNode", "event": "bought", "name": "bought", "math_property_type": "x"}
TRENDS: dict[str, Any] = {
    "kind": "ExperimentTrendsQuery",
    "uuid": "0b7c1c1e-0000-4000-8000-000000000001",
    "name": "Orders",
    "count_query": {"kind": "TrendsQuery", "series": [NODE]},
}
FUNNELS: dict[str, Any] = {
    "kind": "ExperimentFunnelsQuery",
    "funnels_query": {"series": [NODE, {"kind": "EventsNode", "event": "paid", "name": "paid"}]},
}


async def legacy_experiment(service: Service, *metrics: Any, **columns: Any) -> Any:
    made = await service.running(**columns)
    service.write("UPDATE experiments SET metrics = ? WHERE id = ?", json.dumps(metrics), made["id"])
    return await service.get(f"experiments/{made['id']}")


async def test_migration_copies_the_experiment_on_its_flag(service: Service) -> None:
    original = await legacy_experiment(service, TRENDS, FUNNELS, MEAN)
    assert original["is_legacy"] is True
    copy = await service.post(f"experiments/{original['id']}/migrate")
    assert copy["id"] != original["id"]
    assert (copy["is_legacy"], copy["status"], copy["created_at"] > original["created_at"]) == (
        *(False, "running"),
        True,
    )
    for name in ("name", "description", "start_date", "feature_flag_key", "parameters", "created_by"):
        assert copy[name] == original[name], name
    assert copy["feature_flag"]["id"] == original["feature_flag"]["id"]
    trends, funnels, mean = copy["metrics"]
    assert (trends["metric_type"], trends["name"]) == ("mean", "Orders")
    assert trends["source"] == {"kind": "EventsNode", "event": "bought"}
    assert [step["event"] for step in funnels["series"]] == ["bought", "paid"]
    assert not any("name" in step for step in funnels["series"])
    assert mean["source"] == MEAN["source"]
    uuids = [metric["uuid"] for metric in copy["metrics"]]
    assert copy["primary_metrics_ordered_uuids"] == uuids
    assert TRENDS["uuid"] not in uuids
    assert copy["stats_config"]["migrated_from"] == original["id"]


async def test_second_migration_returns_the_same_copy(service: Service) -> None:
    original = await legacy_experiment(service, TRENDS)
    path = f"experiments/{original['id']}/migrate"
    copy = await service.post(path)
    assert (await service.post(path))["id"] == copy["id"]
    kept = await service.get(f"experiments/{original['id']}")
    assert (kept["metrics"], kept["updated_at"]) == (original["metrics"], original["updated_at"])
    assert kept["stats_config"]["migrated_to"] == copy["id"]
    await service.patch(f"experiments/{copy['id']}", {"deleted": True})
    assert (await service.post(path))["id"] == copy["id"] + 1


async def test_migration_brings_shared_metrics_along(service: Service) -> None:
    service.define_event("bought")
    shared = [
        await service.post("experiment_saved_metrics", {"name": name, "query": MEAN}, 201) for name in "ab"
    ]
    links = [{"id": metric["id"], "metadata": {"type": "secondary"}} for metric in shared]
    originals = [await service.running(key, saved_metrics_ids=links) for key in ("one", "two")]
    service.write("UPDATE saved_metrics SET query = ? WHERE name = 'a'", json.dumps(TRENDS))
    copies = [await service.post(f"experiments/{original['id']}/migrate") for original in originals]
    used = [[link["saved_metric"] for link in copy["saved_metrics"]] for copy in copies]
    assert used[0] == used[1]
    assert shared[0]["id"] not in used[0]
    assert shared[1]["id"] in used[0]
    assert {link["metadata"]["type"] for link in copies[0]["saved_metrics"]} == {"secondary"}
    assert {link["query"]["kind"] for link in copies[0]["saved_metrics"]} == {"ExperimentMetric"}
    assert (await service.get("experiment_saved_metrics"))["count"] == 3


@pytest.mark.parametrize(
    "metric",
    [
        {"kind": "ExperimentTrendsQuery"},
        {"kind": "ExperimentTrendsQuery", "count_query": []},
        {"kind": "ExperimentTrendsQuery", "count_query": {"series": []}},
        {"kind": "ExperimentTrendsQuery", "count_query": {"series": [1]}},
        {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": {}}},
        {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [{"kind": 5}]}},
    ],
)
async def test_metric_without_an_event_is_not_migrated(service: Service, metric: Any) -> None:
    original = await legacy_experiment(service, metric)
    status, _, _ = await service.refused("POST", f"experiments/{original['id']}/migrate")
    assert status == 400
    assert service.rows("SELECT count(*) AS n FROM experiments") == [{"n": 1}]


async def test_unreadable_id_of_a_copy_counts_as_none(service: Service) -> None:
    original = await legacy_experiment(service, TRENDS)
    service.write("""UPDATE experiments SET stats_config = '{"migrated_to":1e300}'""")
    assert (await service.post(f"experiments/{original['id']}/migrate"))["id"] == original["id"] + 1


async def test_current_experiment_is_not_migrated(service: Service) -> None:
    made = await service.create()
    refusal = await service.refused("POST", f"experiments/{made['id']}/migrate")
    assert refusal == (400, "Only experiments that use legacy metrics can be migrated.", None)
    assert (await service.refused("POST", "experiments/999/migrate"))[0] == 404

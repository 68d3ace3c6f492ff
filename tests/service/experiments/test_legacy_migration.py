"""Experiments of the older engine get a copy on the current one."""

import json
from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, NODE, Service

NAMED = {**NODE, "name": "bought", "math_property_type": "x"}
TRENDS: dict[str, Any] = {
    **{"kind": "ExperimentTrendsQuery", "uuid": "0b7c1c1e-0000-4000-8000-000000000001", "name": "Orders"},
    "count_query": {"kind": "TrendsQuery", "series": [NAMED]},
}
PAID = {"kind": "EventsNode", "event": "paid"}
FUNNELS: dict[str, Any] = {
    "kind": "ExperimentFunnelsQuery",
    "funnels_query": {"series": [NAMED, {**PAID, "name": "paid"}]},
}


async def legacy_experiment(service: Service, *metrics: Any) -> Any:
    made = await service.running()
    service.write("UPDATE experiments SET metrics = ? WHERE id = ?", json.dumps(metrics), made["id"])
    return await service.reread(made)


async def test_migration_copies_the_experiment_on_its_flag(service: Service) -> None:
    original = await legacy_experiment(service, TRENDS, FUNNELS, MEAN)
    copy = await service.act(original, "migrate")
    assert copy["id"] != original["id"]
    assert copy["created_at"] > original["created_at"]
    assert [each["is_legacy"] for each in (original, copy)] == [True, False]
    names = ("name", "description", "status", "start_date", "feature_flag_key", "parameters", "created_by")
    assert {name: copy[name] for name in names} == {name: original[name] for name in names}
    assert copy["feature_flag"]["id"] == original["feature_flag"]["id"]
    trends, funnels, mean = copy["metrics"]
    assert (trends["metric_type"], trends["name"], trends["source"]) == ("mean", "Orders", NODE)
    assert [step["event"] for step in funnels["series"]] == ["bought", "paid"]
    assert not any("name" in step for step in funnels["series"])
    assert mean["source"] == NODE
    uuids = [metric["uuid"] for metric in copy["metrics"]]
    assert copy["primary_metrics_ordered_uuids"] == uuids
    assert TRENDS["uuid"] not in uuids
    assert copy["stats_config"]["migrated_from"] == original["id"]


async def test_second_migration_returns_the_same_copy_while_there(service: Service) -> None:
    original = await legacy_experiment(service, TRENDS)
    copy = await service.act(original, "migrate")
    assert (await service.act(original, "migrate"))["id"] == copy["id"]
    kept = await service.reread(original)
    assert (kept["metrics"], kept["updated_at"]) == (original["metrics"], original["updated_at"])
    assert kept["stats_config"]["migrated_to"] == copy["id"]
    await service.edit(copy, deleted=True)
    assert (await service.act(original, "migrate"))["id"] == copy["id"] + 1
    service.write("""UPDATE experiments SET stats_config = '{"migrated_to":1e300}'""")
    assert (await service.act(original, "migrate"))["id"] == copy["id"] + 2


async def test_migration_brings_shared_metrics_along(service: Service) -> None:
    service.define_event("bought")
    path = "experiment_saved_metrics"
    older, current = [(await service.post(path, {"name": name, "query": MEAN}, 201))["id"] for name in "ab"]
    links = [{"id": number, "metadata": {"type": "secondary"}} for number in (older, current)]
    originals = [await service.running(key, saved_metrics_ids=links) for key in ("one", "two")]
    service.write("UPDATE saved_metrics SET query = ? WHERE name = 'a'", json.dumps(TRENDS))
    copies = [(await service.act(original, "migrate"))["saved_metrics"] for original in originals]
    first, second = [{link["saved_metric"] for link in links} for links in copies]
    assert first == second
    assert (older in first, current in first) == (False, True)
    assert {link["metadata"]["type"] for link in copies[0]} == {"secondary"}
    assert {link["query"]["kind"] for link in copies[0]} == {"ExperimentMetric"}
    assert (await service.get(path))["count"] == 3


@pytest.mark.parametrize("metric", [
    {"kind": "ExperimentTrendsQuery"},
    {"kind": "ExperimentTrendsQuery", "count_query": []},
    {"kind": "ExperimentTrendsQuery", "count_query": {"series": []}},
    {"kind": "ExperimentTrendsQuery", "count_query": {"series": [1]}},
    {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": {}}},
    {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [{"kind": 5}]}},
])  # fmt: skip
async def test_metric_without_an_event_is_not_migrated(service: Service, metric: Any) -> None:
    original = await legacy_experiment(service, metric)
    assert (await service.act_refused(original, "migrate"))[0] == 400
    assert service.rows("SELECT count(*) AS n FROM experiments") == [{"n": 1}]


async def test_current_experiment_is_not_migrated(service: Service) -> None:
    refusal = await service.act_refused(await service.create(), "migrate")
    assert refusal == (400, "Only experiments that use legacy metrics can be migrated.", None)
    assert (await service.act_refused({"id": 999}, "migrate"))[0] == 404

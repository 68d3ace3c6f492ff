"""The service answers as the examples of the contract."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.agreement import ERROR_KEYS, agree
from tests.service.experiments.conftest import Service, Start

EXAMPLES = Path(__file__).parents[2] / "contract"
NAMES = sorted(
    path.stem
    for path in EXAMPLES.glob("*.json")
    if path.stem.split(".")[0] in ("experiments", "holdouts", "saved_metrics")
)
ORDERS = "order placed"
METRIC = {
    "kind": "ExperimentMetric",
    "metric_type": "mean",
    "name": "Orders",
    "goal": "increase",
    "source": {"kind": "EventsNode", "event": ORDERS, "math": "total"},
}
SHARE = [{"properties": [], "rollout_percentage": 10}]


@pytest.mark.parametrize("name", NAMES)
async def test_service_responds_like_the_example(start: Start, name: str) -> None:
    service: Service = await start(newest=True)
    example = json.loads((EXAMPLES / f"{name}.json").read_text())
    ids = await _prepare(service, example)
    request = _with_own_ids(example["request"], ids, service)
    path = example["path"].removeprefix("/api/projects/{project}/").strip("/").format(**ids)
    response = await service.send(example["method"], path, request["body"], **request["query"])
    assert _kind(response.status_code) == _kind(example["status"]), response.text
    answer: Any = response.json() if response.content else None
    if example["status"] >= 400 and example["answer"] is not None:
        assert {key: answer[key] for key in ERROR_KEYS} == {key: example["answer"][key] for key in ERROR_KEYS}
    else:
        agree(answer, example["answer"], "answer")


async def _prepare(service: Service, example: dict[str, Any]) -> dict[str, Any]:
    """Makes true what the example needs, and gives the ids it has here."""
    given = example.get("given") or ""
    service.define_event(ORDERS)
    if "holdout" in given:
        made = await service.post("experiment_holdouts", {"name": "h", "filters": SHARE}, 201)
        return {"id": made["id"]}
    if "metric 4" in given:
        made = await service.post("experiment_saved_metrics", {"name": "m", "query": METRIC}, 201)
        return {"id": made["id"]}
    made = await service.create(metrics=[METRIC])
    steps = {"running": 1, "paused": 2, "stopped": 2, "archived": 3}
    state = next((state for state in steps if state in given), "")
    actions = ["launch", "pause" if state == "paused" else "end", "archive"][: steps.get(state, 0)]
    for action in actions:
        await service.post(f"experiments/{made['id']}/{action}")
    service.clock.pass_(days=2)
    fresh = await service.get(f"experiments/{made['id']}")
    ids = {"id": fresh["id"], "metric": fresh["metrics"][0]}
    if example["operation"] == "experiments.query_status":
        query = {"kind": "ExperimentQuery", "experiment_id": made["id"], "metric": METRIC}
        waiting = await service.post("query", {"query": query, "refresh": "async"}, 202)
        ids["id"] = waiting["query_status"]["id"]
    if "were calculated" in given:
        run = await service.post(f"experiments/{made['id']}/metrics_recalculation", {}, 201)
        service.clock.pass_(minutes=1)
        ids["run"] = run["id"]
    if example["operation"] == "experiments.copy_to_project":
        service.add_project()
    return ids


def _with_own_ids(request: dict[str, Any], ids: dict[str, Any], service: Service) -> dict[str, Any]:
    """The request with the ids, and the fingerprint, that things have here."""
    text = json.dumps(request).replace('"experiment_id": 12', f'"experiment_id": {ids["id"]}')
    if metric := ids.get("metric"):
        text = text.replace("a" * 64, metric["fingerprint"])
        text = text.replace("0b7c1c1e-0000-4000-8000-000000000001", metric["uuid"])
    example: dict[str, Any] = json.loads(text)
    return example


def _kind(status: int) -> int:
    return 2 if 200 <= status < 300 else status

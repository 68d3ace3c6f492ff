"""Ending an experiment can ask for a pull request that removes its flag from code."""

from typing import Any
from uuid import UUID

import pytest
from tests.service.experiments.conftest import Service

SHIP = {"variant_key": "test"}


@pytest.mark.parametrize(
    ("action", "body", "has_task"),
    [
        ("end", {"conclusion": "won", "open_cleanup_pr": True}, True),
        ("end", {"conclusion": "won", "open_cleanup_pr": False}, False),
        ("end", {"conclusion": "won"}, False),
        ("end", {"open_cleanup_pr": True}, False),
        ("ship_variant", {**SHIP, "conclusion": "won", "open_cleanup_pr": True}, True),
        ("ship_variant", {**SHIP, "open_cleanup_pr": True}, False),
    ],
)
async def test_task_is_made_for_a_conclusion(
    service: Service, action: str, body: dict[str, Any], has_task: bool
) -> None:
    made = await service.running()
    assert made["flag_cleanup_task_id"] is None
    ended = await service.post(f"experiments/{made['id']}/{action}", body)
    task = ended["flag_cleanup_task_id"]
    assert (ended["status"], task is not None) == ("stopped", has_task)
    assert task is None or str(UUID(task)) == task
    assert (await service.get(f"experiments/{made['id']}"))["flag_cleanup_task_id"] == task


async def test_stored_conclusion_is_enough_to_ship(service: Service) -> None:
    made = await service.running()
    await service.post(f"experiments/{made['id']}/end", {"conclusion": "won"})
    shipped = await service.post(f"experiments/{made['id']}/ship_variant", {**SHIP, "open_cleanup_pr": True})
    assert shipped["flag_cleanup_task_id"] is not None


@pytest.mark.parametrize(("action", "body"), [("end", {}), ("ship_variant", SHIP)])
async def test_task_needs_its_own_scope(service: Service, action: str, body: dict[str, Any]) -> None:
    made = await service.running()
    keyed = service.with_key("experiment:write", "feature_flag:write")
    path = f"experiments/{made['id']}/{action}"
    refusal = await keyed.refused("POST", path, {**body, "open_cleanup_pr": True})
    assert refusal == (403, "API key missing required scope 'task:write'", None)
    assert (await service.get(f"experiments/{made['id']}"))["status"] == "running"
    refusal = await keyed.refused("POST", path, {**body, "open_cleanup_pr": "maybe"})
    assert refusal == (400, "Must be a valid boolean.", "open_cleanup_pr")
    keyed = service.with_key("experiment:write", "feature_flag:write", "task:write")
    await keyed.post(path, {**body, "conclusion": "won", "open_cleanup_pr": True})

"""Freezing the exposure of an experiment, and undoing it."""

from typing import Any

import pytest
from tests.service.experiments.conftest import Service

SENTENCE = "Added automatically when the experiment exposure was frozen to stop new enrollment."


@pytest.fixture
async def exposed(service: Service) -> Any:
    """A running experiment that two users saw."""
    experiment = await service.running()
    service.clock.pass_(hours=1)
    service.expose("blue-button", "control", "ann")
    service.expose("blue-button", "test", "bob")
    service.clock.pass_(hours=1)
    return experiment


async def test_freezing_narrows_every_condition_to_exposed_users(service: Service, exposed: Any) -> None:
    before = (await service.flag_of(exposed))["filters"]
    frozen = await service.act(exposed, "freeze_exposure")
    assert (frozen["status"], frozen["end_date"]) == ("exposure_frozen", None)
    assert [each["can_freeze_exposure"] for each in (exposed, frozen)] == [True, False]
    (cohort,) = service.rows("SELECT id, name, is_static, count FROM cohorts")
    id = cohort.pop("id")
    name = 'Exposure snapshot for experiment "Blue button"'
    assert cohort == {"name": name, "is_static": 1, "count": 2}
    (group,) = frozen["feature_flag"]["filters"]["groups"]
    condition = group["properties"][-1]
    assert (condition["type"], condition["value"], condition["operator"]) == ("cohort", id, "in")
    assert (group["exposure_frozen"], group["exposure_frozen_cohort"]) == (True, id)
    assert group["description"] == SENTENCE
    listed = await service.get("experiments", status="exposure_frozen")
    assert [row["id"] for row in listed["results"]] == [exposed["id"]]
    detail = "Experiment exposure is already frozen."
    assert await service.act_refused(exposed, "freeze_exposure") == (400, detail, None)
    thawed = await service.act(exposed, "unfreeze_exposure")
    assert (thawed["status"], thawed["feature_flag"]["filters"]) == ("running", before)


@pytest.mark.parametrize(("actions", "status", "is_frozen"), [
    (("unfreeze_exposure",), "running", False),
    (("reset",), "draft", False),
    (("ship_variant",), "stopped", False),
    (("end",), "stopped", True),
    (("pause",), "paused", True),
    (("pause", "resume"), "exposure_frozen", True),
])  # fmt: skip
async def test_freeze_ends_when_undone_reset_or_shipped(
    service: Service, exposed: Any, actions: tuple[str, ...], status: str, is_frozen: bool
) -> None:
    final = await service.act(exposed, "freeze_exposure")
    await service.edit(exposed, name="Renamed")
    for action in actions:
        final = await service.act(exposed, action, {"variant_key": "test"} if "ship" in action else {})
    (group,) = final["feature_flag"]["filters"]["groups"]
    assert (final["status"], "exposure_frozen" in group, group["properties"] != []) == (
        *(status, is_frozen, is_frozen),
    )
    assert service.rows("SELECT deleted FROM cohorts") == [{"deleted": int(not is_frozen)}]


async def test_second_freeze_replaces_the_first_snapshot(service: Service, exposed: Any) -> None:
    frozen = await service.act(exposed, "freeze_exposure")
    filters = frozen["feature_flag"]["filters"]
    groups = [*filters["groups"], {"properties": [], "rollout_percentage": 50}]
    await service.edit_flag(exposed, filters={**filters, "groups": groups})
    again = await service.act(exposed, "freeze_exposure")
    assert service.rows("SELECT deleted FROM cohorts ORDER BY id") == [{"deleted": 1}, {"deleted": 0}]
    counts = [len(group["properties"]) for group in again["feature_flag"]["filters"]["groups"]]
    assert counts == [1, 1]


async def test_approval_policies_do_not_hold_up_a_freeze(service: Service, exposed: Any) -> None:
    service.add_policy("update")
    for action, status in (("freeze_exposure", "exposure_frozen"), ("unfreeze_exposure", "running")):
        assert (await service.act(exposed, action))["status"] == status

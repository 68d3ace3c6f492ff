"""Freezing the exposure of an experiment, and undoing it."""

from typing import Any

from tests.service.experiments.conftest import Service

SENTENCE = "Added automatically when the experiment exposure was frozen to stop new enrollment."


async def _expose(service: Service, **fields: Any) -> Any:
    experiment = await service.running(**fields)
    service.clock.pass_(hours=1)
    service.expose("blue-button", "control", "ann")
    service.expose("blue-button", "test", "bob")
    service.clock.pass_(hours=1)
    return experiment


async def _act(service: Service, experiment: Any, action: str, body: Any = None) -> Any:
    return await service.post(f"experiments/{experiment['id']}/{action}", body)


async def test_freezing_narrows_every_condition_to_exposed_users(service: Service) -> None:
    experiment = await _expose(service)
    before = (await service.get(f"feature_flags/{experiment['feature_flag']['id']}"))["filters"]
    frozen = await _act(service, experiment, "freeze_exposure")
    assert (frozen["status"], frozen["end_date"]) == ("exposure_frozen", None)
    assert [each["can_freeze_exposure"] for each in (experiment, frozen)] == [True, False]
    (cohort,) = service.rows("SELECT * FROM cohorts")
    assert (cohort["name"], cohort["is_static"], cohort["count"]) == (
        *('Exposure snapshot for experiment "Blue button"', 1, 2),
    )
    (group,) = frozen["feature_flag"]["filters"]["groups"]
    condition = group["properties"][-1]
    assert (condition["type"], condition["value"], condition["operator"]) == ("cohort", cohort["id"], "in")
    assert (group["exposure_frozen"], group["exposure_frozen_cohort"]) == (True, cohort["id"])
    assert group["description"] == SENTENCE
    listed = await service.get("experiments", status="exposure_frozen")
    assert [row["id"] for row in listed["results"]] == [experiment["id"]]
    thawed = await _act(service, experiment, "unfreeze_exposure")
    assert (thawed["status"], thawed["feature_flag"]["filters"]) == ("running", before)
    assert service.rows("SELECT deleted FROM cohorts") == [{"deleted": 1}]


async def test_paused_frozen_experiment_is_frozen_again_when_resumed(service: Service) -> None:
    experiment = await _expose(service)
    await _act(service, experiment, "freeze_exposure")
    assert (await _act(service, experiment, "pause"))["status"] == "paused"
    assert (await _act(service, experiment, "resume"))["status"] == "exposure_frozen"


async def test_shipping_and_reset_remove_the_freeze(service: Service) -> None:
    for action, body in (("ship_variant", {"variant_key": "test"}), ("reset", None)):
        experiment = await service.running(f"{action}-button")
        service.clock.pass_(hours=1)
        service.expose(f"{action}-button", "test", "ann")
        service.clock.pass_(hours=1)
        await _act(service, experiment, "freeze_exposure")
        final = await _act(service, experiment, action, body)
        groups = final["feature_flag"]["filters"]["groups"]
        assert [group["properties"] for group in groups] == [[]]
        assert "exposure_frozen" not in groups[0]
    assert service.rows("SELECT DISTINCT deleted FROM cohorts") == [{"deleted": 1}]


async def test_ending_leaves_the_flag_frozen(service: Service) -> None:
    experiment = await _expose(service)
    await _act(service, experiment, "freeze_exposure")
    ended = await _act(service, experiment, "end")
    assert ended["feature_flag"]["filters"]["groups"][0]["exposure_frozen"] is True


async def test_states_that_cannot_be_frozen_are_refused(service: Service) -> None:
    experiment = await service.create()
    path = f"experiments/{experiment['id']}/freeze_exposure"

    async def refusal(name: str = path) -> str:
        status, detail, _ = await service.refused("POST", name)
        assert status == 400
        return str(detail)

    assert "not been launched" in await refusal()
    await _act(service, experiment, "launch")
    assert "no users have been exposed" in await refusal()
    assert "not frozen" in await refusal(path.replace("freeze", "unfreeze"))
    await _act(service, experiment, "pause")
    assert "freeze a paused" in await refusal()
    await _act(service, experiment, "resume")
    service.clock.pass_(hours=1)
    service.expose("blue-button", "test", "ann")
    service.clock.pass_(hours=1)
    await _act(service, experiment, "freeze_exposure")
    assert await refusal() == "Experiment exposure is already frozen."
    await _act(service, experiment, "unfreeze_exposure")
    await _act(service, experiment, "end")
    assert "already ended" in await refusal()
    assert len(service.rows("SELECT * FROM cohorts WHERE deleted = 0")) == 0


async def test_approval_policies_do_not_hold_up_a_freeze(service: Service) -> None:
    experiment = await _expose(service)
    service.add_policy("update")
    for action, status in (("freeze_exposure", "exposure_frozen"), ("unfreeze_exposure", "running")):
        assert (await _act(service, experiment, action))["status"] == status

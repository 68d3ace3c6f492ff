"""Changing experiments field by field: scenarios 16 to 18 and 34 to 36."""

from typing import Any

import pytest
from tests.service.experiments.conftest import MEAN, Service, Start, variants_of


async def test_scenario_16_an_unknown_experiment_is_not_found(service: Service) -> None:
    for name in ("99", "x", "9" * 30):
        assert await service.refused("GET", f"experiments/{name}") == (404, "Not found.", None)
    assert await service.refused("PATCH", "experiments/99", []) == (404, "Not found.", None)


async def test_scenario_17_names_change_but_launched_experiments_keep_their_flag(service: Service) -> None:
    made = await service.create()
    path = f"experiments/{made['id']}"
    changed = await service.patch(path, {"name": "n"})
    assert (changed["name"], changed["updated_at"] > made["updated_at"]) == ("n", True)
    assert (await service.patch(path, {"feature_flag_key": "blue-button"}))["name"] == "n"
    path = f"experiments/{(await service.running())['id']}"
    other = (400, "Can't update keys: get_feature_flag_key on Experiment", None)
    assert await service.refused("PATCH", path, {"feature_flag_key": "other"}) == other
    assert (await service.patch(path, {"type": "web"}))["type"] == "web"


async def test_draft_moves_to_another_flag_and_logs_it(service: Service) -> None:
    draft = await service.create()
    path = f"experiments/{draft['id']}"
    moved = await service.patch(path, {"feature_flag_key": "green-button"})
    assert moved["feature_flag_key"] == moved["feature_flag"]["key"] == "green-button"
    assert moved["feature_flag"]["id"] != draft["feature_flag"]["id"]
    back = await service.patch(path, {"feature_flag_key": "blue-button"})
    assert back["feature_flag"]["id"] == draft["feature_flag"]["id"]
    entry = (await service.get(f"{path}/activity"))["results"][0]
    [change] = entry["detail"]["changes"]
    assert (change["field"], change["before"], change["after"]) == (
        *("feature_flag_key", "green-button", "blue-button"),
    )


async def test_draft_moves_to_no_flag_without_variants(service: Service) -> None:
    await service.post("feature_flags", {"key": "plain"}, 201)
    path = f"experiments/{(await service.create())['id']}"
    status, _, _ = await service.refused("PATCH", path, {"feature_flag_key": "plain"})
    assert status == 400
    assert (await service.get(path))["feature_flag_key"] == "blue-button"


@pytest.mark.parametrize("more", [{"start_date": "2026-03-10T12:00:00Z"}, {"holdout_id": 1}])
async def test_draft_moves_in_a_request_of_its_own(service: Service, more: dict[str, Any]) -> None:
    holdout = {"name": "H", "filters": [{"properties": [], "rollout_percentage": 10, "variant": "holdout"}]}
    await service.post("experiment_holdouts", holdout, 201)
    draft = await service.create()
    body = {"feature_flag_key": "other", **more}
    status, detail, _ = await service.refused("PATCH", f"experiments/{draft['id']}", body)
    assert (status, "without a holdout" in detail) == (400, True)
    assert [row["key"] for row in service.rows("SELECT key FROM flags")] == ["blue-button"]


async def test_draft_moves_to_no_flag_that_lacks_its_variants(service: Service) -> None:
    draft = await service.create()
    path = f"experiments/{draft['id']}"
    await service.patch(path, {"stats_config": {"baseline_variant_key": "test"}})
    await service.flag("other", (("control", 50), ("b", 50)))
    status, detail, _ = await service.refused("PATCH", path, {"feature_flag_key": "other"})
    assert (status, "Invalid baseline_variant_key: 'test'" in detail) == (400, True)
    assert (await service.get(path))["feature_flag_key"] == "blue-button"


@pytest.mark.parametrize("generation", ["newest", "legacy"])
async def test_types_and_folders_are_fixed_on_product_servers(start: Start, generation: str) -> None:
    service: Service = await start(**{generation: True})
    path = f"experiments/{(await service.create())['id']}"
    kind = (400, "Can't update keys: type on Experiment", None)
    assert await service.refused("PATCH", path, {"type": "product"}) == kind
    both = (400, "Can't update keys: _create_in_folder, get_feature_flag_key on Experiment", None)
    body = {"feature_flag_key": "other", "_create_in_folder": "x"}
    assert await service.refused("PATCH", path, body) == both


async def test_a_patch_of_nothing_changes_nothing_but_the_time(service: Service) -> None:
    made = await service.create()
    same = await service.patch(f"experiments/{made['id']}", {})
    assert same | {"updated_at": ""} == made | {"updated_at": ""}


async def test_scenario_18_variants_of_a_running_experiment(service: Service) -> None:
    running = await service.running()
    path = f"experiments/{running['id']}"
    other = {"parameters": variants_of(("control", 50), ("other", 50))}
    moved = {"parameters": variants_of(("control", 20), ("test", 80))}
    for body in (other, moved):
        status, detail, attr = await service.refused("PATCH", path, body)
        assert (status, attr) == (400, "feature_flag")
        assert detail.startswith(
            "This experiment is running. To change its flag config, send update_feature_flag"
        )
    insisted = {**other, "update_feature_flag_params": True}
    detail = "Can't update feature_flag_variants on Experiment"
    assert await service.refused("PATCH", path, insisted) == (400, detail, None)
    changed = await service.patch(path, {**moved, "update_feature_flag_params": True})
    shares = changed["feature_flag"]["filters"]["multivariate"]["variants"]
    assert [variant["rollout_percentage"] for variant in shares] == [20, 80]
    assert (
        await service.patch(
            path, {"parameters": running["parameters"] | variants_of(("control", 20), ("test", 80))}
        )
    )["feature_flag"]["version"] == changed["feature_flag"]["version"]


async def test_scenario_18_older_servers_keep_the_flag_while_running(legacy: Service) -> None:
    made = await legacy.create(start_date="2026-03-09T12:00:00Z")
    path = f"experiments/{made['id']}"
    other = {"parameters": variants_of(("control", 50), ("other", 50))}
    detail = "Can't update feature_flag_variants on Experiment"
    assert await legacy.refused("PATCH", path, other) == (400, detail, None)
    moved = await legacy.patch(path, {"parameters": variants_of(("control", 20), ("test", 80))})
    assert [variant["rollout_percentage"] for variant in moved["parameters"]["feature_flag_variants"]] == [
        20,
        80,
    ]
    shares = moved["feature_flag"]["filters"]["multivariate"]["variants"]
    assert [variant["rollout_percentage"] for variant in shares] == [50, 50]


async def test_scenario_18_the_holdout_of_a_running_experiment_is_fixed(service: Service) -> None:
    share = [{"properties": [], "rollout_percentage": 10}]
    holdout = await service.post("experiment_holdouts", {"name": "h", "filters": share}, 201)
    running = await service.running()
    path = f"experiments/{running['id']}"
    detail = "Can't update holdout on running Experiment"
    assert await service.refused("PATCH", path, {"holdout_id": holdout["id"]}) == (400, detail, None)
    assert (await service.patch(path, {"holdout_id": None}))["holdout"] is None


async def test_variants_of_a_draft_reach_its_flag(service: Service) -> None:
    draft = await service.create()
    path = f"experiments/{draft['id']}"
    changed = await service.patch(path, {"parameters": variants_of(("control", 34), ("a", 33), ("b", 33))})
    expected = ["control", "a", "b"]
    assert [variant["key"] for variant in changed["parameters"]["feature_flag_variants"]] == expected
    assert changed["feature_flag"]["version"] == draft["feature_flag"]["version"] + 1
    kept = await service.patch(path, {"parameters": {"minimum_detectable_effect": 5}})
    expected = ["control", "a", "b"]
    assert [variant["key"] for variant in kept["parameters"]["feature_flag_variants"]] == expected
    assert kept["parameters"]["minimum_detectable_effect"] == 5


async def test_older_servers_reset_variants_of_drafts_without_any(legacy: Service) -> None:
    thirds = variants_of(("control", 34), ("a", 33), ("b", 33))
    draft = await legacy.create(parameters=thirds)
    changed = await legacy.patch(
        f"experiments/{draft['id']}", {"parameters": {"minimum_detectable_effect": 5}}
    )
    variants = changed["feature_flag"]["filters"]["multivariate"]["variants"]
    assert [variant["key"] for variant in variants] == ["control", "test"]


async def test_scenario_34_nothing_is_ever_deleted_for_good(service: Service) -> None:
    made = await service.create()
    for number in (made["id"], 999_999):
        response = await service.send("DELETE", f"experiments/{number}")
        expected = (405, b"", None)
        assert (response.status_code, response.content, response.headers.get("content-type")) == expected
    reader = service.with_key("experiment:read")
    detail = "API key missing required scope 'experiment:write'"
    assert await reader.refused("DELETE", f"experiments/{made['id']}") == (403, detail, None)
    assert (await service.get(f"experiments/{made['id']}"))["id"] == made["id"]


async def test_scenario_35_soft_deletion_and_return(service: Service) -> None:
    made = await service.create()
    path = f"experiments/{made['id']}"
    assert (await service.patch(path, {"deleted": True}))["deleted"] is True
    assert await service.refused("GET", path) == (404, "Not found.", None)
    assert await service.refused("PATCH", path, {"name": "n"}) == (404, "Not found.", None)
    assert await service.refused("POST", f"{path}/launch") == (404, "Not found.", None)
    assert (await service.get("experiments"))["count"] == 0
    assert (await service.patch(path, {"deleted": False}))["deleted"] is False
    log = await service.get(f"{path}/activity")
    assert [entry["activity"] for entry in log["results"]] == ["restored", "deleted", "created"]
    await service.patch(path, {"deleted": True})
    await service.patch(f"feature_flags/{made['feature_flag']['id']}", {"deleted": True})
    detail = (
        "Cannot restore experiment: the linked feature flag has been deleted. "
        "Restore the feature flag first, then restore the experiment."
    )
    assert await service.refused("PATCH", path, {"deleted": False}) == (400, detail, None)


async def test_scenario_36_a_flag_with_an_experiment_stays(service: Service, legacy: Service) -> None:
    running = await service.running()
    flag = f"feature_flags/{running['feature_flag']['id']}"
    status, detail, _ = await service.refused("PATCH", flag, {"deleted": True})
    assert (status, detail[:62]) == (400, "Cannot delete a feature flag that is linked to running experim")
    draft = await legacy.create()
    expected = (
        f"Cannot delete a feature flag that is linked to active experiment(s) with ID(s): {draft['id']}. "
        "Please delete the experiment(s) before deleting the flag."
    )
    refusal = await legacy.refused("PATCH", f"feature_flags/{draft['feature_flag']['id']}", {"deleted": True})
    assert refusal == (400, expected, None)


async def test_dates_set_the_state(service: Service) -> None:
    made = await service.create()
    path = f"experiments/{made['id']}"
    assert (await service.patch(path, {"end_date": "2026-03-01T00:00:00Z"}))["status"] == "draft"
    launched = await service.patch(path, {"start_date": "2026-03-09T12:00:00Z"})
    assert (launched["status"], launched["feature_flag"]["active"]) == ("stopped", True)
    both = {"start_date": "2026-03-09T12:00:00Z", "end_date": "2026-03-01T00:00:00Z"}
    assert await service.refused("PATCH", path, both) == (400, "End date must be after start date", None)
    back = await service.patch(path, {"start_date": None, "end_date": None})
    assert (back["status"], back["feature_flag"]["active"]) == ("draft", True)
    again = await service.patch(path, {"start_date": "2026-03-09T12:00:00Z"})
    assert again["feature_flag"]["version"] == back["feature_flag"]["version"]


async def test_archiving_by_patch_has_no_checks(service: Service) -> None:
    running = await service.running()
    assert (await service.patch(f"experiments/{running['id']}", {"archived": True}))["archived"] is True


async def test_metrics_keep_their_order_as_they_come_and_go(service: Service) -> None:
    service.define_event("bought")
    made = await service.create(metrics=[MEAN, MEAN])
    path = f"experiments/{made['id']}"
    first, second = made["primary_metrics_ordered_uuids"]
    turned = await service.patch(path, {"primary_metrics_ordered_uuids": [second, first]})
    assert turned["primary_metrics_ordered_uuids"] == [second, first]
    added = await service.patch(path, {"metrics": [*turned["metrics"], MEAN]})
    assert added["primary_metrics_ordered_uuids"][:2] == [second, first]
    assert len(added["primary_metrics_ordered_uuids"]) == 3
    fewer = await service.patch(path, {"metrics": [turned["metrics"][1]]})
    assert fewer["primary_metrics_ordered_uuids"] == [second]
    shared = await service.patch(path, {"primary_metrics_ordered_uuids": ["shared", second]})
    more = await service.patch(path, {"metrics": [*shared["metrics"], MEAN]})
    assert more["primary_metrics_ordered_uuids"][:2] == ["shared", second]
    await service.patch(path, {"metrics": shared["metrics"], "primary_metrics_ordered_uuids": [second]})
    status, detail, attr = await service.refused("PATCH", path, {"primary_metrics_ordered_uuids": []})
    assert detail == (
        f"primary_metrics_ordered_uuids is missing UUIDs: ['{second}']. "
        "This is likely a frontend bug - please refresh and try again."
    )
    assert (status, attr) == (400, None)
    status, detail, _ = await service.refused("PATCH", path, {"primary_metrics_ordered_uuids": None})
    assert detail.startswith("primary_metrics_ordered_uuids is null but primary metrics exist.")


@pytest.mark.parametrize("field", ["parameters", "holdout_id", "archived", "metrics"])
async def test_experiments_of_the_older_engine_can_hardly_be_changed(service: Service, field: str) -> None:
    made = await service.create()
    older = '[{"kind":"ExperimentTrendsQuery","count_query":{}}]'
    service.write("UPDATE experiments SET metrics = ?", older)
    path = f"experiments/{made['id']}"
    assert (await service.get(path))["is_legacy"] is True
    values: dict[str, Any] = {"parameters": {}, "holdout_id": None, "archived": True, "metrics": []}
    body = {"name": "n", field: values[field]}
    detail = (
        "This experiment uses legacy metric formats and can only have its name, description, or end_date "
        f"updated. Cannot update: {field}"
    )
    assert await service.refused("PATCH", path, body) == (400, detail, None)
    assert (await service.patch(path, {"name": "n", "description": "d"}))["name"] == "n"

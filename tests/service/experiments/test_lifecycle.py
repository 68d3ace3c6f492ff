"""From draft to archive: scenarios 19 to 28 and 39."""

from typing import Any

from tests.service.experiments.conftest import MEAN, Service, Start

NOT_LAUNCHED = "Experiment has not been launched yet."
ENDED = "Experiment has already ended."


def _path(experiment: Any, action: str = "") -> str:
    return f"experiments/{experiment['id']}" + (f"/{action}" if action else "")


async def _refusal(service: Service, experiment: Any, action: str, body: Any = None) -> tuple[Any, ...]:
    return await service.refused("POST", _path(experiment, action), body)


async def test_scenario_19_launching_starts_it_and_switches_its_flag_on(service: Service) -> None:
    service.define_event("bought")
    draft = await service.create(metrics=[MEAN])
    running = await service.post(_path(draft, "launch"))
    assert (running["status"], running["feature_flag"]["active"]) == ("running", True)
    assert running["start_date"] is not None
    assert running["metrics"][0]["fingerprint"] != draft["metrics"][0]["fingerprint"]
    detail = "Experiment has already been launched."
    assert await _refusal(service, running, "launch") == (400, detail, None)
    log = await service.get(_path(draft, "activity"))
    assert [entry["activity"] for entry in log["results"]] == ["updated", "created"]
    assert log["results"][0]["detail"]["changes"][0]["field"] == "start_date"
    flag_log = await service.get(f"feature_flags/{draft['feature_flag']['id']}/activity")
    assert flag_log["results"][0]["detail"]["changes"][0]["field"] == "active"


async def test_scenario_20_a_deleted_flag_cannot_be_launched(service: Service) -> None:
    draft = await service.create()
    await service.patch(f"feature_flags/{draft['feature_flag']['id']}", {"deleted": True})
    detail = "Experiment cannot be launched because its feature flag has been deleted."
    assert await _refusal(service, draft, "launch") == (400, detail, None)
    start = {"start_date": "2026-03-10T12:00:00Z"}
    assert await service.refused("PATCH", _path(draft), start) == (400, detail, None)


async def test_scenario_21_pausing_and_resuming_switch_the_flag(service: Service) -> None:
    draft = await service.create()
    assert await _refusal(service, draft, "pause") == (400, NOT_LAUNCHED, None)
    running = await service.post(_path(draft, "launch"))
    paused = await service.post(_path(draft, "pause"))
    assert (paused["status"], paused["feature_flag"]["active"]) == ("paused", False)
    assert paused["feature_flag"]["version"] == running["feature_flag"]["version"] + 1
    assert (await service.get(_path(draft, "activity")))["total_count"] == 2
    assert await _refusal(service, draft, "pause") == (400, "Experiment is already paused.", None)
    resumed = await service.post(_path(draft, "resume"))
    assert (resumed["status"], resumed["feature_flag"]["active"]) == ("running", True)
    assert await _refusal(service, draft, "resume") == (400, "Experiment is not paused.", None)
    await service.post(_path(draft, "end"))
    assert await _refusal(service, draft, "pause") == (400, ENDED, None)
    assert await _refusal(service, draft, "resume") == (400, ENDED, None)


async def test_a_flag_that_another_flag_needs_keeps_its_experiment_running(service: Service) -> None:
    running = await service.running()
    needs = [
        {
            "key": str(running["feature_flag"]["id"]),
            "type": "flag",
            "operator": "flag_evaluates_to",
            "value": True,
        }
    ]
    groups = [{"properties": needs, "rollout_percentage": 100}]
    await service.post("feature_flags", {"key": "child", "filters": {"groups": groups}}, 201)
    status, detail, _ = await _refusal(service, running, "pause")
    assert status == 400
    assert detail.startswith("Cannot disable this feature flag because other flags depend on it: child")
    assert (await service.get(_path(running)))["status"] == "running"


async def test_scenario_22_switching_the_flag_off_pauses_the_experiment(service: Service) -> None:
    running = await service.running()
    await service.patch(f"feature_flags/{running['feature_flag']['id']}", {"active": False})
    assert (await service.get(_path(running)))["status"] == "paused"


async def test_scenario_23_ending_keeps_the_flag_and_takes_the_conclusion(service: Service) -> None:
    running = await service.running()
    ended = await service.post(
        _path(running, "end"), {"conclusion": "won", "conclusion_comment": "More sales."}
    )
    expected = ("stopped", "won", "More sales.")
    assert (ended["status"], ended["conclusion"], ended["conclusion_comment"]) == expected
    assert ended["end_date"] is not None
    assert ended["feature_flag"]["active"] is True
    assert ended["feature_flag"]["version"] == running["feature_flag"]["version"]
    assert await _refusal(service, running, "end") == (400, ENDED, None)
    other = await service.running("other", conclusion="lost")
    assert (await service.post(_path(other, "end"), {}))["conclusion"] is None
    assert await _refusal(service, await service.create("third"), "end") == (400, NOT_LAUNCHED, None)
    bad = {"conclusion": "maybe"}
    fourth = await service.running("fourth")
    refusal = (400, '"maybe" is not a valid choice.', "conclusion")
    assert await _refusal(service, fourth, "end", bad) == refusal


async def test_scenario_24_archiving_only_what_has_ended(service: Service) -> None:
    running = await service.running()
    detail = "Experiment must be ended before it can be archived."
    assert await _refusal(service, running, "archive") == (400, detail, None)
    await service.post(_path(running, "end"))
    archived = await service.post(_path(running, "archive"))
    assert archived["archived"] is True
    assert archived["feature_flag"]["active"] is True
    assert (await service.get("experiments"))["count"] == 0
    assert await _refusal(service, running, "archive") == (400, "Experiment is already archived.", None)
    assert (await service.post(_path(running, "unarchive")))["archived"] is False
    assert await _refusal(service, running, "unarchive") == (400, "Experiment is not archived.", None)


async def test_scenario_25_disabling_the_flag_needs_access_to_flags(service: Service) -> None:
    running = await service.running()
    await service.post(_path(running, "end"))
    few = service.with_key("experiment:write")
    detail = "API key missing required scope 'feature_flag:write'"
    body = {"disable_feature_flag": True}
    assert await few.refused("POST", _path(running, "archive"), body) == (403, detail, None)
    service.write("UPDATE organization_members SET level = 1")
    service.write("INSERT INTO access_levels VALUES (1, 1, 'feature_flag', '', 'viewer')")
    detail = "You don't have feature flag write access, so this experiment's feature flag can't be disabled."
    assert await service.refused("POST", _path(running, "archive"), body) == (403, detail, None)
    service.write("DELETE FROM access_levels")
    archived = await service.post(_path(running, "archive"), body)
    flag = await service.get(f"feature_flags/{running['feature_flag']['id']}")
    assert (archived["archived"], flag["active"], flag["archived"]) == (True, False, True)
    await service.post(_path(running, "unarchive"))
    flag = await service.get(f"feature_flags/{running['feature_flag']['id']}")
    assert (flag["active"], flag["archived"]) == (False, False)


async def test_archiving_archives_an_inactive_flag_unless_shared(service: Service) -> None:
    running = await service.running()
    copy = await service.post(_path(running, "duplicate"), {}, 201)
    await service.post(_path(running, "pause"))
    await service.post(_path(running, "end"))
    await service.post(_path(running, "archive"))
    assert (await service.get(f"feature_flags/{running['feature_flag']['id']}"))["archived"] is False
    await service.post(_path(running, "unarchive"))
    await service.patch(_path(copy), {"deleted": True})
    await service.post(_path(running, "archive"))
    assert (await service.get(f"feature_flags/{running['feature_flag']['id']}"))["archived"] is True


async def test_scenario_26_shipping_gives_everybody_in_the_conditions_one_variant(service: Service) -> None:
    draft = await service.create()
    expected = (400, NOT_LAUNCHED, None)
    assert await _refusal(service, draft, "ship_variant", {"variant_key": "test"}) == expected
    running = await service.post(_path(draft, "launch"))
    groups = running["feature_flag"]["filters"]["groups"]
    missing = (400, "This field is required.", "variant_key")
    assert await _refusal(service, running, "ship_variant", {}) == missing
    unknown = (400, "Variant 'zzz' not found on feature flag.", None)
    assert await _refusal(service, running, "ship_variant", {"variant_key": "zzz"}) == unknown
    shipped = await service.post(_path(running, "ship_variant"), {"variant_key": "test", "conclusion": "won"})
    filters = shipped["feature_flag"]["filters"]
    assert [variant["rollout_percentage"] for variant in filters["multivariate"]["variants"]] == [0, 100]
    assert [group["rollout_percentage"] for group in filters["groups"]] == [100]
    assert len(filters["groups"]) == len(groups)
    assert (shipped["status"], shipped["conclusion"]) == ("stopped", "won")
    end = shipped["end_date"]
    again = await service.post(
        _path(running, "ship_variant"), {"variant_key": "control", "release_to_everyone": True}
    )
    assert (again["end_date"], again["conclusion"]) == (end, "won")
    first = again["feature_flag"]["filters"]["groups"][0]
    assert (first["properties"], first["rollout_percentage"]) == ([], 100)
    assert len(again["feature_flag"]["filters"]["groups"]) == 2


async def test_shipping_keeps_the_names_and_the_people_of_the_conditions(service: Service) -> None:
    filters = {
        "groups": [
            {"properties": [{"key": "email", "type": "person", "value": "x", "operator": "icontains"}]}
        ],
        "multivariate": {
            "variants": [
                {"key": "control", "name": "Old", "rollout_percentage": 50},
                {"key": "test", "rollout_percentage": 50},
            ]
        },
        "payloads": {"test": "1"},
    }
    await service.post("feature_flags", {"key": "k", "filters": filters}, 201)
    running = await service.running("k")
    shipped = await service.post(_path(running, "ship_variant"), {"variant_key": "test"})
    after = shipped["feature_flag"]["filters"]
    assert after["groups"][0]["properties"] == filters["groups"][0]["properties"]  # type: ignore[index]
    assert after["payloads"] == {"test": "1"}
    assert after["multivariate"]["variants"][0]["name"] == "Old"


async def test_shipping_keeps_an_encrypted_payload(service: Service) -> None:
    variants = [{"key": key, "rollout_percentage": 50} for key in ("control", "test")]
    secret: dict[str, Any] = {"payloads": {"test": '"s3cret"'}}
    filters = {"groups": [{"properties": []}], "multivariate": {"variants": variants}, **secret}
    encrypted = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    flag = await service.post("feature_flags", {"key": "k", "filters": filters, **encrypted}, 201)
    await service.post(_path(await service.running("k"), "ship_variant"), {"variant_key": "test"})
    shown = await service.get(f"feature_flags/{flag['id']}")
    assert (shown["filters"]["payloads"], shown["version"]) == (secret["payloads"], 2)


async def test_scenario_28_resetting_makes_a_draft_and_leaves_the_flag(service: Service) -> None:
    running = await service.running()
    await service.post(_path(running, "end"), {"conclusion": "won", "conclusion_comment": "x"})
    reset = await service.post(_path(running, "reset"))
    assert reset["status"] == "draft"
    emptied = ("start_date", "end_date", "conclusion", "conclusion_comment")
    assert [reset[name] for name in emptied] == [None] * 4
    assert reset["feature_flag"]["active"] is True
    assert reset["feature_flag"]["version"] == running["feature_flag"]["version"]
    assert await _refusal(service, running, "reset") == (400, "Experiment is already in draft state.", None)


ACTIONS = ["launch", "pause", "resume", "end", "reset", "archive", "unarchive", "ship_variant", "duplicate"]


async def test_actions_need_write_scope_and_an_existing_experiment(service: Service) -> None:
    reader = service.with_key("experiment:read")
    detail = "API key missing required scope 'experiment:write'"
    for action in ACTIONS:
        assert await reader.refused("POST", f"experiments/1/{action}") == (403, detail, None)
        assert await service.refused("POST", f"experiments/1/{action}") == (404, "Not found.", None)


async def test_every_action_refuses_a_body_that_is_no_object(service: Service) -> None:
    running = await service.running()
    for action in ACTIONS:
        detail = "Invalid data. Expected a dictionary, but got list."
        assert await _refusal(service, running, action, []) == (400, detail, None)
        assert (await service.get(_path(running)))["status"] == "running"


async def test_scenario_39_older_servers_launch_by_a_start_date_alone(legacy: Service) -> None:
    draft = await legacy.create()
    assert "status" not in draft
    for action in ACTIONS[:-1]:
        status, _, _ = await legacy.refused("POST", _path(draft, action))
        assert status == 404
    running = await legacy.patch(_path(draft), {"start_date": "2026-03-10T12:00:00Z"})
    assert running["feature_flag"]["active"] is True
    await legacy.patch(f"feature_flags/{draft['feature_flag']['id']}", {"active": False})
    ended = await legacy.patch(_path(draft), {"end_date": "2026-03-11T12:00:00Z", "conclusion": "lost"})
    assert (ended["conclusion"], ended["feature_flag"]["active"]) == ("lost", False)
    emptied = {"start_date": None, "end_date": None, "archived": False}
    assert (await legacy.patch(_path(draft), emptied))["start_date"] is None


async def test_scenario_27_a_flag_change_that_needs_approval_changes_nothing(start: Start) -> None:
    service: Service = await start(approvals=True)
    halves = '[{"key":"control","rollout_percentage":50},{"key":"test","rollout_percentage":50}]'
    filters = (
        f'{{"groups":[{{"properties":[],"rollout_percentage":100}}],"multivariate":{{"variants":{halves}}}}}'
    )
    columns = {"filters": filters, "created_at": "2026-03-01T00:00:00.000000Z"}
    service.insert("flags", project_id=1, key="k", name="n", active=1, version=1, **columns)
    running = await service.create("k", start_date="2026-03-09T12:00:00Z")
    assert running["status"] == "running"
    for action, body in (("ship_variant", {"variant_key": "test", "conclusion": "won"}), ("pause", {})):
        response = await service.send("POST", _path(running, action), body)
        assert (response.status_code, response.json()["code"]) == (409, "approval_required")
        again = await service.send("POST", _path(running, action), body)
        assert again.json()["code"] == "change_request_pending"
        assert again.json()["change_request_id"] == response.json()["change_request_id"]
    assert await service.get(_path(running)) == running
    refused = await service.send(
        "POST", "experiments", {"name": "n", "feature_flag_key": "new", "parameters": {}}
    )
    assert refused.status_code == 409
    assert service.rows("SELECT count(*) AS n FROM experiments") == [{"n": 1}]
    assert service.rows("SELECT count(*) AS n FROM change_requests") == [{"n": 3}]

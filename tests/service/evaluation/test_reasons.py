"""Values with their reasons, for a person and for the caller."""

import json
from typing import Any

import pytest
from tests.service.evaluation.conftest import Service, Start

STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}


async def test_scenario_48_reasons_need_a_person_and_include_inactive_flags(service: Service) -> None:
    await service.flag("on")
    await service.flag("off", active=False)
    missing = await service.send("GET", "evaluation_reasons/")
    expected = (400, "required", "distinct_id")
    assert (missing.status_code, missing.json()["code"], missing.json()["attr"]) == expected
    blank = await service.send("GET", "evaluation_reasons/", distinct_id="")
    assert (blank.status_code, blank.json()["code"]) == (400, "blank")
    assert await service.get("evaluation_reasons/", distinct_id="ada") == {
        "off": {"value": False, "evaluation": {"reason": "disabled", "condition_index": None}},
        "on": {
            "value": True,
            "evaluation": {
                "reason": "condition_match",
                "condition_index": 0,
                "description": "Matched condition set 1",
            },
        },
    }


@pytest.mark.parametrize(
    ("groups", "detail"), [("[1]", "groups must be a JSON object"), ("{", "Invalid JSON in groups parameter")]
)
async def test_scenario_48_groups_must_be_a_json_object(service: Service, groups: str, detail: str) -> None:
    for path in ("evaluation_reasons/", "my_flags/"):
        refused = await service.send("GET", path, distinct_id="ada", groups=groups)
        expected = (400, detail, "groups")
        assert (refused.status_code, refused.json()["detail"], refused.json()["attr"]) == expected


async def test_scenario_49_my_flags_are_the_callers_newest_first(start: Start) -> None:
    service: Service = await start(newest=True)
    assert await service.get("my_flags/") == []
    await service.flag("older", STAFF)
    await service.flag("newer")
    (distinct_id,) = service.rows("SELECT distinct_id FROM users")[0].values()
    service.person(distinct_id, email="owner@acme.com")
    records = await service.get("my_flags/")
    expected = [("newer", True), ("older", True)]
    assert [(record["feature_flag"]["key"], record["value"]) for record in records] == expected
    assert records[0]["feature_flag"].keys() == {
        "id", "team_id", "name", "key", "filters", "deleted", "active", "ensure_experience_continuity",
        "version", "evaluation_runtime", "bucketing_identifier", "evaluation_contexts",
    }  # fmt: skip


async def test_my_flags_need_a_distinct_id(service: Service) -> None:
    service.write("UPDATE users SET distinct_id = NULL")
    refused = await service.send("GET", "my_flags/")
    expected = (400, "User distinct_id is required", None)
    assert (refused.status_code, refused.json()["detail"], refused.json()["attr"]) == expected


async def test_a_person_is_evaluated_by_their_stored_properties(service: Service) -> None:
    await service.flag("staff", STAFF)
    service.person("ada", email="ada@acme.com")
    service.person("bob", email="bob@other.com")
    assert await values(service, "ada") == {"staff": True}
    assert await values(service, "bob") == {"staff": False}
    assert await values(service, "nobody") == {"staff": False}


async def values(service: Service, distinct_id: str, **query: Any) -> dict[str, Any]:
    records = await service.get("evaluation_reasons/", distinct_id=distinct_id, **query)
    return {key: record["value"] for key, record in records.items()}


async def test_a_group_is_evaluated_by_its_stored_properties(service: Service) -> None:
    service.group("company", 0, "acme", plan="pro")
    service.group("company", 0, "tiny", plan="free")
    condition = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": ["pro"]}
    filters = {"groups": [{"properties": [condition]}], "aggregation_group_type_index": 0}
    await service.post("", {"key": "companies", "filters": filters}, 201)
    assert await values(service, "ada", groups=json.dumps({"company": "acme"})) == {"companies": True}
    assert await values(service, "ada", groups=json.dumps({"company": "tiny"})) == {"companies": False}
    alone = await service.get("evaluation_reasons/", distinct_id="ada")
    assert alone["companies"]["evaluation"]["reason"] == "no_group_type"


async def test_both_kinds_of_cohort_are_looked_up(service: Service) -> None:
    ada, _ = service.person("ada", email="ada@acme.com"), service.person("bob")
    static_cohort, dynamic_cohort = service.cohort(members=(ada,)), service.cohort(STAFF)
    for key, cohort in (("listed", static_cohort), ("asked", dynamic_cohort)):
        await service.flag(key, {"key": "id", "type": "cohort", "operator": "in", "value": cohort})
    assert await values(service, "ada") == {"listed": True, "asked": True}
    assert await values(service, "bob") == {"listed": False, "asked": False}


async def test_a_dependency_follows_the_flag_it_names_by_id(service: Service) -> None:
    base = await service.flag("base", STAFF)
    await service.flag(
        "child", {"key": str(base), "type": "flag", "operator": "flag_evaluates_to", "value": True}
    )
    service.person("ada", email="ada@acme.com")
    assert await values(service, "ada") == {"base": True, "child": True}
    assert await values(service, "bob") == {"base": False, "child": False}


async def test_only_the_flags_that_are_named_are_answered(service: Service) -> None:
    for key in ("a", "b", "c"):
        await service.flag(key)
    assert (await values(service, "ada", flag_keys=["a", "c"])).keys() == {"a", "c"}
    assert (await values(service, "ada", flag_keys='["b"]')).keys() == {"b"}
    assert (await values(service, "ada", flag_keys="[]")).keys() == {"a", "b", "c"}
    refused = await service.send("GET", "evaluation_reasons/", distinct_id="ada", flag_keys="[")
    assert (refused.status_code, refused.json()["attr"]) == (400, "flag_keys")
    mine = await service.get("my_flags/", flag_keys="b")
    assert [record["feature_flag"]["key"] for record in mine] == ["b"]


async def test_named_flag_and_trial_load_its_dependencies(service: Service) -> None:
    flag = await service.flag("base", STAFF)
    for key in ("middle", "top"):
        asks = {"key": str(flag), "type": "flag", "operator": "flag_evaluates_to", "value": True}
        flag = await service.flag(key, asks)
    await service.flag("other")
    service.person("ada", email="ada@acme.com")
    for person, value in (("ada", True), ("bob", False)):
        every = await service.get("evaluation_reasons/", distinct_id=person)
        named = await service.get("evaluation_reasons/", distinct_id=person, flag_keys="top")
        trial = await service.post(f"{flag}/test_evaluation/", {"distinct_id": person})
        assert named == {"top": every["top"]}
        assert (every["top"]["value"], trial["result"]) == (value, value)


async def test_deleted_flags_are_nobodys(service: Service) -> None:
    flag = await service.flag("gone")
    await service.send("PATCH", f"{flag}/", {"deleted": True})
    assert await values(service, "ada") == {}
    assert await service.get("my_flags/") == []


async def test_older_servers_send_no_description_and_ignore_flag_choice(start: Start) -> None:
    service: Service = await start(legacy=True)
    await service.flag("on")
    records = await service.get("evaluation_reasons/", distinct_id="ada", flag_keys="other")
    assert records == {
        "on": {"value": True, "evaluation": {"reason": "condition_match", "condition_index": 0}}
    }


@pytest.mark.parametrize("path", ["my_flags/", "evaluation_reasons/?distinct_id=a"])
async def test_older_strict_servers_close_it_to_keys(start: Start, path: str) -> None:
    service: Service = await start(legacy=True, strict=True)
    refused = await service.send("GET", path)
    expected = (403, "This action does not support personal API key access")
    assert (refused.status_code, refused.json()["detail"]) == expected


async def test_dates_without_an_offset_are_of_the_projects_time_zone(service: Service) -> None:
    asks = {"key": "joined", "type": "person", "operator": "is_date_after", "value": "2026-03-01"}
    await service.flag("since-march", asks)
    service.person("ada", joined="2026-03-01T02:00:00Z")
    for zone, value in (("UTC", True), ("America/New_York", False)):
        service.write("UPDATE projects SET timezone = ? WHERE id = 1", zone)
        records = await service.get("evaluation_reasons/", distinct_id="ada")
        assert records["since-march"]["value"] is value


async def test_a_persons_own_creation_is_no_property_of_that_name(service: Service) -> None:
    asks = {
        "key": "created_at",
        "type": "person_metadata",
        "operator": "is_date_before",
        "value": "2026-01-01",
    }
    await service.flag("old-hands", asks)
    service.person("ada", created_at="2020-01-01")
    service.write(
        "UPDATE persons SET created_at = '2025-05-05T00:00:00Z' WHERE id = ?", service.person("bob")
    )
    values = [
        (await service.get("evaluation_reasons/", distinct_id=who))["old-hands"]["value"]
        for who in ("ada", "bob", "nobody")
    ]
    assert values == [False, True, False]
    counted = await service.post("user_blast_radius/", {"condition": {"properties": [asks]}})
    assert counted == {"affected": 1, "total": 2}


async def test_flag_depending_on_a_group_flag_uses_the_group(service: Service) -> None:
    service.group("company", 0, "acme")
    base = await service.flag(
        "base", filters={"groups": [{"properties": []}], "aggregation_group_type_index": 0}
    )
    asks = {"key": str(base), "type": "flag", "operator": "flag_evaluates_to", "value": True}
    await service.flag("dep", asks)
    for groups, value in (("{}", False), ('{"company": "acme"}', True)):
        records = await service.get("evaluation_reasons/", distinct_id="ada", groups=groups)
        assert (records["base"]["value"], records["dep"]["value"]) == (value, value)
    assert records["dep"]["evaluation"]["reason"] == "condition_match"
    without = await service.get("evaluation_reasons/", distinct_id="ada")
    assert without["base"]["evaluation"]["condition_index"] == 0

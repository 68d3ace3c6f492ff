"""Values with their reasons, for a person and for the caller."""

import json
from typing import Any

from tests.doubles.targeting import asks_cohort, asks_flag
from tests.service.evaluation.conftest import STAFF, Service, Start

REASONS = "evaluation_reasons/"


async def values(service: Service, distinct_id: str, **query: Any) -> dict[str, Any]:
    records = await service.get(REASONS, distinct_id=distinct_id, **query)
    return {key: record["value"] for key, record in records.items()}


async def test_scenario_48_reasons_need_a_person_and_include_inactive_flags(service: Service) -> None:
    await service.flag("on")
    await service.flag("off", active=False)
    await service.refuses("GET", REASONS, status=400, code="required", attr="distinct_id")
    await service.refuses("GET", f"{REASONS}?distinct_id=", status=400, code="blank")
    matched = {"reason": "condition_match", "condition_index": 0, "description": "Matched condition set 1"}
    assert await service.get(REASONS, distinct_id="ada") == {
        "off": {"value": False, "evaluation": {"reason": "disabled", "condition_index": None}},
        "on": {"value": True, "evaluation": matched},
    }
    for groups, detail in (
        ("[1]", "groups must be a JSON object"),
        ("{", "Invalid JSON in groups parameter"),
    ):
        for path in (REASONS, "my_flags/"):
            url = f"{path}?distinct_id=ada&groups={groups}"
            await service.refuses("GET", url, status=400, detail=detail, attr="groups")


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
    service.write("UPDATE users SET distinct_id = NULL")
    detail = "User distinct_id is required"
    await service.refuses("GET", "my_flags/", status=400, detail=detail, attr=None)


async def test_stored_properties_cohorts_and_dependencies_decide(service: Service) -> None:
    ada, _ = service.person("ada", email="ada@acme.com"), service.person("bob", email="bob@other.com")
    below = await service.flag("staff", STAFF)
    await service.flag("listed", asks_cohort(service.cohort(members=(ada,))))
    await service.flag("asked", asks_cohort(service.cohort(STAFF)))
    for key in ("middle", "top"):
        below = await service.flag(key, asks_flag(str(below)))
    for person, value in (("ada", True), ("bob", False), ("stranger", False)):
        every = await values(service, person)
        assert every == dict.fromkeys(("staff", "listed", "asked", "middle", "top"), value)
        assert await values(service, person, flag_keys="top") == {"top": value}
        trial = await service.post(f"{below}/test_evaluation/", {"distinct_id": person})
        assert trial["result"] is value


async def test_a_group_is_evaluated_by_its_stored_properties(service: Service) -> None:
    service.group("company", 0, "acme", plan="pro")
    service.group("company", 0, "tiny", plan="free")
    condition = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": ["pro"]}
    filters = {"groups": [{"properties": [condition]}], "aggregation_group_type_index": 0}
    companies = await service.flag("companies", filters=filters)
    await service.flag("dependent", asks_flag(str(companies)))
    for company, value in (("acme", True), ("tiny", False)):
        records = await service.get(REASONS, distinct_id="ada", groups=json.dumps({"company": company}))
        assert {key: record["value"] for key, record in records.items()} == dict.fromkeys(records, value)
        if value:
            assert records["dependent"]["evaluation"]["reason"] == "condition_match"
    alone = (await service.get(REASONS, distinct_id="ada"))["companies"]
    assert (alone["value"], alone["evaluation"]["reason"]) == (False, "no_group_type")
    assert alone["evaluation"]["condition_index"] == 0


async def test_only_the_flags_that_are_named_are_answered(service: Service) -> None:
    for key in ("a", "b", "c"):
        await service.flag(key)
    for flag_keys, keys in ((["a", "c"], "ac"), ('["b"]', "b"), ("[]", "abc")):
        assert (await values(service, "ada", flag_keys=flag_keys)).keys() == {*keys}
    await service.refuses("GET", f"{REASONS}?distinct_id=ada&flag_keys=[", status=400, attr="flag_keys")
    mine = await service.get("my_flags/", flag_keys="b")
    assert [record["feature_flag"]["key"] for record in mine] == ["b"]


async def test_deleted_flags_are_nobodys(service: Service) -> None:
    flag = await service.flag("gone")
    await service.patch(f"{flag}/", {"deleted": True})
    assert await values(service, "ada") == {}
    assert await service.get("my_flags/") == []


async def test_older_servers_send_no_description_and_ignore_flag_choice(start: Start) -> None:
    service: Service = await start(legacy=True)
    await service.flag("on")
    matched = {"reason": "condition_match", "condition_index": 0}
    records = await service.get(REASONS, distinct_id="ada", flag_keys="other")
    assert records == {"on": {"value": True, "evaluation": matched}}


async def test_dates_without_an_offset_are_of_the_projects_time_zone(service: Service) -> None:
    asks = {"key": "joined", "type": "person", "operator": "is_date_after", "value": "2026-03-01"}
    await service.flag("since-march", asks)
    service.person("ada", joined="2026-03-01T02:00:00Z")
    for zone, value in (("UTC", True), ("America/New_York", False)):
        service.write("UPDATE projects SET timezone = ? WHERE id = 1", zone)
        assert await values(service, "ada") == {"since-march": value}


async def test_a_persons_own_creation_is_no_property_of_that_name(service: Service) -> None:
    asks = {"key": "created_at", "type": "person_metadata", "operator": "is_date_before"}
    asks["value"] = "2026-01-01"
    await service.flag("old-hands", asks)
    service.person("ada", created_at="2020-01-01")
    stamp = "2025-05-05T00:00:00Z"
    service.write("UPDATE persons SET created_at = ? WHERE id = ?", stamp, service.person("bob"))
    for person, value in (("ada", False), ("bob", True), ("nobody", False)):
        assert await values(service, person) == {"old-hands": value}
    counted = await service.post("user_blast_radius/", {"condition": {"properties": [asks]}})
    assert counted == {"affected": 1, "total": 2}

"""How many people or groups match a condition."""

from typing import Any

import pytest
from tests.service.evaluation.conftest import Service, Start

STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}


@pytest.fixture
def crowd(service: Service) -> Service:
    for name in ("ada", "bea", "cem"):
        service.person(name, email=f"{name}@acme.com")
    service.person("dan", email="dan@other.com")
    service.person("eve")
    return service


async def reach(service: Service, *properties: Any, **more: Any) -> tuple[int, int]:
    counts = await service.post("user_blast_radius/", {"condition": {"properties": list(properties)}, **more})
    return counts["affected"], counts["total"]


async def test_scenario_50_empty_condition_matches_everyone_and_none_is_refused(crowd: Service) -> None:
    refused = await crowd.send("POST", "user_blast_radius/", {})
    expected = (400, "Missing condition for which to get blast radius", None)
    assert (refused.status_code, refused.json()["detail"], refused.json()["attr"]) == expected
    assert await reach(crowd) == (5, 5)
    assert (await crowd.post("user_blast_radius/", {"condition": None})) == {"affected": 5, "total": 5}


async def test_scenario_50_older_servers_use_other_names(start: Start) -> None:
    service: Service = await start(legacy=True)
    service.person("ada")
    counts = await service.post("user_blast_radius/", {"condition": {"properties": []}})
    assert counts == {"users_affected": 1, "total_users": 1}


async def test_properties_are_counted_and_the_percentage_is_not(crowd: Service) -> None:
    assert await reach(crowd, STAFF) == (3, 5)
    condition = {"properties": [STAFF], "rollout_percentage": 1, "variant": "gone"}
    assert await crowd.post("user_blast_radius/", {"condition": condition}) == {"affected": 3, "total": 5}
    assert await reach(crowd, {**STAFF, "operator": "not_ends_with"}) == (2, 5)


async def test_cohorts_and_flags_are_asked_for_every_person(crowd: Service) -> None:
    (member,) = crowd.rows("SELECT person_id FROM distinct_ids WHERE distinct_id = 'eve'")[0].values()
    listed = crowd.cohort(members=(member,))
    assert await reach(crowd, {"key": "id", "type": "cohort", "operator": "in", "value": listed}) == (1, 5)
    staff = await crowd.flag("staff", STAFF)
    depends = {"key": str(staff), "type": "flag", "operator": "flag_evaluates_to", "value": True}
    assert await reach(crowd, depends) == (3, 5)
    inner = crowd.cohort(STAFF)
    condition = {"key": "id", "type": "cohort", "operator": "in", "value": inner}
    assert await reach(crowd, condition) == (3, 5)
    crowd.person("fay", email="fay@acme.com")
    assert await reach(crowd, condition) == (4, 6)


async def test_everybody_on_several_lists_is_found_on_each(crowd: Service) -> None:
    (member,) = crowd.rows("SELECT person_id FROM distinct_ids WHERE distinct_id = 'eve'")[0].values()
    lists = [crowd.cohort(members=(member,) if number > 8 else ()) for number in range(13)]
    assert lists[-1] > 9
    for listed, expected in ((lists[0], 0), (lists[9], 1), (lists[12], 1)):
        condition = {"key": "id", "type": "cohort", "operator": "in", "value": listed}
        assert await reach(crowd, condition) == (expected, 5)


async def test_groups_are_counted_by_their_own_properties(crowd: Service) -> None:
    crowd.group("company", 0, "acme", plan="pro")
    crowd.group("company", 0, "tiny", plan="free")
    condition = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
    assert await reach(crowd, condition, group_type_index=0) == (1, 2)
    assert await reach(crowd, group_type_index=0) == (2, 2)
    assert await reach(crowd, group_type_index=3) == (0, 0)


REFUSED: list[tuple[Any, str]] = [
    ({**STAFF, "operator": "contains"}, "invalid_input"),
    ({"key": "id", "type": "cohort", "operator": "in", "value": 99}, "cohort_does_not_exist"),
    ("x", "invalid_input"),
]


async def test_questions_that_cannot_be_evaluated_are_refused(crowd: Service) -> None:
    for question, code in REFUSED:
        body = {"condition": {"properties": [question]}}
        refused = await crowd.send("POST", "user_blast_radius/", body)
        assert (refused.status_code, refused.json()["code"], refused.json()["attr"]) == (400, code, "filters")
    for body in SENSELESS:
        assert (await crowd.send("POST", "user_blast_radius/", body)).status_code == 400


SENSELESS: list[Any] = [{"condition": "x"}, {"condition": {}, "group_type_index": "x"}, [1]]


async def test_differently_spelled_values_count_as_different_people(service: Service) -> None:
    for name, value in (("ada", 1), ("bea", True), ("cem", "1"), ("dan", [1]), ("eve", 1.0)):
        service.person(name, level=value)
    question = {"key": "level", "type": "person", "operator": "exact", "value": "true"}
    assert await reach(service, question) == (1, 5)
    assert await reach(service, {**question, "operator": "is_set"}) == (5, 5)

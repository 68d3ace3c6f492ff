"""How many people or groups match a condition."""

from typing import Any

import pytest
from tests.doubles.targeting import asks_cohort, asks_flag
from tests.service.evaluation.conftest import STAFF, Service, Start

RADIUS = "user_blast_radius/"


@pytest.fixture
def crowd(service: Service) -> Service:
    for name in ("ada", "bea", "cem"):
        service.person(name, email=f"{name}@acme.com")
    service.person("dan", email="dan@other.com")
    service.person("eve")
    return service


async def reach(service: Service, *properties: Any, **more: Any) -> tuple[int, int]:
    counts = await service.post(RADIUS, {"condition": {"properties": list(properties)}, **more})
    return counts["affected"], counts["total"]


async def test_scenario_50_empty_condition_matches_everyone_and_none_is_refused(crowd: Service) -> None:
    detail = "Missing condition for which to get blast radius"
    await crowd.refuses("POST", RADIUS, {}, status=400, detail=detail, attr=None)
    assert await reach(crowd) == (5, 5)
    assert (await crowd.post(RADIUS, {"condition": None})) == {"affected": 5, "total": 5}


async def test_scenario_50_older_servers_use_other_names(start: Start) -> None:
    service: Service = await start(legacy=True)
    service.person("ada")
    counts = await service.post(RADIUS, {"condition": {"properties": []}})
    assert counts == {"users_affected": 1, "total_users": 1}


async def test_properties_are_counted_and_the_percentage_is_not(crowd: Service) -> None:
    assert await reach(crowd, STAFF) == (3, 5)
    condition = {"properties": [STAFF], "rollout_percentage": 1, "variant": "gone"}
    assert await crowd.post(RADIUS, {"condition": condition}) == {"affected": 3, "total": 5}
    assert await reach(crowd, {**STAFF, "operator": "not_ends_with"}) == (2, 5)


async def test_cohorts_and_flags_are_asked_for_every_person(crowd: Service) -> None:
    (eve,) = crowd.rows("SELECT person_id FROM distinct_ids WHERE distinct_id = 'eve'")[0].values()
    # Eve is on several lists, with ids of one digit and of two.
    lists = [crowd.cohort(members=(eve,) if number > 8 else ()) for number in range(13)]
    assert lists[-1] > 9
    for listed, expected in ((lists[0], 0), (lists[9], 1), (lists[12], 1)):
        assert await reach(crowd, asks_cohort(listed)) == (expected, 5)
    staff = asks_cohort(crowd.cohort(STAFF))
    for condition in (staff, asks_flag(str(await crowd.flag("staff", STAFF)))):
        assert await reach(crowd, condition) == (3, 5)
    crowd.person("fay", email="fay@acme.com")
    assert await reach(crowd, staff) == (4, 6)


async def test_groups_are_counted_by_their_own_properties(crowd: Service) -> None:
    crowd.group("company", 0, "acme", plan="pro")
    crowd.group("company", 0, "tiny", plan="free")
    condition = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
    assert await reach(crowd, condition, group_type_index=0) == (1, 2)
    assert await reach(crowd, group_type_index=0) == (2, 2)
    assert await reach(crowd, group_type_index=3) == (0, 0)


def asking(*properties: Any) -> dict[str, Any]:
    return {"condition": {"properties": properties}}


REFUSED: list[tuple[Any, str, str | None]] = [
    (asking({**STAFF, "operator": "contains"}), "invalid_input", "filters"),
    (asking(asks_cohort(99)), "cohort_does_not_exist", "filters"),
    (asking("x"), "invalid_input", "filters"),
    ({"condition": "x"}, "not_a_dict", "condition"),
    ({"condition": {}, "group_type_index": "x"}, "invalid_input", "group_type_index"),
    ([1], "invalid_input", None),
]


async def test_questions_that_cannot_be_evaluated_are_refused(crowd: Service) -> None:
    for body, code, attr in REFUSED:
        await crowd.refuses("POST", RADIUS, body, status=400, code=code, attr=attr)


async def test_differently_spelled_values_count_as_different_people(service: Service) -> None:
    for name, value in (("ada", 1), ("bea", True), ("cem", "1"), ("dan", [1]), ("eve", 1.0)):
        service.person(name, level=value)
    question = {"key": "level", "type": "person", "operator": "exact", "value": "true"}
    assert await reach(service, question) == (1, 5)
    assert await reach(service, {**question, "operator": "is_set"}) == (5, 5)

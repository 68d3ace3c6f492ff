"""One flag for one person, with every condition explained."""

import pytest
from tests.doubles.service_world import released
from tests.service.evaluation.conftest import STAFF, Service


@pytest.fixture
async def flag(service: Service) -> int:
    service.person("ada", email="ada@acme.com")
    return await service.flag("beta", STAFF, share=50)


async def test_every_condition_is_explained(service: Service, flag: int) -> None:
    trial = await service.post(f"{flag}/test_evaluation/", {"distinct_id": "ada"})
    (condition,) = trial.pop("conditions")
    (item,) = condition.pop("properties")
    words = "email ends with @acme.com: it is ada@acme.com"
    assert item == {**STAFF, "actual_value": "ada@acme.com", "matched": True, "explanation": words}
    assert condition == {
        **{"index": 0, "matched": True, "properties_matched": True, "variant": None},
        **{"rollout_percentage": 50.0, "rollout_excluded": False},
        "explanation": "condition 1 matches (hash 0.33 ≤ 0.50: in)",
    }
    assert trial == {
        **{"flag_key": "beta", "result": True, "reason": "condition_match", "condition_index": 0},
        **{"payload": None, "person_properties": {"email": "ada@acme.com"}},
        **{"evaluation_distinct_id": "ada", "reason_description": "Matched condition set 1"},
    }


async def test_person_is_named_by_id_or_has_no_properties(service: Service, flag: int) -> None:
    (person,) = service.rows("SELECT uuid FROM persons")[0].values()
    trial = await service.post(f"{flag}/test_evaluation/", {"person_id": person})
    assert (trial["result"], trial["evaluation_distinct_id"]) == (True, "ada")
    missing = await service.ask("POST", f"{flag}/test_evaluation/", {"person_id": "nobody"})
    expected = (404, {"detail": "Person not found for person_id: nobody"})
    assert (missing.status_code, missing.json()) == expected
    trial = await service.post(f"{flag}/test_evaluation/", {"distinct_id": "zoe"})
    assert (trial["result"], trial["reason"], trial["person_properties"]) == (False, "no_condition_match", {})
    assert trial["conditions"][0]["properties"][0]["explanation"].endswith(": there is none")


async def test_exactly_one_person_and_a_flag_are_needed(service: Service, flag: int) -> None:
    for body, detail in (
        ({}, "Either distinct_id or person_id must be provided"),
        ({"distinct_id": "a", "person_id": "b"}, "Cannot provide both distinct_id and person_id"),
    ):
        await service.refuses("POST", f"{flag}/test_evaluation/", body, status=400, detail=detail, attr=None)
    await service.patch(f"{flag}/", {"deleted": True})
    for path in ("999/test_evaluation/", f"{flag}/test_evaluation/"):
        await service.refuses("POST", path, {"distinct_id": "a"}, status=404)


async def test_relative_dates_count_from_the_moment_that_is_asked_about(service: Service) -> None:
    service.person("ada", joined="2026-03-01")
    condition = {"key": "joined", "type": "person", "operator": "is_date_after", "value": "-7d"}
    flag = await service.flag("recent", condition)
    now = await service.post(f"{flag}/test_evaluation/", {"distinct_id": "ada"})
    body = {"distinct_id": "ada", "timestamp": "2026-03-05T00:00:00Z"}
    then = await service.post(f"{flag}/test_evaluation/", body)
    assert (now["result"], then["result"]) == (False, True)


async def test_groups_can_be_given(service: Service) -> None:
    service.group("company", 0, "acme")
    flag = await service.flag("companies", filters=released(aggregation_group_type_index=0))
    path = f"{flag}/test_evaluation/"
    assert (await service.post(path, {"distinct_id": "a", "groups": {"company": "acme"}}))["result"] is True
    alone = await service.post(path, {"distinct_id": "a"})
    assert (alone["result"], alone["reason"]) == (False, "no_group_type")

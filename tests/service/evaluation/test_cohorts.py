"""Cohorts, static ones of the users who have a flag, and the types of groups."""

from tests.doubles.service_world import World, released
from tests.doubles.targeting import asks_cohort
from tests.service.evaluation.conftest import STAFF, Service

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person

COHORTS = "/api/projects/1/cohorts/"
EVENTS = {"key": "$pageview", "type": "behavioral", "value": "performed_event"}


async def test_cohorts_are_listed_newest_first_and_searched_by_name(service: Service) -> None:
    made = [service.cohort() for _ in range(3)]
    service.write("UPDATE cohorts SET name = 'Öther' WHERE id = ?", made[1])
    service.write("UPDATE cohorts SET deleted = 1 WHERE id = ?", made[0])
    listed = await service.get(COHORTS)
    assert [cohort["id"] for cohort in listed["results"]] == [made[2], made[1]]
    assert listed["count"] == 2
    page = await service.get(COHORTS, limit=1)
    assert [cohort["id"] for cohort in page["results"]] == [made[2]]
    assert "offset=1" in page["next"]
    assert [cohort["name"] for cohort in (await service.get(COHORTS, search="öth"))["results"]] == ["Öther"]


async def test_flag_lists_skip_cohorts_of_events(service: Service) -> None:
    plain = service.cohort()
    behind = service.cohort(EVENTS)
    around = service.cohort({"key": "id", "type": "cohort", "value": behind})
    everything = await service.get(COHORTS)
    assert {cohort["id"] for cohort in everything["results"]} == {plain, behind, around}
    usable = await service.get(COHORTS, hide_behavioral_cohorts="true")
    assert [cohort["id"] for cohort in usable["results"]] == [plain]


async def test_the_cohort_lists_exactly_those_who_see_the_flag(service: Service) -> None:
    mails = {f"p{n}": f"p{n}@{'acme' if n % 2 else 'x'}.com" for n in range(60)}
    people = {name: service.person(name, email=mail) for name, mail in mails.items()}
    flag = await service.flag("beta", STAFF, share=40)
    cohort = (await service.post(f"{flag}/create_static_cohort_for_flag/", {"ignored": 1}, 201))["cohort"]
    definitions = Definitions.of([await service.get(f"{flag}/")])
    expected = {
        people[name]
        for name, mail in mails.items()
        if evaluate("beta", Person(name, {"email": mail}), definitions).value
    }
    members = service.rows("SELECT person_id FROM cohort_members WHERE cohort_id = ?", cohort["id"])
    assert {row["person_id"] for row in members} == expected
    assert 0 < len(expected) < 30
    assert (cohort["count"], cohort["is_static"], cohort["is_calculating"]) == (len(expected), True, False)
    assert cohort["name"].startswith("Users with feature flag beta enabled at 2026-03-10 12:")
    assert cohort["created_by"]["email"] == "owner@localhost.test"
    await service.flag("next", asks_cohort(cohort["id"]))
    for name in ("p1", "p2", "p3"):
        values = await service.get("evaluation_reasons/", distinct_id=name)
        assert values["next"]["value"] is (people[name] in expected)


async def test_disabled_and_group_flags_list_no_one(service: Service) -> None:
    service.person("ada")
    service.group("company", 0, "acme")
    off = await service.flag("off", active=False)
    grouped = await service.flag("grouped", filters=released(aggregation_group_type_index=0))
    for flag in (off, grouped):
        cohort = (await service.post(f"{flag}/create_static_cohort_for_flag/", None, 201))["cohort"]
        assert cohort["count"] == 0
    await service.refuses("POST", "999/create_static_cohort_for_flag/", status=404)


async def test_group_types_are_listed_by_index(world: World) -> None:
    assert await world.get("/api/projects/1/groups_types/") == []
    for index, name in ((1, "project"), (0, "organization")):
        world.write("INSERT INTO group_types (project_id, type_index, name) VALUES (1, ?, ?)", index, name)
    group_types = await world.get("/api/projects/1/groups_types/")
    expected = [(0, "organization"), (1, "project")]
    assert [(row["group_type_index"], row["group_type"]) for row in group_types] == expected

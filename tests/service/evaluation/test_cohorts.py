"""The list of groups of people that conditions can ask for."""

from tests.service.evaluation.conftest import Service

COHORTS = "/api/projects/1/cohorts/"
EVENTS = {"key": "$pageview", "type": "behavioral", "value": "performed_event"}


async def test_cohorts_are_listed_newest_first_and_searched_by_name(service: Service) -> None:
    made = [service.cohort() for _ in range(3)]
    service.write("UPDATE cohorts SET name = 'Other' WHERE id = ?", made[1])
    service.write("UPDATE cohorts SET deleted = 1 WHERE id = ?", made[0])
    listed = await service.get(COHORTS)
    assert [cohort["id"] for cohort in listed["results"]] == [made[2], made[1]]
    assert listed["count"] == 2
    page = await service.get(COHORTS, limit=1)
    assert [cohort["id"] for cohort in page["results"]] == [made[2]]
    assert "offset=1" in page["next"]
    assert [cohort["name"] for cohort in (await service.get(COHORTS, search="oth"))["results"]] == ["Other"]


async def test_flag_lists_skip_cohorts_of_events(service: Service) -> None:
    plain = service.cohort()
    behind = service.cohort(EVENTS)
    around = service.cohort({"key": "id", "type": "cohort", "value": behind})
    everything = await service.get(COHORTS)
    assert {cohort["id"] for cohort in everything["results"]} == {plain, behind, around}
    usable = await service.get(COHORTS, hide_behavioral_cohorts="true")
    assert [cohort["id"] for cohort in usable["results"]] == [plain]


async def test_refusal_names_the_missing_scope(service: Service) -> None:
    service.client.headers.update(service.with_key("feature_flag:read").headers)
    refused = await service.send("GET", COHORTS)
    assert refused.status_code == 403
    assert "cohort:read" in refused.json()["detail"]

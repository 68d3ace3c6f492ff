"""Requests about fifty expensive patterns: each is answered soon, and none of them wrongly."""

from time import process_time
from typing import Any

import httpx
from tests.doubles.expensive_patterns import EXPENSIVE, expensive_flags, expensive_properties, store_expensive
from tests.doubles.slices import one_in
from tests.service.evaluation.conftest import KEY, Service

COSTLY = "(?=.)(a|aa)+$"
WORDS = f"too costly to evaluate here: {COSTLY}"
PROBLEM = f"The pattern is {WORDS}"
ASKED = {"key": "name", "type": "person", "operator": "regex", "value": COSTLY}
LONG = "a" * 80 + "!"


class Reading:
    """A caller with read scope alone, and how many seconds of the processor the slowest answer took."""

    def __init__(self, service: Service) -> None:
        self._client = service.client
        self._headers = service.with_key("feature_flag:read").headers
        self.slowest = 0.0

    async def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        start = process_time()
        url = f"/api/projects/1/feature_flags/{path}"
        response = await self._client.request(method, url, json=body, headers=self._headers)
        self.slowest = max(self.slowest, process_time() - start)
        return response


async def test_reader_of_fifty_expensive_patterns_waits_under_a_second(service: Service) -> None:
    await store_expensive(service.application, KEY)
    reader = Reading(service)
    values = (await reader.ask("GET", "evaluation_reasons/?distinct_id=ada")).json()
    for number, expensive in enumerate(EXPENSIVE):
        result = values[f"costly-{number}"]
        assert result["value"] in (None, expensive.is_match), expensive.pattern[:40]
        if result["value"] is None:
            assert "too costly to evaluate here" in result["evaluation"]["description"]
    assert (await reader.ask("GET", "local_evaluation/")).status_code == 200
    flags = (await reader.ask("GET", "?limit=100")).json()["results"]
    for flag in one_in(10, flags):
        expensive = EXPENSIVE[int(flag["key"].split("-")[1])]
        tried = (await reader.ask("POST", f"{flag['id']}/test_evaluation/", {"distinct_id": "ada"})).json()
        assert tried["result"] in (None, expensive.is_match)
    for body in one_in(10, expensive_flags()):
        (group,) = body["filters"]["groups"]
        counted = await reader.ask("POST", "user_blast_radius/", {"condition": group})
        if counted.status_code == 400:
            assert "too costly to evaluate here" in counted.json()["detail"]
        else:
            assert counted.json()["total"] == 1
    assert len(flags) == len(EXPENSIVE) == len(expensive_properties())
    assert reader.slowest < 1


async def test_values_cohorts_and_counts_behind_a_costly_pattern_are_none(service: Service) -> None:
    # Her name is too long for the pattern.
    service.person("ada", name=LONG)
    flag = await service.flag("costly", ASKED)
    (value,) = (await service.get("evaluation_reasons/", distinct_id="ada")).values()
    assert value["value"] is None
    assert value["evaluation"]["description"] == f"Flag cannot be evaluated: {WORDS}"
    tried = await service.post(f"{flag}/test_evaluation/", {"distinct_id": "ada"})
    assert (tried["result"], tried["reason"]) == (None, "unknown")
    assert WORDS in tried["conditions"][0]["explanation"]
    await service.refuses("POST", f"{flag}/create_static_cohort_for_flag/", {}, status=400, detail=PROBLEM)
    assert service.rows("SELECT id FROM cohorts") == []
    for operator in ("regex", "not_regex"):
        body = {"condition": {"properties": [{**ASKED, "operator": operator}]}}
        await service.refuses("POST", "user_blast_radius/", body, status=400, detail=PROBLEM)


async def test_search_for_separators_ends_soon(service: Service) -> None:
    await service.flag("plain", name="_" * 100)
    start = process_time()
    page = await service.get("", search="_ _ _ _ _ x")
    assert process_time() - start < 1
    assert page["count"] == 0

"""The product's own client, pointed at the service by its address."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.doubles.service_world import released
from tests.service.evaluation.conftest import SAMPLE_KEY, Port

IDS = int(os.environ.get("FLAGTUI_AGREEMENT_IDS", "10"))
"""A thousand in the long run, `make check-agreement`."""


@pytest.fixture
def http(sample_port: Port) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {SAMPLE_KEY}"}
    with httpx.Client(base_url=f"{sample_port.url}/api/projects/1/feature_flags", headers=headers) as client:
        yield client


def people(port: Port) -> list[tuple[str, dict[str, Any]]]:
    """Stored people with their properties, and some unknown distinct ids."""
    rows = read_stored(
        port,
        "SELECT d.distinct_id, p.properties FROM distinct_ids AS d JOIN persons AS p ON p.id = d.person_id"
        " WHERE d.project_id = 1 ORDER BY p.id % 97, p.id LIMIT ?",
        IDS * 9 // 10,
    )
    strangers: list[tuple[str, dict[str, Any]]] = [(f"stranger-{n}", {}) for n in range(IDS - len(rows))]
    return [*((distinct_id, json.loads(properties)) for distinct_id, properties in rows), *strangers]


def read_stored(port: Port, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with port.application.state.dispatcher.database.reading() as db:
        return [tuple(row) for row in db.execute(sql, values)]


def test_every_sample_flag_has_the_value_the_service_gives_it(
    sample_port: Port, sdk: Any, http: httpx.Client
) -> None:
    """The client gives up only where it lacks something: a list of people, or a property that is not set."""
    sdk.load_feature_flags()
    companies = read_stored(
        sample_port, "SELECT key, properties FROM groups WHERE project_id = 1 ORDER BY key"
    )
    decided: Counter[str] = Counter()
    for number, (distinct_id, properties) in enumerate(people(sample_port)):
        company, described = companies[number % len(companies)]
        groups = {"company": company, "workspace": "w1"} if number % 3 else {}
        local = sdk.get_all_flags(
            distinct_id,
            groups=groups,
            person_properties=properties,
            group_properties={"company": json.loads(described)} if groups else {},
            only_evaluate_locally=True,
        )
        query = {"distinct_id": distinct_id, "groups": json.dumps(groups)}
        reasons = http.get("/evaluation_reasons/", params=query).raise_for_status().json()
        assert {key: reasons[key]["value"] for key in local} == local, distinct_id
        decided.update(local.keys())
    assert sum(times == IDS for times in decided.values()) > 0.75 * len(reasons)
    assert decided.total() > 0.9 * IDS * len(reasons)


def test_a_poll_without_a_change_costs_a_304(sample_port: Port, sdk: Any) -> None:
    before = len(sample_port.answers)
    sdk.load_feature_flags()
    sdk.load_feature_flags()
    assert sample_port.answers[before:] == [("/flags/definitions", 200), ("/flags/definitions", 304)]
    assert len(sdk.feature_flag_definitions()) > 200


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_remote_configuration_reaches_the_client(sdk: Any, http: httpx.Client, is_encrypted: bool) -> None:
    key = f"config-{uuid4().hex[:8]}"
    body = {"key": key, "is_remote_configuration": True, "has_encrypted_payloads": is_encrypted}
    filters = released(payloads={"true": '{"retries": 3}'})
    http.post("/", json={**body, "filters": filters}).raise_for_status()
    assert json.loads(sdk.get_remote_config_payload(key)) == {"retries": 3}

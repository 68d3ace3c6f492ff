"""Flags of version 2 evaluated for stored persons, in the records of version 1."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.doubles.service_world import World, asks_for
from tests.service.flags.rules.test_writes import TARGETED, document_of

FACTS = json.loads((Path(__file__).parents[2] / "evaluate" / "rules_v2.json").read_text(encoding="utf-8"))
STAMP = "2026-03-10T12:00:00.000000Z"


def store(world: World, filters: Any, key: str = "a") -> int:
    return world.insert("flags", project_id=1, key=key, created_at=STAMP, filters=filters, active=1)


def add_person(world: World, distinct_id: str, properties: Any) -> None:
    columns = {"project_id": 1, "created_at": STAMP, "properties": properties}
    person = world.insert("persons", uuid=str(uuid4()), **columns)
    world.write("INSERT OR IGNORE INTO distinct_ids VALUES (1, ?, ?)", distinct_id, person)


async def test_records_have_the_values_of_the_vectors(pilot: World) -> None:
    for number, fact in enumerate(FACTS["evaluations"]):
        store(pilot, fact["filters"], f"flag-{number}")
        add_person(pilot, fact["distinct_id"], fact["properties"])
    for number, fact in enumerate(FACTS["evaluations"]):
        if not fact["distinct_id"]:
            continue  # The operation refuses a blank distinct id.
        query = {"distinct_id": fact["distinct_id"], "flag_keys": f"flag-{number}"}
        record = (await pilot.get("evaluation_reasons/", **query))[f"flag-{number}"]
        value = fact["value"]
        assert record["value"] == (value if isinstance(value, bool | str) else value is not None)
        assert record["evaluation"]["condition_index"] == fact["rule_index"]
        word = fact["reason"].replace("targeting_match", "condition_match")
        assert record["evaluation"]["reason"] == word


async def test_trial_reports_the_rule_and_the_payload(pilot: World) -> None:
    filters = document_of({**TARGETED, "value": {"size": 2}}) | {"return_type": "object"}
    number = store(pilot, filters | {"default_value": None})
    trial = await pilot.post(f"{number}/test_evaluation/", {"distinct_id": "ann"})
    assert (trial["result"], trial["payload"]) == (True, '{"size":2}')
    assert (trial["reason"], trial["condition_index"]) == ("condition_match", 0)
    assert (trial["reason_description"], trial["conditions"]) == ("Matched rule 1", [])


async def test_failed_rules_serve_false_with_the_reason(pilot: World) -> None:
    pattern = {"key": "plan", "type": "person", "operator": "regex", "value": "["}
    store(pilot, document_of({**TARGETED, "targeting": {"properties": [pattern]}}, default_value=True))
    add_person(pilot, "ann", {"plan": "pro"})
    record = (await pilot.get("evaluation_reasons/", distinct_id="ann"))["a"]
    assert (record["value"], record["evaluation"]["reason"]) == (False, "error")


async def test_closed_pilot_evaluates_no_rules(world: World) -> None:
    store(world, document_of(TARGETED))
    assert (await world.get("evaluation_reasons/", distinct_id="ann"))["a"]["value"] is False


async def test_sdk_document_leaves_out_rules_and_their_dependents(pilot: World) -> None:
    number = store(pilot, document_of(TARGETED))
    for key in ("b", "c"):
        number = store(pilot, asks_for(number), key)
    store(pilot, {"groups": [{"properties": []}]}, "d")
    document = await pilot.get("local_evaluation/")
    assert [flag["key"] for flag in document["flags"]] == ["d"]


async def test_static_cohort_of_rules_is_refused(pilot: World) -> None:
    number = store(pilot, document_of(TARGETED))
    path = f"{number}/create_static_cohort_for_flag/"
    await pilot.refuses("POST", path, status=400, code="unsupported_config_format")

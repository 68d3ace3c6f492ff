"""Flags with rules, in typed and in older records."""

import json
from typing import Any

import pytest
from tests.service.evaluation.conftest import Service, Start
from tests.service.sdk.conftest import Ask

RULE_ID = "11111111-1111-4111-8111-111111111111"


def number_rule(value: Any) -> dict[str, Any]:
    rule = {"id": RULE_ID, "rule_type": "targeted_release", "targeting": {"properties": []}, "value": value}
    return {"version": 2, "return_type": "number", "default_value": None, "rules": [rule]}


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start(rules_v2=True)
    await started.flag("limit")
    started.write("UPDATE flags SET filters = ? WHERE key = 'limit'", json.dumps(number_rule(0)))
    return started


async def test_versions_have_typed_or_older_values_of_rules(ask: Ask) -> None:
    limit = (await ask("/flags/?v=4"))["flags"]["limit"]
    assert limit["value"] == 0
    assert "enabled" not in limit
    assert limit["metadata"]["config_version"] == 2
    assert limit["metadata"]["rule_id"] == RULE_ID
    expected = {"code": "targeting_match", "condition_index": 0, "description": "Matched rule 1"}
    assert limit["reason"] == expected
    limit = (await ask("/flags/?v=2"))["flags"]["limit"]
    assert (limit["enabled"], limit["variant"], limit["metadata"]["payload"]) == (True, None, "0")
    assert limit["reason"]["code"] == "condition_match"

"""Documents of configuration version 2, complete as stored, with single fields replaced."""

from copy import deepcopy
from typing import Any

ID = "11111111-1111-4111-8111-111111111111"
DRAW = {
    "rollout_percentage": 50,
    "on_rollout_miss": "continue",
    "assignment_algorithm": "sha1_60_v1",
    "seed": "s",
}
CONTROL = {"key": "control", "weight": 33.34, "value": "blue"}
TEST = {"key": "test", "weight": 66.66, "value": "green"}


def rule_of(rule_type: str = "targeted_release", **fields: Any) -> dict[str, Any]:
    own: dict[str, Any] = {"value": "on"}
    if rule_type == "percentage_rollout":
        own |= DRAW
    if rule_type == "experiment":
        own = {"experiment_id": None, "paused": False, "variants": [CONTROL, TEST], **DRAW}
    return {"id": ID, "rule_type": rule_type, "targeting": {"properties": []}, **own, **fields}


def document_of(*rules: Any, **fields: Any) -> dict[str, Any]:
    return deepcopy(
        {"version": 2, "return_type": "string", "default_value": "off", "rules": list(rules), **fields}
    )


def property_of(operator: Any, value: Any = "a", **fields: Any) -> dict[str, Any]:
    item = {"key": "plan", "type": "person", "operator": operator, "value": value, **fields}
    return rule_of(targeting={"properties": [item]})


def split_of(*variants: Any, **fields: Any) -> dict[str, Any]:
    return rule_of("experiment", variants=list(variants), **fields)

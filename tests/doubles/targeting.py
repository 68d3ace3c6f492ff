"""Parts of targeting as servers store them."""

from typing import Any

from flagtui.models.json_value import JSON


def asks(key: str, operator: str, value: JSON, **more: JSON) -> dict[str, JSON]:
    """A question about a person."""
    return {"key": key, "type": "person", "operator": operator, "value": value, **more}


def asks_cohort(id: JSON, operator: JSON = "in", **more: JSON) -> dict[str, JSON]:
    return {"key": "id", "type": "cohort", "operator": operator, "value": id, **more}


def asks_flag(key: JSON, value: JSON = True, **more: JSON) -> dict[str, JSON]:
    return {"key": key, "type": "flag", "operator": "flag_evaluates_to", "value": value, **more}


def group(share: JSON, *properties: JSON, **more: JSON) -> dict[str, JSON]:
    """A condition that lets in this share."""
    return {"properties": list(properties), "rollout_percentage": share, **more}


def flag_of(*groups: JSON, key: str = "it", **filters: JSON) -> dict[str, Any]:
    """A flag that is on, with these conditions."""
    return {"id": 1, "key": key, "active": True, "filters": {"groups": list(groups), **filters}}


def variants(**shares: float) -> dict[str, JSON]:
    return {"variants": [{"key": key, "rollout_percentage": share} for key, share in shares.items()]}

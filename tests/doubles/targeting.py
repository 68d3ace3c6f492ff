"""Parts of targeting as servers store them."""

from flagtui.models.json_value import JSON


def asks(key: str, operator: str, value: JSON, **more: JSON) -> dict[str, JSON]:
    """A question about a person."""
    return {"key": key, "type": "person", "operator": operator, "value": value, **more}


def asks_cohort(id: JSON, operator: str = "in", **more: JSON) -> dict[str, JSON]:
    return {"key": "id", "type": "cohort", "operator": operator, "value": id, **more}


def asks_flag(key: JSON, value: JSON = True, **more: JSON) -> dict[str, JSON]:
    return {"key": key, "type": "flag", "operator": "flag_evaluates_to", "value": value, **more}


def group(share: JSON, *properties: JSON, **more: JSON) -> dict[str, JSON]:
    """A condition that lets in this share."""
    return {"properties": list(properties), "rollout_percentage": share, **more}


def variants(**shares: float) -> dict[str, JSON]:
    return {"variants": [{"key": key, "rollout_percentage": share} for key, share in shares.items()]}

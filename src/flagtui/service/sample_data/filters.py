"""Targeting as the service stores it: groups, properties, variants."""

from collections.abc import Sequence
from typing import Any

JSON = Any
State = dict[str, JSON]


def person(key: str, operator: str, value: JSON) -> State:
    return {"key": key, "type": "person", "operator": operator, "value": value}


def company(key: str, operator: str, value: JSON) -> State:
    """A property of the person's company, which is group type 0."""
    return {"key": key, "type": "group", "group_type_index": 0, "operator": operator, "value": value}


def cohort(number: int, operator: str = "in") -> State:
    return {"key": "id", "type": "cohort", "operator": operator, "value": number}


def flag(key: str, value: bool | str = True) -> State:
    """Names the other flag by key; numbering the project's flags turns it into the id."""
    return {"key": key, "type": "flag", "operator": "flag_evaluates_to", "value": value, "label": key}


def group(
    rollout: float | None = 100, *properties: State, variant: str | None = None, index: int | None = None
) -> State:
    return {
        "properties": list(properties),
        "rollout_percentage": rollout,
        "variant": variant,
        "aggregation_group_type_index": index,
    }


def split(*variants: tuple[str, float], names: Sequence[str] = ()) -> list[State]:
    """Variants with their shares; the shares add up to 100."""
    labels = [*names, *[""] * (len(variants) - len(names))]
    return [
        {"key": key, "name": label, "rollout_percentage": share}
        for (key, share), label in zip(variants, labels, strict=True)
    ]


def filters(
    *groups: State, variants: list[State] | None = None, payloads: State | None = None, **more: JSON
) -> State:
    indexes = {each["aggregation_group_type_index"] for each in groups}
    return {
        "groups": list(groups),
        "payloads": payloads or {},
        "multivariate": {"variants": variants} if variants else None,
        "aggregation_group_type_index": indexes.pop() if len(indexes) == 1 else None,
        **more,
    }


def with_rollout(targeting: State, rollout: float, position: int = 0) -> State:
    """The same targeting with another percentage on one group; the original is left alone."""
    groups = [dict(each) for each in targeting["groups"]]
    groups[position]["rollout_percentage"] = rollout
    return {**targeting, "groups": groups}

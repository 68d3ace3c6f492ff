"""Targeting as the service stores it: groups, properties, variants."""

from collections.abc import Iterable
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


def split(variants: Iterable[tuple[Any, ...]]) -> list[State]:
    """Variants: key, share, and the name if it has one; the shares add up to 100."""
    return [
        {"key": key, "name": "".join(name), "rollout_percentage": share} for key, share, *name in variants
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


def with_rollouts(targeting: State, *rollouts: float) -> State:
    """The same targeting with other percentages on the first groups; the original is left alone."""
    groups = [dict(each) for each in targeting["groups"]]
    for one, rollout in zip(groups, rollouts, strict=False):
        one["rollout_percentage"] = rollout
    return {**targeting, "groups": groups}


def also_asking(targeting: State, *properties: State) -> State:
    """The same targeting, its first group asking for more."""
    first, *others = targeting["groups"]
    asking = {**first, "properties": [*first["properties"], *properties]}
    return {**targeting, "groups": [asking, *others]}

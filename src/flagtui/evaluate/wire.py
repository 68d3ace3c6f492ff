"""The wire form of a flag's `filters`: where its conditions, variants and payloads are, whatever is sent.

Both views of a flag read it here: the evaluator's parts, as strict as servers, and `models/filters.py`, for
screens. Requests and new flags are built here. Results share their parts with `filters`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

LABELS: Final = frozenset(("cohort_name", "group_key_names"))
"""Keys of a property that servers add on reading and do not store."""
LEGACY: Final = ("super_groups", "holdout_groups")
"""Lists of conditions that newer servers strip on any write."""


def mapping(raw: Any) -> dict[str, Any]:
    """Return the object, or an empty one for any other value."""
    return raw if isinstance(raw, dict) else {}


def items(raw: Any) -> list[Any]:
    """Return the list, or an empty one for any other value."""
    return raw if isinstance(raw, list) else []


def conditions(filters: Any) -> list[Any]:
    """Return the conditions, including unreadable ones."""
    groups = filters.get("groups") if isinstance(filters, dict) else None
    return groups if isinstance(groups, list) else []


def properties(condition: Any) -> list[Any]:
    """Return the property filters of a condition, including unreadable ones."""
    properties = condition.get("properties") if isinstance(condition, dict) else None
    return properties if isinstance(properties, list) else []


def dependencies(filters: Any) -> Iterator[dict[str, Any]]:
    """Yield the property filters about other flags."""
    for condition in conditions(filters):
        for item in properties(condition):
            if isinstance(item, dict) and item.get("type") == "flag":
                yield item


def questions(value: Any, *types: str) -> Iterator[dict[str, Any]]:
    """Yield every property filter of these types in filters or in a cohort, however deep it is."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if item.get("type") in types:
                yield item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def variants(filters: Any) -> list[Any]:
    """Return the variants, including unreadable ones."""
    several = filters.get("multivariate") if isinstance(filters, dict) else None
    return items(several.get("variants")) if isinstance(several, dict) else []


def variant_keys(filters: Any) -> tuple[str, ...]:
    """Return the keys of the variants, in order; none for a flag that is on or off."""
    keys = (mapping(variant).get("key") for variant in variants(filters))
    return tuple(key for key in keys if isinstance(key, str) and key)


def stored_payloads(filters: Any) -> Any:
    """Return what is stored as payloads, also if it is no object."""
    return mapping(filters).get("payloads")


def payloads(filters: Any) -> dict[str, Any]:
    """Return the payloads by variant key, or `true`."""
    return mapping(mapping(filters).get("payloads"))


def share(part: Any) -> Any:
    """Return the percentage of a condition or a variant."""
    return part.get("rollout_percentage") if isinstance(part, dict) else None


def with_conditions(filters: Any, conditions: Iterable[Any]) -> dict[str, Any]:
    return {**mapping(filters), "groups": [*conditions]}


def with_properties(condition: Any, properties: Iterable[Any]) -> dict[str, Any]:
    """Return the condition with these property filters."""
    return {**mapping(condition), "properties": [*properties]}


def with_variants(filters: Any, variants: Iterable[Any]) -> dict[str, Any]:
    """Return the filters with these variants; what else is stored beside them stays."""
    kept = mapping(filters)
    return {**kept, "multivariate": {**mapping(kept.get("multivariate")), "variants": [*variants]}}


def without_variants(filters: Any) -> dict[str, Any]:
    """Return the filters of a flag that is on or off."""
    return {**mapping(filters), "multivariate": None}


def with_payloads(filters: Any, payloads: Any) -> dict[str, Any]:
    return {**mapping(filters), "payloads": payloads}


def with_share(part: Mapping[str, Any], percentage: float) -> dict[str, Any]:
    """Return the condition or variant with this percentage."""
    return {**part, "rollout_percentage": percentage}


def mask_payloads(filters: Any, mask: str) -> dict[str, Any]:
    masked = dict.fromkeys(payloads(filters), mask)
    return with_payloads(filters, masked) if masked else mapping(filters)


def map_conditions(filters: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the filters with each condition changed, if they have a list of them."""
    kept = mapping(filters)
    has_list = isinstance(kept.get("groups"), list)
    return with_conditions(kept, map(change, kept["groups"])) if has_list else dict(kept)


def map_properties(condition: Any, change: Callable[[Any], Any]) -> Any:
    """Return the condition with each property filter changed, or itself without any."""
    changed = [*map(change, properties(condition))]
    return with_properties(condition, changed) if changed else condition


def without_labels(condition: Any) -> Any:
    """Return the condition without the names that servers add to its properties on reading."""
    if all(LABELS.isdisjoint(item) for item in properties(condition) if isinstance(item, dict)):
        return condition
    return map_properties(condition, _stored_property)


def stored_filters(filters: Any) -> dict[str, Any]:
    """Return the filters without the keys that servers add on reading."""
    kept = map_conditions(filters, without_labels)
    for name in LEGACY:
        if isinstance(kept.get(name), list):
            kept[name] = [*map(without_labels, kept[name])]
    if kept.get("version") == 1:
        # Reading gives it, writing refuses it.
        del kept["version"]
    return kept


def _stored_property(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {name: value for name, value in item.items() if name not in LABELS}


def new_filters(
    percentage: float, variants: Sequence[Any] = (), payloads: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return filters with one condition, which matches this share of everyone."""
    several = {"variants": [*variants]} if variants else None
    return {"groups": [new_condition(percentage)], "payloads": payloads or {}, "multivariate": several}


def new_condition(percentage: float, properties: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    """Return a condition for a share of the users with these properties."""
    return {"properties": [*properties], "rollout_percentage": percentage, **more}


def new_variant(key: str, percentage: float, name: str = "") -> dict[str, Any]:
    """Return a variant with this share."""
    return {"key": key, "name": name, "rollout_percentage": percentage}


def whole_if_equal(percentage: float) -> float:
    """Return 25 rather than 25.0, as servers and users write it."""
    return int(percentage) if float(percentage).is_integer() else percentage


def problem_of(filters: Any) -> str:
    """Return why conditions cannot be read, in words; empty when they can, or when there are none."""
    if not isinstance(filters, dict):
        return "filters is not an object"
    groups = filters.get("groups")
    return "" if groups is None or isinstance(groups, list) else "groups is not a list"


def condition_problem(raw: Any) -> str:
    """Return why servers cannot evaluate a condition; empty when they can."""
    if not isinstance(raw, dict):
        return "it is no object"
    percentage = raw.get("rollout_percentage")
    if percentage is not None and (isinstance(percentage, bool) or not isinstance(percentage, int | float)):
        return "its rollout is no number"
    properties = raw.get("properties") or []
    if not isinstance(properties, list) or not all(isinstance(item, dict) for item in properties):
        return "its properties are no list of objects"
    return ""


def has_known_version(filters: Any) -> bool:
    """Return whether the filters are of a version with conditions, which is also the default."""
    return is_known_version(mapping(filters).get("version", 1))


def is_known_version(version: Any) -> bool:
    """Return whether filters of this version have conditions. Newer ones have rules, which are only shown.

    The product rejects everything but the whole number 1.
    """
    return isinstance(version, int) and not isinstance(version, bool) and version == 1


def has_rules(filters: Any) -> bool:
    """Return whether the filters are rules: configuration version 2 as a number, also 2.0."""
    version = mapping(filters).get("version")
    return isinstance(version, int | float) and not isinstance(version, bool) and version == 2

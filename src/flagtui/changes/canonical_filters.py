"""Normalize `filters` for requests and comparisons: servers add, rename, derive and drop keys.

On older servers a PATCH of `filters` replaces everything and one without `groups` is ignored; newer ones
merge. A whole object in which removed keys are cleared by name means the same to all of them.
"""

from collections.abc import Mapping
from typing import Final

from flagtui.changes.difference import MISSING, Path, same
from flagtui.evaluate import wire
from flagtui.models.json_value import JSON, as_dict, as_list, copy_json, read_json_text
from flagtui.models.record_fields import FLAG_FIELDS

_CLEARED: Final = wire.with_payloads(wire.with_conditions({}, ()), {})
"""Older servers refuse a null there."""


def clean_filters(filters: JSON) -> dict[str, JSON]:
    """Copy `filters` without the keys that the server adds on read."""
    cleaned: dict[str, JSON] = copy_json(wire.stored_filters(filters))
    return cleaned


def whole_filters(filters: JSON, stored: JSON) -> dict[str, JSON]:
    """Return the complete `filters` of a request, with removed keys cleared by name: to be read."""
    sent = wire.stored_filters(filters)
    for key in wire.stored_filters(stored):
        sent.setdefault(key, copy_json(_CLEARED.get(key)))
    return {**wire.with_conditions({}, ()), **sent}


_ALIASES: Final[Mapping[str, str]] = {"min": "gte", "max": "lte"}


def normal_filters(filters: JSON) -> dict[str, JSON]:
    """Return `filters` without the keys that the server adds, renames, derives or drops: to be read."""
    kept = wire.stored_filters(filters)
    for name in wire.LEGACY:
        kept.pop(name, None)
    flag_level = kept.pop("aggregation_group_type_index", None)
    groups = [_normal_group(group, flag_level) for group in wire.conditions(kept)]
    payloads = _payloads(wire.payloads(kept))
    kept = {name: value for name, value in kept.items() if value is not None}
    return wire.with_payloads(wire.with_conditions(kept, groups), payloads)


def means_same(left: JSON, right: JSON, at: Path) -> bool:
    """Return whether the values are equal after server rewrites; `at` is the path within the flag."""
    if same(left, right):
        return True
    match at:
        case ("filters",):
            return same(normal_filters(left), normal_filters(right))
        case ("filters", "groups", int()):
            return _same_group(left, right)
        case ("filters", "groups"):
            these, those = as_list(left), as_list(right)
            return len(these) == len(those) and all(map(_same_group, these, those))
        case ("filters", "payloads", *rest) if len(rest) < 2:
            meaning = read_json_text if rest else _payloads
            return same(meaning(left), meaning(right))
        case ("filters", *_):
            return left in (None, MISSING) and right in (None, MISSING)
        case (str() as name,) if isinstance(left, list) and isinstance(right, list):
            return same(FLAG_FIELDS.comparable(name, left), FLAG_FIELDS.comparable(name, right))
    return False


def _same_group(left: JSON, right: JSON) -> bool:
    first, other = _normal_group(left, None), _normal_group(right, None)
    if isinstance(first, dict) and isinstance(other, dict):
        name = "aggregation_group_type_index"
        if name not in first or name not in other:
            first.pop(name, None)
            other.pop(name, None)
    return same(first, other)


def _normal_group(group: JSON, flag_level: JSON) -> JSON:
    if not isinstance(group, dict):
        return group
    kept = {"aggregation_group_type_index": flag_level, **group}
    kept["properties"] = [*map(_normal_property, wire.properties(group))]
    return {name: value for name, value in kept.items() if value is not None}


def _normal_property(item: JSON) -> JSON:
    if not isinstance(item, dict):
        return item
    kept = {name: value for name, value in item.items() if value is not None}
    if isinstance(kept.get("key"), int) and not isinstance(kept["key"], bool):
        kept["key"] = str(kept["key"])
    operator = kept.get("operator")
    kept["operator"] = _ALIASES.get(operator, operator) if isinstance(operator, str) else operator or "exact"
    return kept


def _payloads(value: JSON) -> dict[str, JSON]:
    """Return the values of payloads: servers store JSON as text, and some keep other values unchanged."""
    return {key: read_json_text(payload) for key, payload in as_dict(value).items()}

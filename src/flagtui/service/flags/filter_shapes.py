"""The shape of filters: types and ranges, checked on every write before anything else."""

from collections.abc import Iterator, Mapping

import msgspec

from flagtui.service.bodies import NOT_JSON, is_number, type_word
from flagtui.service.errors import Json, invalid
from flagtui.service.generations import NEWEST, Generation

OPERATORS = frozenset(
    (
        *("exact", "is_not", "is_set", "is_not_set", "in", "not_in", "flag_evaluates_to"),
        *("icontains", "not_icontains", "icontains_multi", "not_icontains_multi", "regex", "not_regex"),
        *("starts_with", "not_starts_with", "ends_with", "not_ends_with"),
        *("gt", "gte", "lt", "lte", "min", "max"),
        *("is_date_exact", "is_date_before", "is_date_after"),
        *("semver_eq", "semver_neq", "semver_gt", "semver_gte", "semver_lt", "semver_lte"),
        *("semver_tilde", "semver_caret", "semver_wildcard"),
    )
)
_INDEX = "aggregation_group_type_index"
PROPERTY_TYPES = frozenset(("person", "cohort", "group", "flag", "person_metadata"))


def fail(detail: str) -> Exception:
    return invalid(detail, "filters")


def check_shape(filters: Mapping[str, Json], generation: Generation = NEWEST) -> None:
    """Raise the first fault of the filters of one flag."""
    _check_kind(filters, _INDEX, int, "an integer or null")
    if filters.get("groups", ()) is None:
        raise fail("groups must be a list, got null")
    for group, where in _items(filters, "groups"):
        _check_group(group, where)
    _check_multivariate(filters)
    _check_holdout(filters)
    for name in ("early_exit", "feature_enrollment"):
        _check_kind(filters, name, bool, "a boolean or null")
    _check_payloads(filters.get("payloads"), generation.bad_payload)


def _check_kind(holder: Mapping[str, Json], name: str, kind: type, kind_name: str, where: str = "") -> None:
    """Raise if a field is neither missing, null nor of the type. `where` is the holder's place."""
    value = holder.get(name)
    if value is not None and type(value) is not kind:
        raise fail(f"{where}{name} must be {kind_name}, got {type_word(value)}")


def _items(holder: Mapping[str, Json], name: str, where: str = "") -> Iterator[tuple[dict[str, Json], str]]:
    """Return the objects of a list, each with its place."""
    _check_kind(holder, name, list, "a list", where)
    for position, item in enumerate(holder.get(name) or ()):
        place = f"{where}{name}[{position}]"
        if not isinstance(item, dict):
            raise fail(f"{place} must be a dictionary, got {type_word(item)}")
        yield item, f"{place}."


def _check_group(group: Mapping[str, Json], where: str) -> None:
    _check_kind(group, _INDEX, int, "an integer or null", where)
    if group.get("rollout_percentage") is not None:
        _check_percentage(group, where, "number or null")
    _check_kind(group, "variant", str, "a string or null", where)
    for item, place in _items(group, "properties", where):
        _check_property(item, place)


def _check_percentage(holder: Mapping[str, Json], where: str, kind_name: str) -> None:
    value, place = holder.get("rollout_percentage"), f"{where}rollout_percentage"
    if not is_number(value):
        raise fail(f"{place} must be a {kind_name}, got {type_word(value)}")
    if not 0 <= value <= 100:
        raise fail(f"{place} must be between 0 and 100, got {value}")


def _check_property(item: Mapping[str, Json], where: str) -> None:
    operator, key, kind = item.get("operator"), item.get("key"), item.get("type")
    if operator is not None and (not isinstance(operator, str) or operator not in OPERATORS):
        raise fail(f"{where}operator: unsupported operator for feature flags")
    if key is None or key == "" or isinstance(key, bool | dict | list):
        raise fail(f"{where}key: a property key is required")
    if not isinstance(kind, str) or kind not in PROPERTY_TYPES:
        raise fail(f"{where}type: invalid property type")
    _check_kind(item, "group_type_index", int, "an integer or null", where)


def _check_multivariate(filters: Mapping[str, Json]) -> None:
    _check_kind(filters, "multivariate", dict, "a dictionary or null")
    multivariate = filters.get("multivariate")
    if multivariate is None:
        return
    if not isinstance(multivariate.get("variants"), list):
        raise fail("multivariate.variants must be a list")
    for variant, where in _items(multivariate, "variants", "multivariate."):
        if not isinstance(variant.get("key"), str) or not variant["key"]:
            raise fail(f"{where}key must be a string")
        _check_percentage(variant, where, "number")


def _check_holdout(filters: Mapping[str, Json]) -> None:
    _check_kind(filters, "holdout", dict, "a dictionary or null")
    holdout = filters.get("holdout")
    if holdout is None:
        return
    if type(holdout.get("id")) is not int:
        raise fail("holdout.id must be an integer")
    if type(holdout.get("exclusion_percentage")) not in (int, float):
        raise fail("holdout.exclusion_percentage must be a number")


def _check_payloads(payloads: Json, bad_payload: str) -> None:
    if payloads is None:
        return
    if not isinstance(payloads, dict):
        raise fail("Payloads must be passed as a dictionary")
    for name, payload in payloads.items():
        if isinstance(payload, str) and not is_json(payload):
            raise fail(bad_payload.format(name=name))


def is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except NOT_JSON:
        return False
    return True

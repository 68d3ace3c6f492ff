"""The shape of filters: types and ranges, checked on every write before anything else."""

import math
from collections.abc import Mapping

import msgspec

from flagtui.service.bodies import type_word
from flagtui.service.errors import Json, invalid

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
PROPERTY_TYPES = frozenset(("person", "cohort", "group", "flag", "person_metadata"))


def fail(detail: str) -> Exception:
    return invalid(detail, "filters")


def check_shape(filters: Mapping[str, Json]) -> None:
    """Raises the first fault of the filters of one flag."""
    _check_index(filters.get("aggregation_group_type_index"), "aggregation_group_type_index")
    groups = filters.get("groups")
    if groups is not None:
        for position, group in enumerate(_list(groups, "groups")):
            _check_group(group, f"groups[{position}]")
    _check_multivariate(filters.get("multivariate"))
    _check_holdout(filters.get("holdout"))
    for name in ("early_exit", "feature_enrollment"):
        value = filters.get(name)
        if value is not None and not isinstance(value, bool):
            raise fail(f"{name} must be a boolean or null, got {type_word(value)}")
    _check_payloads(filters.get("payloads", {}), "payloads" in filters)


def _list(value: Json, where: str) -> list[Json]:
    if not isinstance(value, list):
        raise fail(f"{where} must be a list, got {type_word(value)}")
    return value


def _check_index(value: Json, where: str) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise fail(f"{where} must be an integer or null, got {type_word(value)}")


def _check_group(group: Json, where: str) -> None:
    if not isinstance(group, dict):
        raise fail(f"{where} must be a dictionary, got {type_word(group)}")
    _check_index(group.get("aggregation_group_type_index"), f"{where}.aggregation_group_type_index")
    if group.get("rollout_percentage") is not None:
        _check_percentage(group["rollout_percentage"], f"{where}.rollout_percentage", "number or null")
    variant = group.get("variant")
    if variant is not None and not isinstance(variant, str):
        raise fail(f"{where}.variant must be a string or null, got {type_word(variant)}")
    properties = group.get("properties")
    if properties is not None:
        for position, item in enumerate(_list(properties, f"{where}.properties")):
            _check_property(item, f"{where}.properties[{position}]")


def _check_percentage(value: Json, where: str, wanted: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise fail(f"{where} must be a {wanted}, got {type_word(value)}")
    if not math.isfinite(value):
        raise fail(f"{where} must be finite, got {value}")
    if not 0 <= value <= 100:
        raise fail(f"{where} must be between 0 and 100, got {value}")


def _check_property(item: Json, where: str) -> None:
    if not isinstance(item, dict):
        raise fail(f"{where} must be a dictionary, got {type_word(item)}")
    operator = item.get("operator")
    if operator is not None and (not isinstance(operator, str) or operator not in OPERATORS):
        raise fail(f"{where}.operator: unsupported operator for feature flags")
    key = item.get("key")
    if key is None or key == "" or isinstance(key, bool | dict | list):
        raise fail(f"{where}.key: a property key is required")
    if not isinstance(item.get("type"), str) or item["type"] not in PROPERTY_TYPES:
        raise fail(f"{where}.type: invalid property type")
    _check_index(item.get("group_type_index"), f"{where}.group_type_index")


def _check_multivariate(multivariate: Json) -> None:
    if multivariate is None:
        return
    if not isinstance(multivariate, dict):
        raise fail(f"multivariate must be a dictionary or null, got {type_word(multivariate)}")
    variants = multivariate.get("variants")
    if not isinstance(variants, list):
        raise fail("multivariate.variants must be a list")
    for position, variant in enumerate(variants):
        where = f"multivariate.variants[{position}]"
        if not isinstance(variant, dict):
            raise fail(f"{where} must be a dictionary, got {type_word(variant)}")
        if not isinstance(variant.get("key"), str) or not variant["key"]:
            raise fail(f"{where}.key must be a string")
        _check_percentage(variant.get("rollout_percentage"), f"{where}.rollout_percentage", "number")


def _check_holdout(holdout: Json) -> None:
    if holdout is None:
        return
    if not isinstance(holdout, dict):
        raise fail(f"holdout must be a dictionary or null, got {type_word(holdout)}")
    number, share = holdout.get("id"), holdout.get("exclusion_percentage")
    if isinstance(number, bool) or not isinstance(number, int):
        raise fail("holdout.id must be an integer")
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise fail("holdout.exclusion_percentage must be a number")


def _check_payloads(payloads: Json, sent: bool) -> None:
    if payloads is None and sent:
        return
    if not isinstance(payloads, dict):
        raise fail("Payloads must be passed as a dictionary")
    for name, payload in payloads.items():
        if isinstance(payload, str) and not is_json(payload):
            raise fail(f"Payload for key '{name}' is not valid JSON.")


def is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True

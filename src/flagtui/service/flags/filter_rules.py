"""Rules across the fields of filters. Each fault has an older sentence and a newer rule code."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime

import msgspec

from flagtui.service.errors import Json, invalid
from flagtui.service.flags.status import groups_of, variants_of

_STRINGS = frozenset(
    (
        *("icontains", "not_icontains", "regex", "not_regex", "gt", "gte", "lt", "lte"),
        *("starts_with", "not_starts_with", "ends_with", "not_ends_with"),
    )
)
_GROUP_PROPERTIES_ONLY = "Filters are not valid (can only use group properties)"
_LISTS = ("icontains_multi", "not_icontains_multi")
_DATES = ("is_date_exact", "is_date_before", "is_date_after")
_RELATIVE = re.compile(r"-?\d+[hdwmy]")
_SEMVER = re.compile(r"v?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_SEMVER_WILDCARD = re.compile(r"v?(\d+|\*)(\.(\d+|\*)){0,2}")


class Breach(msgspec.Struct, frozen=True):
    """A broken rule: `rule` and `detail` as of the newest servers, `code` and `older` as before.

    `older` None: older servers let it pass.
    """

    rule: str
    detail: str
    older: str | None
    code: str = "invalid_input"
    oldest: str | None = None
    """The sentence of servers of 2025, if it is another."""


def check_rules(filters: Mapping[str, Json], *, strict: bool, is_older: bool = False) -> None:
    """Raise the first broken rule; `strict` raises the newest codes, `is_older` the oldest sentences."""
    for breach in _breaches(filters):
        if strict:
            raise invalid(breach.detail, "filters", f"cross_field.{breach.rule}")
        if breach.older is not None:
            detail = breach.oldest if is_older and breach.oldest else breach.older
            raise invalid(detail, "filters", breach.code)


def check_list_lengths(filters: Mapping[str, Json], longest: int) -> None:
    """Raise for more than `longest` values in one list of a property."""
    for group in groups_of(filters):
        for item in group.get("properties") or ():
            value = item.get("value")
            if isinstance(value, list) and len(value) > longest:
                raise invalid(
                    f"Property group expressions of type {item.get('key')} cannot contain more than "
                    f"{longest} values.",
                    "filters",
                )


def _breaches(filters: Mapping[str, Json]) -> Iterator[Breach]:
    yield from _variant_breaches(filters)
    yield from _payload_breaches(filters)
    for position, group in enumerate(groups_of(filters)):
        yield from _group_breaches(filters, group, f"groups[{position}]")


def _variant_breaches(filters: Mapping[str, Json]) -> Iterator[Breach]:
    variants = variants_of(filters)
    total = sum(variant["rollout_percentage"] for variant in variants)
    if variants and not math.isclose(total, 100, abs_tol=0.01):
        yield Breach(
            "variant_rollout_sum_not_100",
            f"multivariate.variants: Variant rollout percentages must sum to 100, got {total:g}.",
            "Invalid variant definitions: Variant rollout percentages must sum to 100.",
        )
    keys = [variant["key"] for variant in variants]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        detail = f"multivariate.variants: Variant keys must be unique, duplicated: {', '.join(twice)}."
        yield Breach("variant_keys_not_unique", detail, None)


def _payload_breaches(filters: Mapping[str, Json]) -> Iterator[Breach]:
    keys = {variant["key"] for variant in variants_of(filters)}
    for name in filters.get("payloads") or {}:
        if keys and name not in keys:
            yield Breach(
                "payload_key_not_a_variant",
                f"payloads.{name}: Payload key '{name}' does not match any variant key.",
                "Payload keys must match a variant key for multivariate flags",
            )
        if not keys and name != "true":
            yield Breach(
                "payload_key_not_true",
                f"payloads.{name}: Payload key '{name}' is invalid: "
                "boolean flags only support the 'true' key.",
                "Payload keys must be 'true' for boolean flags",
            )


def _group_breaches(filters: Mapping[str, Json], group: Mapping[str, Json], where: str) -> Iterator[Breach]:
    variant = group.get("variant")
    if variant and variant not in {item["key"] for item in variants_of(filters)}:
        yield Breach(
            "group_variant_not_a_variant",
            f"{where}.variant: Variant override '{variant}' does not match any variant key.",
            "Filters are not valid (variant override does not exist)",
        )
    index = group.get("aggregation_group_type_index", filters.get("aggregation_group_type_index"))
    for position, item in enumerate(group.get("properties") or []):
        place = f"{where}.properties[{position}]"
        yield from _aggregation_breaches(item, index, place)
        yield from _operator_breaches(item, place)


def _aggregation_breaches(item: Mapping[str, Json], index: int | None, where: str) -> Iterator[Breach]:
    if index is None:
        if item["type"] == "group":
            yield Breach(
                "person_aggregation_property_type",
                f"{where}: Person-aggregated conditions can only use person, cohort, and flag properties.",
                "Filters are not valid "
                "(person-aggregated conditions can only use person, cohort, and flag properties)",
                oldest="Filters are not valid (can only use person, cohort, and flag properties)",
            )
        return
    if item["type"] != "group":
        yield Breach(
            "group_aggregation_property_type",
            f"{where}: Group-aggregated conditions can only use group properties.",
            "Filters are not valid (group-aggregated conditions can only use group properties)",
            oldest=_GROUP_PROPERTIES_ONLY,
        )
    elif item.get("group_type_index") != index:
        yield Breach(
            "group_property_type_index_mismatch",
            f"{where}: Group properties must match the condition set's group type.",
            "Filters are not valid (group properties must match the condition set's group type)",
            oldest=_GROUP_PROPERTIES_ONLY,
        )


def _operator_breaches(item: Mapping[str, Json], where: str) -> Iterator[Breach]:
    operator, kind = item.get("operator") or "exact", item["type"]
    if kind == "flag":
        if operator != "flag_evaluates_to":
            yield Breach(
                "flag_property_requires_flag_evaluates_to",
                f"{where}.operator: Flag properties must use the 'flag_evaluates_to' operator.",
                "Flag properties must use the 'flag_evaluates_to' operator",
            )
        return
    if operator in ("in", "not_in") and kind != "cohort":
        yield Breach(
            "in_not_in_requires_cohort",
            f"{where}.operator: Operator {operator} is only supported on cohort properties.",
            f"The '{operator}' operator is only valid for cohort properties, not '{kind}' properties.",
            "invalid_operator",
        )
    yield from _value_breaches(operator, item.get("value"), f"{where}.value")


def _value_breaches(operator: str, value: Json, where: str) -> Iterator[Breach]:
    if operator in _DATES and not is_date(value):
        text = f"Invalid date value: {value}"
        yield Breach("date_value_not_parseable", f"{where}: {text}.", text, "invalid_date")
    if operator in _STRINGS and not isinstance(value, str):
        yield Breach(
            "operator_requires_string_value",
            f"{where}: Operator {operator} requires a string value.",
            f"Invalid value for operator {operator}: {value!r}",
            "invalid_value",
        )
    if operator in _LISTS and not isinstance(value, list):
        yield Breach(
            "operator_requires_list_value",
            f"{where}: Operator {operator} requires a list of values.",
            f"{operator} operator requires a list of values",
            "invalid_value",
        )
    if operator.startswith("semver_") and not is_semver(operator, value):
        text = f"Invalid semver value for operator {operator}: {value}"
        yield Breach("semver_value_invalid", f"{where}: {text}.", text, "invalid_value")


def is_date(value: Json) -> bool:
    """Return whether a filter can compare with it: an absolute date or a relative one such as -7d."""
    if not isinstance(value, str):
        return False
    if _RELATIVE.fullmatch(value):
        return True
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_semver(operator: str, value: Json) -> bool:
    """Return whether the operator can compare with it; only the wildcard operator accepts ``*``."""
    pattern = _SEMVER_WILDCARD if operator == "semver_wildcard" else _SEMVER
    return isinstance(value, str) and pattern.fullmatch(value.strip()) is not None

"""Validate a property of a condition: which operator goes with which type and value."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from flagtui.evaluate.pattern_budget import is_malformed
from flagtui.models.json_value import JSON, as_id

TYPES: Final = ("person", "cohort", "group", "flag", "person_metadata")
TEXT_OPERATORS: Final = frozenset(
    ("icontains", "not_icontains", "regex", "not_regex", "gt", "gte", "lt", "lte", "min", "max")
) | frozenset(("starts_with", "not_starts_with", "ends_with", "not_ends_with"))
LIST_OPERATORS: Final = frozenset(("icontains_multi", "not_icontains_multi"))
DATE_OPERATORS: Final = frozenset(("is_date_exact", "is_date_before", "is_date_after"))
NOT_STORED: Final = DATE_OPERATORS | {"regex", "not_regex"}
"""Operators whose values are dates or patterns, and not values that a property has."""
SEMVER_OPERATORS: Final = frozenset(
    f"semver_{name}" for name in ("eq", "neq", "gt", "gte", "lt", "lte", "tilde", "caret", "wildcard")
)
COHORT_OPERATORS: Final = frozenset(("in", "not_in"))
PRESENCE_OPERATORS: Final = frozenset(("is_set", "is_not_set"))
FLAG_OPERATOR: Final = "flag_evaluates_to"
NEW_FLAG: Final = "new:"
"""Begins the name of a flag that the same change set creates; its number replaces the name before sending."""
OPERATORS: Final = (
    frozenset(("exact", "is_not", FLAG_OPERATOR))
    | TEXT_OPERATORS
    | LIST_OPERATORS
    | DATE_OPERATORS
    | SEMVER_OPERATORS
    | COHORT_OPERATORS
    | PRESENCE_OPERATORS
)
VALUES_LIMIT: Final = 1000
"""Values in one list, on servers that count them."""

_RELATIVE_DATE: Final = re.compile(r"-?\d{1,6}[hdwmy]")
_SEMVER: Final = re.compile(r"v?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_SEMVER_WILDCARD: Final = re.compile(r"v?\d+(\.\d+)?(\.\*)?|v?\d+\.\d+\.\d+")

Problems = Iterator[tuple[str, str]]
"""A field of the property, or nothing for the whole property, and the problem."""


def problems_in_property(item: JSON, group_type: int | None, flag_id: int | None) -> Problems:
    """Return the problems of a property of a condition on users (`group_type` None) or on groups."""
    if not isinstance(item, dict):
        yield "", "must be an object"
        return
    key, kind = item.get("key"), item.get("type")
    operator = item.get("operator") or "exact"
    if key in (None, "") or not isinstance(key, str | int) or isinstance(key, bool):
        yield "key", "a property key is required"
    if kind not in TYPES:
        yield "type", f"must be one of {', '.join(TYPES[:4])}"
        return
    if not isinstance(operator, str) or operator not in OPERATORS:
        yield "operator", f"there is no operator {operator}"
        return
    yield from _aggregation(item, kind, group_type)
    if kind == "flag":
        yield from _dependency(item, operator, flag_id)
    elif kind == "cohort":
        yield from _cohort(item, operator)
    else:
        yield from _operator(item.get("value"), operator)


def _aggregation(item: dict[str, JSON], kind: str, group_type: int | None) -> Problems:
    if group_type is None:
        if kind == "group":
            yield "", "a condition on users can use person, cohort and flag properties only"
    elif kind != "group":
        yield "", "a condition on groups can use group properties only"
    elif item.get("group_type_index") != group_type:
        yield "group_type_index", "must be the group type of the condition"


def _dependency(item: dict[str, JSON], operator: str, flag_id: int | None) -> Problems:
    key = item.get("key")
    dependency = as_id(key)
    if dependency is None:
        if not (isinstance(key, str) and key.startswith(NEW_FLAG)):
            yield "key", "a dependency names a flag by its id"
    elif dependency == flag_id:
        yield "key", "a flag cannot depend on itself"
    if operator != FLAG_OPERATOR:
        yield "operator", f"must be {FLAG_OPERATOR} for a flag"
    if not isinstance(item.get("value"), bool | str):
        yield "value", "must be true, false or a variant's key"


def _cohort(item: dict[str, JSON], operator: str) -> Problems:
    if item.get("key") != "id":
        yield "key", "must be `id` for a cohort"
    if operator not in ("in", "not_in", "exact"):
        yield "operator", "must be in or not_in for a cohort"
    if as_id(item.get("value")) is None:
        yield "value", "must be a cohort's id"


def _operator(value: JSON, operator: str) -> Problems:
    if operator == FLAG_OPERATOR:
        yield "operator", f"{operator} is for flags only"
    elif operator in COHORT_OPERATORS:
        yield "operator", f"{operator} is for cohorts only"
    elif operator not in PRESENCE_OPERATORS:
        for words in _value(value, operator):
            yield "value", words


def _value(value: JSON, operator: str) -> Iterator[str]:
    if value is None:
        yield f"{operator} needs a value"
    elif operator in LIST_OPERATORS and not isinstance(value, list):
        yield f"{operator} needs a list"
    elif operator in TEXT_OPERATORS and not isinstance(value, str):
        yield f"{operator} needs text, also for a number"
    elif operator in ("regex", "not_regex") and is_malformed(value):
        yield "is not a valid pattern"
    elif operator in DATE_OPERATORS and not _is_date(value):
        yield "must be a date such as 2026-03-01, or a time ago such as -7d"
    elif operator in SEMVER_OPERATORS and not _is_version(value, operator):
        yield "must be a version such as 1.2.3"
    elif isinstance(value, list) and len(value) > VALUES_LIMIT:
        yield f"has {len(value):,} values; older servers take {VALUES_LIMIT:,}"


def is_read(read: Callable[[str], object], text: str) -> bool:
    """Return whether this function can read the text: JSON, a pattern, a date."""
    try:
        read(text)
    except (ValueError, re.error, RecursionError, OverflowError):
        return False
    return True


def _is_date(value: JSON) -> bool:
    if not isinstance(value, str):
        return False
    return _RELATIVE_DATE.fullmatch(value) is not None or is_read(datetime.fromisoformat, value)


def _is_version(value: JSON, operator: str) -> bool:
    shape = _SEMVER_WILDCARD if operator == "semver_wildcard" else _SEMVER
    return isinstance(value, str) and shape.fullmatch(value) is not None


MANY: Final = LIST_OPERATORS | {"exact", "is_not"}
"""Operators that take several values."""


def needs_value(operator: str) -> bool:
    """Return whether the operator needs a value."""
    return operator not in PRESENCE_OPERATORS


def typed_value(line: str, kind: str, operator: str) -> JSON:
    """Parse a line as JSON: several values with commas, or as a JSON list when one has a comma."""
    text = line.strip()
    if kind == "cohort":
        number = as_id(text)
        return text if number is None else number
    if operator not in MANY:
        return text
    if text.startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return listed if isinstance(listed, list) else None
    return [value for piece in text.split(",") if (value := piece.strip())] or None


def value_line(value: JSON) -> str:
    """Return the line for a stored value."""
    if isinstance(value, str):
        return value if value.isprintable() else json.dumps(value)
    if isinstance(value, list) and all(_is_plain(item) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value)


def value_problem(item: dict[str, JSON], group_type: int | None, flag_id: int | None) -> str:
    """Describe the problem of the property's value; empty for a valid one."""
    if item.get("value") in (None, "", []) and needs_value(str(item.get("operator"))):
        return "type a value; several with commas" if item.get("operator") in MANY else "type a value"
    problems = problems_in_property(item, group_type, flag_id)
    return next((words for name, words in problems if name in ("value", "key")), "")


def _is_plain(item: JSON) -> bool:
    is_text = isinstance(item, str) and item.isprintable() and item.strip() == item != ""
    return is_text and "," not in item and not item.startswith("[")

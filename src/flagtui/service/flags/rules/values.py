"""Values, percentages and property filters in documents of version 2, with the server's error texts."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from flagtui.service.bodies import is_number
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.flags.filter_rules import is_date, is_semver
from flagtui.service.flags.filter_shapes import OPERATORS

MOST_PROPERTIES: Final = 100
_LARGEST: Final = 2**53 - 1
_DEEPEST: Final = 20
_RANGE: Final = f"from -{_LARGEST} to {_LARGEST}"
_VALUE_FAULTS: Final = {
    "boolean": "Must be true or false",
    "string": "Must be a non-empty string",
    "number": f"Must be a number {_RANGE}",
    "object": f"Must be an object at most {_DEEPEST} levels deep with numbers {_RANGE}",
}
RETURN_TYPES: Final = tuple(_VALUE_FAULTS)
_RESERVED: Final = ("$false", "$true")
_PROPERTY_TYPES: Final = ("person", "cohort", "group", "flag")
_PROPERTY_FIELDS: Final = frozenset(
    (
        *("key", "type", "operator", "value", "negation", "group_type_index"),
        *("cohort_name", "group_key_names", "label"),
    )
)
_OTHER_TYPES_ONLY: Final = ("in", "not_in", "flag_evaluates_to")
_OPERATORS: Final = OPERATORS - {"min", "max"}
_OF_STRINGS: Final = re.compile(r"(not_)?(regex|icontains|starts_with|ends_with)")


def fault(place: str, detail: str, code: str = "invalid_input") -> Fault:
    """Build the 400 for one place of the document, such as `filters__rules__0__value`."""
    return invalid(detail, place, code)


def require_object(
    value: Json, place: str, required: tuple[str, ...] = (), optional: tuple[str, ...] | None = ()
) -> dict[str, Json]:
    """Return the object; raise for another type, an unknown field (`optional` None: any) or a missing one."""
    if not isinstance(value, dict):
        raise fault(place, "Must be an object.")
    for name in value:
        if optional is not None and name not in (*required, *optional):
            raise fault(f"{place}__{name}", "Unknown field.", "unknown_field")
    for name in required:
        if name not in value:
            raise fault(f"{place}__{name}", "This field is required.", "required")
    return value


def require_list(value: Json, place: str, most: int, detail: str) -> list[Json]:
    if not isinstance(value, list):
        raise fault(place, "Must be an array.")
    if len(value) > most:
        raise fault(place, detail, "limit_exceeded")
    return value


def require_text(holder: Mapping[str, Json], name: str, place: str) -> str:
    value = holder[name]
    if not isinstance(value, str):
        raise fault(f"{place}__{name}", "Must be a string.")
    return value


def check_value(value: Json, kind: str, place: str, *, or_null: bool = False) -> None:
    """Raise unless the value has the flag's return type; a default may be null."""
    if (value is None and or_null) or _has_type(value, kind):
        return
    raise fault(place, _VALUE_FAULTS[kind] + (", or null." if or_null else "."))


def check_not_reserved(value: Json, place: str) -> None:
    if value in _RESERVED:
        raise fault(place, "Must be a non-empty string other than $false or $true.")


def _has_type(value: Json, kind: str) -> bool:
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str) and value != ""
        case "number":
            return _is_in_range(value)
        case _:
            return isinstance(value, dict) and _is_within(value, 1)


def _is_in_range(value: Json) -> bool:
    return is_number(value) and abs(value) <= _LARGEST


def _is_within(value: Json, level: int) -> bool:
    """Return whether containers are at most 20 levels deep and every number is in range."""
    if isinstance(value, dict | list):
        members = value.values() if isinstance(value, dict) else value
        return level <= _DEEPEST and all(_is_within(member, level + 1) for member in members)
    return value is None or isinstance(value, bool | str) or _is_in_range(value)


def check_percentage(holder: Mapping[str, Json], name: str, place: str) -> None:
    """Raise unless the field is a percentage with at most 2 decimals."""
    value, place = holder[name], f"{place}__{name}"
    if not is_number(value):
        raise fault(place, "Must be a finite number.")
    if not 0 <= value <= 100:
        raise fault(place, "Must be between 0 and 100.")
    if Decimal(str(value)) % Decimal("0.01"):
        raise fault(place, "Must have at most 2 decimal places.")


def check_targeting(value: Json, place: str) -> None:
    """Raise the first fault of a rule's property filters; only filters on person properties are accepted."""
    targeting = require_object(value, place, ("properties",))
    place = f"{place}__properties"
    detail = f"At most {MOST_PROPERTIES} properties are allowed per rule."
    for index, item in enumerate(require_list(targeting["properties"], place, MOST_PROPERTIES, detail)):
        _check_property(item, f"{place}__{index}")


def _check_property(value: Json, place: str) -> None:
    item = require_object(value, place, ("key", "type"), tuple(_PROPERTY_FIELDS))
    if not require_text(item, "key", place):
        raise fault(f"{place}__key", "Must be a non-empty string.")
    kind, operator = item["type"], item.get("operator")
    operator = "exact" if operator is None else operator
    if kind not in _PROPERTY_TYPES:
        raise fault(f"{place}__type", "Must be person, cohort, group or flag.")
    if kind != "person":
        detail = f"Targeting by {kind} is not available yet. Only person properties are available."
        raise fault(f"{place}__type", detail, "unsupported")
    if operator in _OTHER_TYPES_ONLY:
        raise fault(f"{place}__operator", "Only cohort or flag properties use this operator.")
    if not isinstance(operator, str) or operator not in _OPERATORS:
        raise fault(f"{place}__operator", "Unknown operator.")
    if not isinstance(item.get("negation"), bool | None):
        raise fault(f"{place}__negation", "Must be true or false.")
    if (operand_fault := _operand_fault(operator, item.get("value"))) is not None:
        raise fault(f"{place}__value", operand_fault)


def _operand_fault(operator: str, value: Json) -> str | None:
    if _OF_STRINGS.fullmatch(operator):
        return None if isinstance(value, str) else "Must be a string."
    if operator.endswith("_multi"):
        return None if isinstance(value, list) else "Must be an array."
    if operator in ("gt", "gte", "lt", "lte"):
        return None if isinstance(value, str) or is_number(value) else "Must be a number or a string."
    if operator.startswith("semver_"):
        return None if is_semver(operator, value) else "Must be a semver string."
    if operator.startswith("is_date_"):
        return None if is_date(value) else "Must be a date."
    return None

"""Describe what a condition requires of a property, with the required values.

Every value is distinct from the others: an empty text is seen, and text with a comma is no list. Where not
all of them have room, the words count the rest.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from flagtui.evaluate.text import is_boolean_like, is_truthy

OPERATOR_WORDS: Final[Mapping[str, str]] = {
    "exact": "is",
    "is_not": "is not",
    "icontains": "contains",
    "not_icontains": "does not contain",
    "icontains_multi": "contains any of",
    "not_icontains_multi": "contains none of",
    "starts_with": "starts with",
    "not_starts_with": "does not start with",
    "ends_with": "ends with",
    "not_ends_with": "does not end with",
    "regex": "matches",
    "not_regex": "does not match",
    "gt": ">",
    "gte": "≥",
    "lt": "<",
    "lte": "≤",
    "between": "is from",
    "not_between": "is outside",
    "min": "≥",
    "max": "≤",
    "is_set": "is set",
    "is_not_set": "is not set",
    "is_date_exact": "is exactly",
    "is_date_before": "is before",
    "is_date_after": "is after",
    "semver_eq": "is version",
    "semver_neq": "is not version",
    "semver_gt": "is a version above",
    "semver_gte": "is at least version",
    "semver_lt": "is a version below",
    "semver_lte": "is at most version",
    "semver_tilde": "is a patch of version",
    "semver_caret": "is compatible with version",
    "semver_wildcard": "is a version like",
}
"""What a property can be asked for; cohorts and flags have words of their own."""
SEVERAL_WORDS: Final[Mapping[str, str]] = {"exact": "is any of", "is_not": "is none of"}
"""The same where several values are asked for."""
RANGES: Final = frozenset(("between", "not_between"))
"""Both ends count as inside. Only newer servers know these, and no library does."""
WITHOUT_VALUE: Final = frozenset(("is_set", "is_not_set"))
COHORT_WORDS: Final[Mapping[str, str]] = {"exact": "is in", "in": "is in", "not_in": "is not in"}


def property_name(key: str, type_: str) -> str:
    """Return the name of a property, or of the product's own data about the person with the same name."""
    return f"the person's own {key}" if type_ == "person_metadata" else key


def operator_words(operator: str, value: object) -> str | None:
    """Return the words between a property and its value; None for an unknown operator."""
    several = SEVERAL_WORDS if isinstance(value, list) and len(value) > 1 else {}
    return several.get(operator) or OPERATOR_WORDS.get(operator)


ROOM: Final = 120
"""Characters of all values together that a sentence has room for."""
_LISTING: Final = frozenset(("exact", "is_not", "icontains_multi", "not_icontains_multi", "in", "not_in"))
"""Operators that look at each value of a list; the others take a list for one text."""
_SEVERAL: Final = frozenset(("icontains_multi", "not_icontains_multi"))
"""Operators whose words imply several values, even where there is one."""


def asked_words(operator: str, value: Any, matching_version: int = 1) -> tuple[str, str]:
    """Return the words after a property, and its values: `is any of`, `DE, FR`. Raw.

    The words are empty for an unknown operator, the values where the operator needs none.
    """
    if operator in WITHOUT_VALUE:
        return operator_words(operator, value) or "", ""
    if operator in ("exact", "is_not") and (words := _about_truth(operator, value, matching_version)):
        return words, ""
    distance = _distance_words(value) if operator.startswith("is_date_") else ""
    return operator_words(operator, value) or "", distance or list_values(value, operator)


_DISTANCE: Final = re.compile(r"-?([0-9]{1,4})([hdwmy])")
_UNITS: Final = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}


def _distance_words(value: Any) -> str:
    """Return `7 days ago` for `-7d`; empty for a date."""
    match = _DISTANCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return ""
    count = int(match[1])
    return f"{count:,} {_UNITS[match[2]]}{'' if count == 1 else 's'} ago"


def list_values(value: Any, operator: str = "exact", room: int = ROOM) -> str:
    """List the values that have room, and count the others: `DE, FR`, `18 to 65`, `a, b and 2,498 more`."""
    if operator in RANGES and isinstance(value, list):
        return " to ".join(_item_words(item, room) for item in value) or "[]"
    if operator in _SEVERAL and isinstance(value, str):
        return _item_words(value, room)
    if operator not in _LISTING or not isinstance(value, list):
        return cut(value if isinstance(value, str) and not _is_unclear(value) else compact(value), room)
    shown: list[str] = []
    for item in value:
        text = _item_words(item, room)
        if shown and sum(map(len, shown)) + 2 * len(shown) + len(text) > room:
            break
        shown.append(text)
    more = len(value) - len(shown)
    return (", ".join(shown) or "[]") + (f" and {more:,} more" if more else "")


def cut(text: str, room: int) -> str:
    """Return the text, or its beginning and how much is omitted."""
    left = len(text) - room
    return text if left <= 0 else f"{text[:room]}… ({left:,} more character{'' if left == 1 else 's'})"


def compact(value: Any) -> str:
    """Return the value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _about_truth(operator: str, value: Any, matching_version: int) -> str:
    """Describe an operator with only true and false: servers then check whether the property is true.

    From matching version 2 on they do that for an empty list alone. Empty where the usual words are right.
    """
    values = list_values(value)
    if value == []:
        return f"is{'' if operator == 'exact' else ' not'} true (no value is listed)"
    if matching_version == 2 or not is_boolean_like(value) or is_truthy(value):
        return ""
    return f"{'is anything but true' if operator == 'exact' else 'is true or not set'} ({values} is required)"


def _item_words(item: Any, room: int) -> str:
    """Format a value, in quotes where it could be read as several, as none or as other JSON."""
    if not isinstance(item, str):
        return cut(compact(item), room)
    return cut(json.dumps(item, ensure_ascii=False) if "," in item or _is_unclear(item) else item, room)


def _is_unclear(text: str) -> bool:
    return text != text.strip() or text == "null" or text[:1] in ('"', "[", "{", "")

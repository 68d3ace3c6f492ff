"""Operators as people read them: in sentences, in reasons and in differences alike."""

from collections.abc import Mapping
from typing import Final

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
    "is_date_exact": "is on",
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
    """What is asked about: a property, or what the product itself knows of the person under the same name."""
    return f"the person's own {key}" if type_ == "person_metadata" else key


def operator_words(operator: str, value: object) -> str | None:
    """The words between a property and its value; None for an unknown operator."""
    several = SEVERAL_WORDS if isinstance(value, list) and len(value) > 1 else {}
    return several.get(operator) or OPERATOR_WORDS.get(operator)

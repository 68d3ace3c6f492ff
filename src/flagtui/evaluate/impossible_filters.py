"""Find property filters that can never match, since the server cannot use the value they compare with."""

from typing import Any, Final

from flagtui.evaluate.operator_words import WITHOUT_VALUE
from flagtui.evaluate.operators import COMPARISONS, UNUSABLE
from flagtui.evaluate.run import Manner

_PATTERN: Final = 64
"""The longest pattern that is checked, in characters: compiling longer ones can take long."""
_FIRST: Final = 100
_VALID: Final = {"is_date": "2024-01-01", "semver": "1.0.0"}
"""By the beginning of an operator: a property that it can compare; every other operator compares numbers."""


def can_match(operator: str, value: Any) -> bool:
    """Return whether any property can match; True also for operators that are not known.

    The rule is the evaluator's own: without a value, or with one that it finds unusable, nothing matches,
    and neither does an invalid pattern, negated or not.
    """
    comparison = COMPARISONS.get(operator)
    if comparison is None or operator in WITHOUT_VALUE:
        return True
    if value is None:
        return False
    if operator in ("regex", "not_regex"):
        if not isinstance(value, str) or len(value) > _PATTERN:
            return True
        # Only an invalid pattern matches neither as it is nor negated.
        return any(COMPARISONS[each](value, "", Manner()) is not False for each in ("regex", "not_regex"))
    if isinstance(value, list):
        # The first elements show whether a list can be used; there can be tens of thousands.
        value = value[:_FIRST]
    actual = next((valid for start, valid in _VALID.items() if operator.startswith(start)), "1")
    return comparison(value, actual, Manner()) is not UNUSABLE

"""Comparisons that the server and its libraries make alike: of equality and of parts of a text."""

from collections.abc import Callable
from typing import Any, Final

from flagtui.evaluate.manner import Manner
from flagtui.evaluate.text import is_boolean_like, is_truthy, lowered, written
from flagtui.evaluate.unknown import Unknown, Verdict, Why

Comparison = Callable[[Any, Any, Manner], Verdict]
"""What a condition wants, what a property is, and the manner; Unknown where either cannot be compared."""

UNUSABLE: Final = Unknown(Why.FILTER_UNUSABLE)
UNREADABLE: Final = Unknown(Why.PROPERTY_UNREADABLE)


def exact(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    try:
        actual_text = written(actual).lower()
    except ValueError:
        return UNREADABLE
    if wanted == []:
        return is_truthy(actual)
    if manner.matching_version != 2 and is_boolean_like(wanted):
        return is_truthy(wanted) == is_truthy(actual)
    candidates = wanted if isinstance(wanted, list) else [wanted]
    try:
        return actual_text in [written(candidate).lower() for candidate in candidates]
    except ValueError:
        return UNUSABLE


def contains(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: part in whole)


def starts(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: whole.startswith(part))


def ends(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: whole.endswith(part))


def contains_any(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    parts = wanted if isinstance(wanted, list) else [wanted]
    found = [contains(part, actual, manner) for part in parts]
    unknown = next((verdict for verdict in found if isinstance(verdict, Unknown)), None)
    return unknown or any(found)


def negated(comparison: Comparison) -> Comparison:
    def opposite(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        verdict = comparison(wanted, actual, manner)
        return verdict if isinstance(verdict, Unknown) else not verdict

    return opposite


def _by_text(wanted: Any, actual: Any, holds: Callable[[str, str], bool]) -> Verdict:
    try:
        whole = lowered(actual)
    except ValueError:
        return UNREADABLE
    try:
        return holds(lowered(wanted), whole)
    except ValueError:
        return UNUSABLE


TEXTS: Final[dict[str, Comparison]] = {
    "exact": exact,
    "is_not": negated(exact),
    "is_set": lambda wanted, actual, manner: True,
    "is_not_set": lambda wanted, actual, manner: False,
    "icontains": contains,
    "not_icontains": negated(contains),
    "icontains_multi": contains_any,
    "not_icontains_multi": negated(contains_any),
    "starts_with": starts,
    "not_starts_with": negated(starts),
    "ends_with": ends,
    "not_ends_with": negated(ends),
}

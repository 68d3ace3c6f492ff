"""Every operator as the server compares with it.

Unknown here means that the server takes it for a no, or that only the server can tell: see ``Why``.
"""

from collections.abc import Callable
from math import isnan
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, TypeVar

from flagtui.evaluate.dates import instant, wanted_instant
from flagtui.evaluate.evaluation import Unknown, UnsupportedPatternError, Verdict, Why
from flagtui.evaluate.patterns import TooCostlyError, matches
from flagtui.evaluate.run import Manner
from flagtui.evaluate.text import is_boolean_like, is_truthy, lowered, number, written
from flagtui.evaluate.versions import Range, Version, caret, is_within, tilde, version, wildcard

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


Limit = TypeVar("Limit")


def _matches(is_expected: bool) -> Comparison:
    """A wrong pattern matches nobody, negated or not."""

    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        try:
            whole = written(actual)
        except ValueError:
            return UNREADABLE
        try:
            found = matches(written(wanted), whole)
        except UnsupportedPatternError:
            return Unknown(Why.PATTERN_UNSUPPORTED, written(wanted))
        except TooCostlyError:
            return Unknown(Why.PATTERN_COSTLY, written(wanted))
        return found is is_expected

    return comparison


def _numeric(holds: Callable[[float, float], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        limit, value = number(wanted), number(actual)
        if limit is None:
            return UNUSABLE
        return value is not None and holds(value, limit)

    return comparison


def _between(is_inside: bool) -> Comparison:
    """Both ends count as inside. Not-a-number is neither inside nor outside."""

    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        bounds = [number(bound) for bound in wanted] if isinstance(wanted, list) else []
        if len(bounds) != 2 or bounds[0] is None or bounds[1] is None or not bounds[0] <= bounds[1]:
            return UNUSABLE
        value = number(actual)
        if value is None or isnan(value):
            return UNREADABLE
        return (bounds[0] <= value <= bounds[1]) is is_inside

    return comparison


def _dated(holds: Callable[[int, int], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        now, zone = manner.moment, manner.zone
        value = instant(actual, now, zone)
        if value is None:
            return UNREADABLE
        limit = wanted_instant(wanted, now, zone)
        return UNUSABLE if limit is None else holds(value, limit)

    return comparison


def _versioned(holds: Callable[[Version, Version], bool]) -> Comparison:
    return _by_version(version, holds)


def _within(read: Callable[[object], Range]) -> Comparison:
    return _by_version(read, lambda value, wanted: is_within(wanted, value))


def _by_version(read: Callable[[object], Limit], holds: Callable[[Version, Limit], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        try:
            value = version(actual)
        except ValueError:
            return UNREADABLE
        try:
            return holds(value, read(wanted))
        except ValueError:
            return UNUSABLE

    return comparison


COMPARISONS: Final[dict[str, Comparison]] = {
    **TEXTS,
    "regex": _matches(True),
    "not_regex": _matches(False),
    "gt": _numeric(gt),
    "gte": _numeric(ge),
    "lt": _numeric(lt),
    "lte": _numeric(le),
    "min": _numeric(ge),
    "max": _numeric(le),
    "between": _between(True),
    "not_between": _between(False),
    "is_date_exact": _dated(eq),
    "is_date_before": _dated(lt),
    "is_date_after": _dated(gt),
    "semver_eq": _versioned(eq),
    "semver_neq": _versioned(ne),
    "semver_gt": _versioned(gt),
    "semver_gte": _versioned(ge),
    "semver_lt": _versioned(lt),
    "semver_lte": _versioned(le),
    "semver_tilde": _within(tilde),
    "semver_caret": _within(caret),
    "semver_wildcard": _within(wildcard),
}

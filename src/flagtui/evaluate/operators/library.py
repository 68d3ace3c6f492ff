"""Every operator as the product's Python library compares with it; what it cannot tell is Unknown."""

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final, TypeVar

from flagtui.evaluate import text
from flagtui.evaluate.library import dates, patterns, versions
from flagtui.evaluate.manner import Manner
from flagtui.evaluate.operators.texts import TEXTS, UNREADABLE, UNUSABLE, Comparison
from flagtui.evaluate.unknown import Unknown, UnsupportedPatternError, Verdict, Why

Limit = TypeVar("Limit")


def compare(operator: str, wanted: Any, actual: Any, manner: Manner) -> Verdict:
    comparison = COMPARISONS.get(operator)
    return comparison(wanted, actual, manner) if comparison else Unknown(Why.OPERATOR_UNKNOWN, operator)


def _matches(is_expected: bool) -> Comparison:
    """A wrong pattern matches nobody, negated or not."""

    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        try:
            whole = text.written(actual)
        except ValueError:
            return UNREADABLE
        try:
            found = patterns.matches(str(wanted), whole)
        except UnsupportedPatternError:
            return Unknown(Why.PATTERN_UNSUPPORTED, str(wanted))
        return found is is_expected

    return comparison


def _numeric(holds: Callable[[float, float], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        limit, value = text.finite(wanted), text.finite(actual)
        if limit is None:
            return UNUSABLE
        return value is not None and holds(value, limit)

    return comparison


def _dated(holds: Callable[[datetime, datetime], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        limit = dates.wanted_moment(wanted, manner.moment)
        if limit is None:
            return UNUSABLE
        value = dates.moment(actual, manner.moment) if isinstance(actual, str) else None
        return UNREADABLE if value is None else holds(value, limit)

    return comparison


def _versioned(holds: Callable[[versions.Version, versions.Version], bool]) -> Comparison:
    return _by_version(versions.version, holds)


def _within(bounds: Callable[[object], versions.Bounds]) -> Comparison:
    return _by_version(bounds, lambda value, limits: limits[0] <= value < limits[1])


def _by_version(
    read: Callable[[object], Limit], holds: Callable[[versions.Version, Limit], bool]
) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        try:
            limit = read(wanted)
        except ValueError:
            return UNUSABLE
        try:
            return holds(versions.version(actual), limit)
        except ValueError:
            return UNREADABLE

    return comparison


COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        **{name: comparison for name, comparison in TEXTS.items() if not name.endswith("_multi")},
        "regex": _matches(True),
        "not_regex": _matches(False),
        "gt": _numeric(gt),
        "gte": _numeric(ge),
        "lt": _numeric(lt),
        "lte": _numeric(le),
        "is_date_before": _dated(lt),
        "is_date_after": _dated(gt),
        "semver_eq": _versioned(eq),
        "semver_neq": _versioned(ne),
        "semver_gt": _versioned(gt),
        "semver_gte": _versioned(ge),
        "semver_lt": _versioned(lt),
        "semver_lte": _versioned(le),
        "semver_tilde": _within(versions.within_patch),
        "semver_caret": _within(versions.within_compatible),
        "semver_wildcard": _within(versions.within_wildcard),
    }
)

"""Every operator as the product's Python library compares with it; what it cannot tell is Unknown."""

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final, TypeVar

from flagtui.evaluate.library.dates import moment, wanted_moment
from flagtui.evaluate.library.patterns import matches
from flagtui.evaluate.library.versions import (
    Bounds,
    Version,
    version,
    within_compatible,
    within_patch,
    within_wildcard,
)
from flagtui.evaluate.manner import Manner
from flagtui.evaluate.operators.texts import TEXTS, UNREADABLE, UNUSABLE, Comparison
from flagtui.evaluate.text import finite, written
from flagtui.evaluate.unknown import Unknown, UnsupportedPatternError, Verdict, Why

Limit = TypeVar("Limit")


def compare(operator: str, wanted: Any, actual: Any, manner: Manner) -> Verdict:
    comparison = COMPARISONS.get(operator)
    return comparison(wanted, actual, manner) if comparison else Unknown(Why.OPERATOR_UNKNOWN, operator)


def _matches(is_expected: bool) -> Comparison:
    """A wrong pattern matches nobody, negated or not."""

    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        try:
            whole = written(actual)
        except ValueError:
            return UNREADABLE
        try:
            found = matches(str(wanted), whole)
        except UnsupportedPatternError:
            return Unknown(Why.PATTERN_UNSUPPORTED, str(wanted))
        return found is is_expected

    return comparison


def _numeric(holds: Callable[[float, float], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        limit, value = finite(wanted), finite(actual)
        if limit is None:
            return UNUSABLE
        return value is not None and holds(value, limit)

    return comparison


def _dated(holds: Callable[[datetime, datetime], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        limit = wanted_moment(wanted, manner.moment)
        if limit is None:
            return UNUSABLE
        value = moment(actual, manner.moment) if isinstance(actual, str) else None
        return UNREADABLE if value is None else holds(value, limit)

    return comparison


def _versioned(holds: Callable[[Version, Version], bool]) -> Comparison:
    return _by_version(version, holds)


def _within(bounds: Callable[[object], Bounds]) -> Comparison:
    return _by_version(bounds, lambda value, limits: limits[0] <= value < limits[1])


def _by_version(read: Callable[[object], Limit], holds: Callable[[Version, Limit], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        try:
            limit = read(wanted)
        except ValueError:
            return UNUSABLE
        try:
            return holds(version(actual), limit)
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
        "semver_tilde": _within(within_patch),
        "semver_caret": _within(within_compatible),
        "semver_wildcard": _within(within_wildcard),
    }
)

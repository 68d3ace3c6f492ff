"""Every operator a condition can ask a property with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final, TypeVar

from flagtui.evaluate import dates, patterns, text, versions
from flagtui.evaluate.unknown import Unknown, Verdict, Why


@dataclass(frozen=True, slots=True)
class Manner:
    """What comparisons depend on besides the two values."""

    now: datetime | None = None
    matching_version: int = 1
    """From version 2 on, "true" and "false" in a condition are plain text to ``exact`` and ``is_not``."""

    @property
    def moment(self) -> datetime:
        return self.now or datetime.now(UTC)


Comparison = Callable[[Any, Any, Manner], Verdict]
Limit = TypeVar("Limit")

_UNUSABLE: Final = Unknown(Why.FILTER_UNUSABLE)
_UNREADABLE: Final = Unknown(Why.PROPERTY_UNREADABLE)
_ALIASES: Final = MappingProxyType({"min": "gte", "max": "lte"})


def compare(operator: str, wanted: Any, actual: Any, manner: Manner) -> Verdict:
    """Does a property that exists with the value ``actual`` satisfy the operator?"""
    comparison = COMPARISONS.get(known_name(operator))
    return comparison(wanted, actual, manner) if comparison else Unknown(Why.OPERATOR_UNKNOWN, operator)


def without_property(operator: str, wanted: Any) -> bool:
    """Does a person who certainly lacks the property satisfy the operator? As the server decides it."""
    if operator == "is_not_set":
        return True
    return wanted is not None and (operator == "is_not" or operator in _NEGATIONS)


def known_name(operator: str) -> str:
    return _ALIASES.get(operator, operator)


def is_known(operator: str) -> bool:
    return known_name(operator) in COMPARISONS


def _exact(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    try:
        actual_text = text.written(actual).lower()
    except ValueError:
        return _UNREADABLE
    if wanted == []:
        return text.is_truthy(actual)
    if manner.matching_version != 2 and text.is_boolean_like(wanted):
        return text.is_truthy(wanted) == text.is_truthy(actual)
    candidates = wanted if isinstance(wanted, list) else [wanted]
    try:
        return actual_text in [text.written(candidate).lower() for candidate in candidates]
    except ValueError:
        return _UNUSABLE


def _contains(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: part in whole)


def _starts(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: whole.startswith(part))


def _ends(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    return _by_text(wanted, actual, lambda part, whole: whole.endswith(part))


def _contains_any(wanted: Any, actual: Any, manner: Manner) -> Verdict:
    parts = wanted if isinstance(wanted, list) else [wanted]
    found = [_contains(part, actual, manner) for part in parts]
    unknown = next((verdict for verdict in found if isinstance(verdict, Unknown)), None)
    return unknown or any(found)


def _by_text(wanted: Any, actual: Any, holds: Callable[[str, str], bool]) -> Verdict:
    try:
        whole = text.lowered(actual)
    except ValueError:
        return _UNREADABLE
    try:
        return holds(text.lowered(wanted), whole)
    except ValueError:
        return _UNUSABLE


def _matches(wanted: Any, actual: Any, manner: Manner, *, is_expected: bool) -> Verdict:
    """A wrong pattern matches nobody, negated or not."""
    try:
        whole = text.written(actual)
    except ValueError:
        return _UNREADABLE
    try:
        pattern = patterns.compiled(str(wanted))
    except patterns.UnsupportedPatternError:
        return Unknown(Why.PATTERN_UNSUPPORTED, str(wanted))
    return pattern is not None and (pattern.search(whole) is not None) == is_expected


def _numeric(holds: Callable[[float, float], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        limit, value = text.number(wanted), text.number(actual)
        if limit is None:
            return _UNUSABLE
        return value is not None and holds(value, limit)

    return comparison


def _dated(holds: Callable[[datetime, datetime], bool]) -> Comparison:
    def comparison(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        if actual is None:
            return False
        limit = dates.wanted_moment(wanted, manner.moment)
        if limit is None:
            return _UNUSABLE
        value = dates.moment(actual, manner.moment) if isinstance(actual, str) else None
        return _UNREADABLE if value is None else holds(value, limit)

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
            return _UNUSABLE
        try:
            return holds(versions.version(actual), limit)
        except ValueError:
            return _UNREADABLE

    return comparison


def _not(comparison: Comparison) -> Comparison:
    def negated(wanted: Any, actual: Any, manner: Manner) -> Verdict:
        verdict = comparison(wanted, actual, manner)
        return verdict if isinstance(verdict, Unknown) else not verdict

    return negated


COMPARISONS: Final[Mapping[str, Comparison]] = MappingProxyType(
    {
        "exact": _exact,
        "is_not": _not(_exact),
        "is_set": lambda wanted, actual, manner: True,
        "is_not_set": lambda wanted, actual, manner: False,
        "icontains": _contains,
        "not_icontains": _not(_contains),
        "icontains_multi": _contains_any,
        "not_icontains_multi": _not(_contains_any),
        "starts_with": _starts,
        "not_starts_with": _not(_starts),
        "ends_with": _ends,
        "not_ends_with": _not(_ends),
        "regex": lambda wanted, actual, manner: _matches(wanted, actual, manner, is_expected=True),
        "not_regex": lambda wanted, actual, manner: _matches(wanted, actual, manner, is_expected=False),
        "gt": _numeric(gt),
        "gte": _numeric(ge),
        "lt": _numeric(lt),
        "lte": _numeric(le),
        "is_date_exact": _dated(eq),
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
_NEGATIONS: Final = frozenset(name for name in COMPARISONS if name.startswith("not_"))

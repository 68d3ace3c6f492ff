"""Every operator as the server compares.

Unknown means that the server treats it as no match, or that only the server can evaluate it: see ``Why``.
"""

from collections.abc import Callable
from math import isnan
from operator import contains, eq, ge, gt, le, lt, ne
from typing import Any, Final, NamedTuple

from flagtui.evaluate.dates import expected_instant, instant
from flagtui.evaluate.evaluation import Unknown, UnsupportedPatternError, Verdict, Why
from flagtui.evaluate.pattern_budget import TooCostlyError
from flagtui.evaluate.patterns import matches
from flagtui.evaluate.run import Manner
from flagtui.evaluate.text import is_boolean_like, is_truthy, lower_ascii, number, value_text
from flagtui.evaluate.versions import caret, is_within, tilde, version, wildcard

Comparison = Callable[[Any, Any, Manner], Verdict]
"""The value of a condition, that of a property, and the manner; Unknown where either cannot be compared."""

UNUSABLE: Final = Unknown(Why.FILTER_UNUSABLE)
UNREADABLE: Final = Unknown(Why.PROPERTY_UNREADABLE)


def _exact(expected: Any, actual: Any, manner: Manner) -> Verdict:
    try:
        actual_text = value_text(actual).lower()
    except ValueError:
        return UNREADABLE
    if expected == []:
        return is_truthy(actual)
    if manner.matching_version != 2 and is_boolean_like(expected):
        return is_truthy(expected) == is_truthy(actual)
    candidates = expected if isinstance(expected, list) else [expected]
    try:
        return actual_text in [value_text(candidate).lower() for candidate in candidates]
    except ValueError:
        return UNUSABLE


Reader = Callable[[Any, Manner], Any]
"""The value of one side of a comparison; None when it cannot be read."""


class Readers(NamedTuple):
    """The readers of both sides for operators of one kind."""

    actual: Reader
    expected: Reader
    unreadable: Verdict = UNREADABLE
    """What becomes of a property that cannot be read."""
    is_expected_first: bool = False
    """The side that is reported when neither can be read."""
    takes_null: bool = True
    """Whether null is read like any property; otherwise it matches no one."""

    def comparison(self, holds: Callable[[Any, Any], bool]) -> Comparison:
        """Return the comparison with ``holds``, which takes the property's value, then the condition's."""

        def compare(expected: Any, actual: Any, manner: Manner) -> Verdict:
            if actual is None and not self.takes_null:
                return False
            value, limit = self.actual(actual, manner), self.expected(expected, manner)
            if limit is None and (self.is_expected_first or value is not None):
                return UNUSABLE
            return self.unreadable if value is None else holds(value, limit)

        return compare


def readable(read: Callable[[Any], Any]) -> Reader:
    """Return the same reader, which raises ValueError or returns None for an unreadable value."""

    def read_or_none(value: Any, manner: Manner) -> Any:
        try:
            return read(value)
        except ValueError:
            return None

    return read_or_none


def negate(comparison: Comparison) -> Comparison:
    def opposite(expected: Any, actual: Any, manner: Manner) -> Verdict:
        verdict = comparison(expected, actual, manner)
        return verdict if isinstance(verdict, Unknown) else not verdict

    return opposite


_TEXT: Final = Readers(readable(lower_ascii), readable(lower_ascii))
_CONTAINS: Final = _TEXT.comparison(contains)


def _contains_any(expected: Any, actual: Any, manner: Manner) -> Verdict:
    parts = expected if isinstance(expected, list) else [expected]
    results = [_CONTAINS(part, actual, manner) for part in parts]
    unknown = next((verdict for verdict in results if isinstance(verdict, Unknown)), None)
    return unknown or any(results)


_PLAIN_TEXTS: Final[dict[str, Comparison]] = {
    "icontains": _CONTAINS,
    "icontains_multi": _contains_any,
    "starts_with": _TEXT.comparison(str.startswith),
    "ends_with": _TEXT.comparison(str.endswith),
}
TEXTS: Final[dict[str, Comparison]] = {
    "exact": _exact,
    "is_not": negate(_exact),
    "is_set": lambda expected, actual, manner: True,
    "is_not_set": lambda expected, actual, manner: False,
    **_PLAIN_TEXTS,
    **{f"not_{name}": negate(comparison) for name, comparison in _PLAIN_TEXTS.items()},
}


def patterns(
    matches: Callable[[str, str], bool | None], as_text: Callable[[Any], str]
) -> dict[str, Comparison]:
    """Build pattern operators; an invalid one (``matches`` returns None) matches no one, negated or not."""

    def matching(expected: Any, actual: Any, is_expected: bool) -> Verdict:
        try:
            whole = value_text(actual)
        except ValueError:
            return UNREADABLE
        try:
            return matches(as_text(expected), whole) is is_expected
        except UnsupportedPatternError:
            return Unknown(Why.PATTERN_UNSUPPORTED, as_text(expected))
        except TooCostlyError:
            return Unknown(Why.PATTERN_COSTLY, as_text(expected))

    return {
        "regex": lambda expected, actual, manner: matching(expected, actual, True),
        "not_regex": lambda expected, actual, manner: matching(expected, actual, False),
    }


def orders(numeric: Readers, dated: Readers, versioned: Readers) -> dict[str, Comparison]:
    """Return the operators for more and less, which the server and its libraries share."""
    kinds = (
        (numeric, "", {"gt": gt, "gte": ge, "lt": lt, "lte": le}),
        (dated, "is_date_", {"before": lt, "after": gt}),
        (versioned, "semver_", {"eq": eq, "neq": ne, "gt": gt, "gte": ge, "lt": lt, "lte": le}),
    )
    return {
        prefix + name: reading.comparison(holds)
        for reading, prefix, named in kinds
        for name, holds in named.items()
    }


def _bounds(expected: Any) -> tuple[float, float] | None:
    low, high = map(number, expected) if isinstance(expected, list) and len(expected) == 2 else (None, None)
    return None if low is None or high is None or not low <= high else (low, high)


def _countable(actual: Any) -> float | None:
    """Return the number; None for not-a-number, which is neither inside nor outside."""
    value = number(actual)
    return None if value is None or isnan(value) else value


def _is_between(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


_NUMERIC: Final = Readers(readable(number), readable(number), unreadable=False, is_expected_first=True)
_RANGES: Final = Readers(readable(_countable), readable(_bounds), is_expected_first=True)
_DATED: Final = Readers(
    lambda actual, manner: instant(actual, manner.moment, manner.zone),
    lambda expected, manner: expected_instant(expected, manner.moment, manner.zone),
)
_VERSIONED: Final = Readers(readable(version), readable(version))

COMPARISONS: Final[dict[str, Comparison]] = {
    **TEXTS,
    **patterns(matches, value_text),
    **orders(_NUMERIC, _DATED, _VERSIONED),
    "min": _NUMERIC.comparison(ge),
    "max": _NUMERIC.comparison(le),
    "between": _RANGES.comparison(_is_between),
    "not_between": negate(_RANGES.comparison(_is_between)),
    "is_date_exact": _DATED.comparison(eq),
    "semver_tilde": _VERSIONED._replace(expected=readable(tilde)).comparison(is_within),
    "semver_caret": _VERSIONED._replace(expected=readable(caret)).comparison(is_within),
    "semver_wildcard": _VERSIONED._replace(expected=readable(wildcard)).comparison(is_within),
}

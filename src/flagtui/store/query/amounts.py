"""Values with a comparison in front: percentages and ages."""

import operator
import re
from typing import Final

from flagtui.store.query.value_tests import Comparison
from flagtui.store.query.vocabulary import WrongValue

_COMPARISONS: Final[dict[str, Comparison]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_UNITS: Final = {
    "s": 1,
    "m": 60,
    "min": 60,
    "h": 3_600,
    "d": 86_400,
    "w": 604_800,
    "mo": 2_629_800,
    "y": 31_557_600,
}
_PERCENTAGE: Final = re.compile(r"(<=|>=|<|>|=)?(\d{1,3}(?:\.\d{1,6})?)%?", re.ASCII)
_AGE: Final = re.compile(r"(<=|>=|<|>)?(\d{1,6}(?:\.\d{1,6})?)([a-z]+)", re.ASCII)


def read_percentage(text: str) -> tuple[Comparison, float]:
    """`<50`, `>=10`, `=100`, `25` or `25%` as a comparison and its right side."""
    match = _PERCENTAGE.fullmatch(text)
    if match is None:
        raise WrongValue
    return _COMPARISONS[match[1] or "="], float(match[2])


def read_age(text: str) -> tuple[Comparison, float]:
    """`<7d` or `>3mo` as a comparison and seconds. A bare `7d` means within the last seven days."""
    match = _AGE.fullmatch(text.lower())
    if match is None or match[3] not in _UNITS:
        raise WrongValue
    return _COMPARISONS[match[1] or "<="], float(match[2]) * _UNITS[match[3]]

"""Whether a flag still tells people apart, or gives everyone the same."""

from collections.abc import Iterator
from typing import Final

from flagtui.evaluate.parts import Condition, Flag

Value = bool | str | None
SPLIT: Final = None
"""The variant is drawn by hash."""


def for_everyone(flag: Flag) -> Value:
    """The value that every person gets; None where it depends on the person."""
    if not flag.is_active:
        return False
    decides_before = flag.holdout is not None or flag.has_enrollment or flag.enrollment_condition is not None
    if flag.is_newer or decides_before or flag.group_index is not None or flag.is_by_device or _asks(flag):
        return None
    values = [*_values(flag)]
    return values[0] if values and all(value == values[0] for value in values) else None


def _asks(flag: Flag) -> bool:
    """Whether it asks for another flag, without which no condition of it counts."""
    return any(one.kind == "flag" for condition in flag.conditions for one in condition.filters)


def _values(flag: Flag) -> Iterator[Value]:
    """What the conditions give, up to the one that lets everybody in; False where none does."""
    for condition in flag.conditions:
        if condition.problem or condition.group_index is not None:
            yield None
        percentage = 100.0 if condition.percentage is None else condition.percentage
        if percentage > 0:
            yield _value(flag, condition)
        if not condition.filters and percentage >= 100:
            return
        if flag.exits_early:
            yield False
    yield False


def _value(flag: Flag, condition: Condition) -> Value:
    keys = [variant.key for variant in flag.variants]
    if condition.variant is not None and condition.variant in keys:
        return condition.variant
    drawn = [variant for variant in flag.variants if variant.percentage > 0]
    if drawn:
        return drawn[0].key if drawn[0].percentage >= 100 else SPLIT
    return True

"""Two people side by side: the flags they see differently, and where their ways part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.explanation import describe, describe_condition, describe_variant


@dataclass(frozen=True, slots=True)
class ValueDifference:
    one: Evaluation
    other: Evaluation
    one_because: str
    other_because: str
    """What sets them apart, at the first condition where they part; a line each."""

    @property
    def key(self) -> str:
        return self.one.key


def differences(one: Mapping[str, Evaluation], other: Mapping[str, Evaluation]) -> Iterator[ValueDifference]:
    """Flags that both were evaluated for, in the order of the first, where the values or payloads differ."""
    for key, first in one.items():
        second = other.get(key)
        if second is not None and _seen(first) != _seen(second):
            yield ValueDifference(first, second, *parting(first, second))


def parting(one: Evaluation, other: Evaluation) -> tuple[str, str]:
    for first, second in zip(one.conditions, other.conditions, strict=False):
        if first.outcome is not second.outcome:
            return describe_condition(first), describe_condition(second)
        if first.variant and second.variant and first.variant.key != second.variant.key:
            return describe_variant(first.variant), describe_variant(second.variant)
    return describe(one), describe(other)


def _seen(evaluation: Evaluation) -> tuple[object, ...]:
    """1 and True are one value in Python, but not to a program that reads the flag."""
    return type(evaluation.value), evaluation.value, repr(evaluation.payload)

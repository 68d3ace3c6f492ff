"""Answers about patterns that are too costly to evaluate here: a fault, never a wrong count or list."""

from typing import TypeGuard

from flagtui.evaluate.evaluation import Evaluation, Unknown, Verdict, Why
from flagtui.evaluate.explanation import describe_unknown
from flagtui.service.errors import invalid


def is_costly(unknown: object) -> TypeGuard[Unknown]:
    """Return whether this is a verdict that only a costly pattern leaves open."""
    return isinstance(unknown, Unknown) and unknown.why is Why.PATTERN_COSTLY


def refuse_costly(unknown: object) -> None:
    """Raise a 400 when a pattern was too costly to evaluate here; other unknowns pass."""
    if is_costly(unknown):
        raise invalid(f"The pattern is {describe_unknown(unknown)}")


def holds(verdict: Verdict) -> bool:
    """Return whether the verdict is a yes; unknown is a no, as in the product. Raises as `refuse_costly`."""
    refuse_costly(verdict)
    return verdict is True


def is_on(evaluation: Evaluation) -> bool:
    """Return whether the flag is on, with or without a variant. Raises as `refuse_costly`."""
    refuse_costly(evaluation.unknown)
    return bool(evaluation.value)

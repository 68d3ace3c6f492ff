"""Answers about patterns that are too costly to evaluate here: a fault, never a wrong count or list."""

from flagtui.evaluate.evaluation import Evaluation, Unknown, Verdict, Why
from flagtui.evaluate.explanation import describe_unknown
from flagtui.service.errors import invalid


def is_costly(unknown: object) -> bool:
    """Return whether this is a verdict that only a costly pattern leaves open."""
    return isinstance(unknown, Unknown) and unknown.why is Why.PATTERN_COSTLY


def holds(verdict: Verdict) -> bool:
    """Return whether it is a yes; other unknowns are a no, as in the product. Raises the fault."""
    if isinstance(verdict, Unknown) and is_costly(verdict):
        raise invalid(f"The pattern is {describe_unknown(verdict)}")
    return verdict is True


def is_on(evaluation: Evaluation) -> bool:
    """Return whether the flag is on, with or without a variant. Raises the fault."""
    holds(evaluation.unknown or True)
    return bool(evaluation.value)

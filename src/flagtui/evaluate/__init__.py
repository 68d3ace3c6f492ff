"""Who sees a flag: a flag and a person in, the value and the condition that decided it out."""

from flagtui.evaluate.comparison import ValueDifference, differences
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.dependency_order import linked
from flagtui.evaluate.evaluation import (
    Check,
    ConditionResult,
    Draw,
    Evaluation,
    Gathering,
    Outcome,
    Reason,
    VariantDraw,
)
from flagtui.evaluate.flags import evaluate, evaluate_all, fits
from flagtui.evaluate.manner import Rules
from flagtui.evaluate.subject import Group, Person
from flagtui.evaluate.unknown import Unknown, Why

__all__ = [
    "Check",
    "ConditionResult",
    "Definitions",
    "Draw",
    "Evaluation",
    "Gathering",
    "Group",
    "Outcome",
    "Person",
    "Reason",
    "Rules",
    "Unknown",
    "ValueDifference",
    "VariantDraw",
    "Why",
    "differences",
    "evaluate",
    "evaluate_all",
    "fits",
    "linked",
]

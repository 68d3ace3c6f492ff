"""Who sees a flag: a flag and a person in, the value and the condition that decided it out.

Each name is loaded when it is first asked for: words about a flag need no evaluator.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
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

_HOMES: Final = {
    **dict.fromkeys(("ValueDifference", "differences"), "comparison"),
    "Definitions": "definitions",
    "linked": "dependency_order",
    **dict.fromkeys(
        ("Check", "ConditionResult", "Draw", "Evaluation", "Gathering", "Outcome", "Reason", "VariantDraw"),
        "evaluation",
    ),
    **dict.fromkeys(("evaluate", "evaluate_all", "fits"), "flags"),
    "Rules": "manner",
    **dict.fromkeys(("Group", "Person"), "subject"),
    **dict.fromkeys(("Unknown", "Why"), "unknown"),
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"flagtui.evaluate.{_HOMES[name]}"), name)
    raise AttributeError(name)

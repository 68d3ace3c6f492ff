"""What a condition can ask of a property, by the rules of the server or of a library."""

from typing import Any

from flagtui.evaluate.manner import Manner, Rules
from flagtui.evaluate.operator_words import WITHOUT_VALUE
from flagtui.evaluate.operators import server
from flagtui.evaluate.unknown import Unknown, Verdict, Why


def compare(operator: str, wanted: Any, actual: Any, manner: Manner) -> Verdict:
    """Does a property that exists with the value ``actual`` satisfy the operator?

    To the server a condition without the value that its operator needs matches nobody, negated or not.
    """
    if manner.rules is Rules.LIBRARY:
        # Loaded here: few screens ask what a library would do.
        from flagtui.evaluate.operators import library

        return library.compare(operator, wanted, actual, manner)
    comparison = server.COMPARISONS.get(operator)
    if comparison is None:
        return Unknown(Why.OPERATOR_UNKNOWN, operator)
    if wanted is None and operator not in WITHOUT_VALUE:
        return False
    return comparison(wanted, actual, manner)


def without_property(operator: str, wanted: Any) -> bool:
    """Does a person who certainly lacks the property satisfy the operator? As the server decides it."""
    if operator == "is_not_set":
        return True
    is_negation = operator == "is_not" or (operator.startswith("not_") and operator in server.COMPARISONS)
    return wanted is not None and is_negation


def is_known(operator: str, rules: Rules = Rules.SERVER) -> bool:
    if rules is Rules.LIBRARY:
        from flagtui.evaluate.operators import library

        return operator in library.COMPARISONS
    return operator in server.COMPARISONS

"""One question of a condition or cohort: about a property, a cohort or another flag."""

from flagtui.evaluate import operators
from flagtui.evaluate.cohorts import check_cohort
from flagtui.evaluate.dependencies import check_dependency
from flagtui.evaluate.evaluation import Check
from flagtui.evaluate.parts import Filter
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import Unknown, Verdict, Why


def check(run: Run, vantage: Vantage, question: Filter) -> Check:
    match question.kind:
        case "cohort":
            return check_cohort(run, vantage, question, check)
        case "flag":
            return check_dependency(run, vantage, question)
        case "property":
            return check_property(run, vantage, question)


def check_property(run: Run, vantage: Vantage, question: Filter) -> Check:
    is_present = question.key in vantage.properties
    actual = vantage.properties.get(question.key)
    verdict = _verdict(run, question, is_present, actual)
    if not isinstance(verdict, Unknown):
        return Check(question, verdict, is_present, actual)
    unknown = verdict if verdict.about else Unknown(verdict.why, question.key)
    if run.person.is_complete:
        return Check(question, False, is_present, actual, problem=unknown)
    return Check(question, unknown, is_present, actual)


def _verdict(run: Run, question: Filter, is_present: bool, actual: object) -> Verdict:
    if is_present:
        return operators.compare(question.operator, question.value, actual, run.manner)
    if not operators.is_known(question.operator):
        return Unknown(Why.OPERATOR_UNKNOWN, question.operator)
    if run.person.is_complete:
        return operators.without_property(question.operator, question.value)
    return Unknown(Why.PROPERTY_MISSING)

"""One question of a condition or cohort: about a property, a cohort or another flag."""

from flagtui.evaluate.cohorts import check_cohort
from flagtui.evaluate.dependencies import check_dependency
from flagtui.evaluate.evaluation import Check
from flagtui.evaluate.manner import Rules
from flagtui.evaluate.operators import compare, is_known, without_property
from flagtui.evaluate.parts import Filter
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import TAKEN_FOR_NO, Unknown, Verdict, Why


def check(run: Run, vantage: Vantage, question: Filter) -> Check:
    match question.kind:
        case "cohort":
            return check_cohort(run, _of_people(run, vantage), question, check)
        case "flag":
            return check_dependency(run, vantage, question)
        case "property":
            return check_property(run, vantage, question)


def check_property(run: Run, vantage: Vantage, question: Filter) -> Check:
    properties, is_whole = run.source(question, vantage)
    is_present = question.key in properties
    actual = properties.get(question.key)
    if is_present:
        verdict = compare(question.operator, question.value, actual, run.manner)
    else:
        verdict = _without(run, question, is_whole)
    if not isinstance(verdict, Unknown):
        return Check(question, verdict, is_present, actual)
    unknown = verdict if verdict.about else Unknown(verdict.why, question.key)
    if run.rules is Rules.SERVER and unknown.why in TAKEN_FOR_NO:
        return Check(question, False, is_present, actual, problem=unknown)
    return Check(question, unknown, is_present, actual)


def _without(run: Run, question: Filter, is_whole: bool) -> Verdict:
    if not is_known(question.operator, run.rules):
        return Unknown(Why.OPERATOR_UNKNOWN, question.operator)
    if is_whole:
        return without_property(question.operator, question.value)
    return Unknown(Why.PROPERTY_MISSING)


def _of_people(run: Run, vantage: Vantage) -> Vantage:
    """To the server cohorts are of people, also in a condition about groups."""
    if run.rules is Rules.LIBRARY or vantage.group_index is None:
        return vantage
    return Vantage(run.properties, run.person.distinct_id)

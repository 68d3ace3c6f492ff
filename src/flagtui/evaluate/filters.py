"""One question of a condition or cohort: about a property, a cohort or another flag."""

from collections.abc import Mapping
from typing import Any

from flagtui.evaluate.evaluation import TAKEN_FOR_NO, Check, Evaluation, Unknown, Verdict, Why
from flagtui.evaluate.operator_words import WITHOUT_VALUE
from flagtui.evaluate.operators import COMPARISONS, Comparison
from flagtui.evaluate.parts import LOOKED_UP, Filter, FlagParts, is_cohort_id, read_filter
from flagtui.evaluate.run import Manner, Rules, Run, Vantage
from flagtui.evaluate.wire import mapping


def check(run: Run, vantage: Vantage, question: Filter) -> Check:
    """Evaluate one filter about a property, a cohort or another flag."""
    match question.kind:
        case "cohort":
            return check_cohort(run, _of_people(run, vantage), question)
        case "flag":
            return check_dependency(run, vantage, question)
        case "property":
            return check_property(run, vantage, question)


def check_property(run: Run, vantage: Vantage, question: Filter) -> Check:
    """Evaluate a filter about a property; the server cannot use one without a key or of an unknown type."""
    unusable = _what_is_wrong(run, question)
    if unusable and run.rules is Rules.SERVER:
        return Check(question, False, problem=unusable)
    if unusable:
        return Check(question, unusable)
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


def _what_is_wrong(run: Run, question: Filter) -> Unknown | None:
    if question.is_keyless:
        return Unknown(Why.KEY_MISSING)
    if run.rules is Rules.SERVER and question.type not in LOOKED_UP:
        return Unknown(Why.TYPE_UNKNOWN, question.type)
    return None


def _without(run: Run, question: Filter, is_whole: bool) -> Verdict:
    if question.operator not in _comparisons(run.rules):
        return Unknown(Why.OPERATOR_UNKNOWN, question.operator)
    if is_whole:
        return without_property(question.operator, question.value)
    return Unknown(Why.PROPERTY_MISSING)


def compare(operator: str, expected: Any, actual: Any, manner: Manner) -> Verdict:
    """Return whether an existing property with the value ``actual`` satisfies the operator.

    On the server a condition without the value that its operator needs matches no one, negated or not.
    """
    comparison = _comparisons(manner.rules).get(operator)
    if comparison is None:
        return Unknown(Why.OPERATOR_UNKNOWN, operator)
    if expected is None and operator not in WITHOUT_VALUE and manner.rules is Rules.SERVER:
        return False
    return comparison(expected, actual, manner)


def without_property(operator: str, expected: Any) -> bool:
    """Return whether a user who certainly lacks the property satisfies the operator, as on the server."""
    if operator == "is_not_set":
        return True
    is_negation = operator == "is_not" or (operator.startswith("not_") and operator in COMPARISONS)
    return expected is not None and is_negation


def _comparisons(rules: Rules) -> Mapping[str, Comparison]:
    if rules is Rules.SERVER:
        return COMPARISONS
    # Loaded here: few screens ask what a library would do.
    from flagtui.evaluate.library_operators import COMPARISONS as OF_LIBRARY

    return OF_LIBRARY


def _of_people(run: Run, vantage: Vantage) -> Vantage:
    """Return the vantage for a cohort: on the server it contains users, also in a condition about groups."""
    if run.rules is Rules.LIBRARY or vantage.group_index is None:
        return vantage
    return Vantage(run.properties, run.person.distinct_id)


def check_dependency(run: Run, vantage: Vantage, question: Filter) -> Check:
    """Check a dependency; a malformed one matches no one, as on the server."""
    if question.operator != "flag_evaluates_to" or not question.key or question.value is None:
        return Check(question, False)
    unknown = _evaluate_chain(run, vantage, question)
    if unknown:
        return Check(question, unknown)
    evaluation = run.decided.get(question.key)
    if evaluation is None:
        return Check(question, Unknown(Why.FLAG_MISSING, question.key))
    verdict = _compare(question, evaluation)
    is_known = evaluation.value is not None
    return Check(question, verdict, is_known, evaluation.value)


def _evaluate_chain(run: Run, vantage: Vantage, question: Filter) -> Unknown | None:
    chain, flags = question.chain, run.definitions.flags
    if (
        not chain
        and run.rules is Rules.SERVER
        and question.key in flags
        and not flags[question.key].is_active
    ):
        # Off whatever it depends on, be that missing or circular.
        chain = (question.key,)
    if not chain:
        is_there = question.key in flags
        return Unknown(Why.FLAG_CIRCULAR if is_there else Why.FLAG_MISSING, question.key)
    missing = next((key for key in chain if key not in run.decided and key not in flags), None)
    if missing is not None:
        run.decided[missing] = None
        return Unknown(Why.FLAG_MISSING, missing)
    for key in chain:
        if key not in run.decided:
            unknown = _evaluate_step(run, vantage, flags[key])
            if unknown:
                return unknown
    return None


def _evaluate_step(run: Run, vantage: Vantage, flag: FlagParts) -> Unknown | None:
    """Evaluate a dependency: on the server with its own group, in a library with that of the first flag."""
    if flag.key in run.under_way:
        return Unknown(Why.FLAG_CIRCULAR, flag.key, is_final=True)
    inherited = Vantage(vantage.properties, run.identifier) if run.rules is Rules.LIBRARY else None
    evaluation = run.evaluate(run.inside(flag.key), flag, inherited)
    unknown = evaluation.unknown
    if unknown is None or not unknown.is_final:
        run.decided[flag.key] = evaluation
    return unknown and _inherit_unknown(flag.key, unknown)


def _inherit_unknown(flag_key: str, unknown: Unknown | None) -> Unknown:
    """Return why a flag is not known whose dependency is not; a costly pattern stays the reason."""
    if unknown is not None and unknown.why is Why.PATTERN_COSTLY:
        return unknown
    return Unknown(Why.FLAG_UNKNOWN, flag_key, unknown is not None and unknown.is_final)


def _compare(question: Filter, evaluation: Evaluation) -> Verdict:
    """Compare a dependency: true matches any variant, text that variant, other values no one."""
    expected, value = question.value, evaluation.value
    if value is None:
        return _inherit_unknown(question.key, evaluation.unknown)
    if isinstance(expected, bool):
        return expected == bool(value)
    return isinstance(expected, str) and isinstance(value, str) and expected == value


def check_cohort(run: Run, vantage: Vantage, question: Filter, path: tuple[str, ...] = ()) -> Check:
    """Evaluate a filter about a cohort. `path` holds the cohorts that led here."""
    if run.rules is Rules.SERVER and not is_cohort_id(question.value):
        return Check(question, False, problem=Unknown(Why.FILTER_UNUSABLE, question.key))
    cohort_id = str(question.value)
    if cohort_id in path:
        return Check(question, Unknown(Why.COHORT_CIRCULAR, cohort_id, is_final=True))
    if cohort_id not in run.definitions.cohorts:
        return _check_static(run, question, cohort_id)
    if question.operator not in {"exact", "in", "not_in"}:
        return Check(question, Unknown(Why.OPERATOR_UNKNOWN, question.operator))
    is_member = _gather(run, vantage, run.definitions.cohorts[cohort_id], (*path, cohort_id))
    return Check(question, _as_asked(question, is_member))


def _check_static(run: Run, question: Filter, cohort_id: str) -> Check:
    if cohort_id not in run.definitions.static_cohorts:
        return Check(question, Unknown(Why.COHORT_UNKNOWN, cohort_id, is_final=True))
    is_in = cohort_id in run.person.static_cohorts
    return Check(question, _as_asked(question, is_in), is_present=True, actual=is_in)


def _as_asked(question: Filter, verdict: Verdict) -> Verdict:
    return verdict if question.operator != "not_in" else _opposite(verdict)


def _opposite(verdict: Verdict) -> Verdict:
    return verdict if isinstance(verdict, Unknown) else not verdict


def _gather(run: Run, vantage: Vantage, raw: Any, path: tuple[str, ...]) -> Verdict:
    """Evaluate every part, even when one has decided: a part that only the server knows outweighs it."""
    if raw == {}:
        return True
    group = mapping(raw)
    members, kind = group.get("values"), group.get("type")
    if kind not in ("AND", "OR") or not isinstance(members, list):
        return Unknown(Why.COHORT_MALFORMED, path[-1], is_final=True)
    return _join(kind == "AND", [_part(run, vantage, member, path) for member in members])


def _part(run: Run, vantage: Vantage, raw: Any, path: tuple[str, ...]) -> Verdict:
    if not isinstance(raw, dict):
        return Unknown(Why.COHORT_MALFORMED, path[-1], is_final=True)
    if raw == {} or "values" in raw or raw.get("type") in ("AND", "OR"):
        return _gather(run, vantage, raw, path)
    question = read_filter(raw)
    if run.rules is Rules.SERVER and question.kind == "property" and question.type not in LOOKED_UP:
        # Such a cohort is about what users did, which only the server looks up.
        return Unknown(Why.COHORT_UNKNOWN, path[-1], is_final=True)
    is_cohort = question.kind == "cohort"
    part = check_cohort(run, vantage, question, path) if is_cohort else check(run, vantage, question)
    return _opposite(part.verdict) if question.is_negated else part.verdict


def _join(needs_all: bool, verdicts: list[Verdict]) -> Verdict:
    """Join verdicts; without any, the answer is yes, of both kinds."""
    unknowns = [verdict for verdict in verdicts if isinstance(verdict, Unknown)]
    final = next((unknown for unknown in unknowns if unknown.is_final), None)
    if final:
        return final
    if any(verdict is (not needs_all) for verdict in verdicts):
        return not needs_all
    if unknowns:
        return unknowns[0]
    return needs_all or not verdicts

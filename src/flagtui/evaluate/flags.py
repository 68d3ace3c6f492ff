"""A flag and a person in; the value, and what decided it, out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from flagtui.evaluate.conditions import evaluate_condition, holdout_fraction
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import (
    ConditionResult,
    Draw,
    Ending,
    Evaluation,
    Reason,
    RulesEvaluation,
    Unknown,
    Verdict,
    Why,
)
from flagtui.evaluate.filters import check
from flagtui.evaluate.parts import Filter, FlagParts
from flagtui.evaluate.rules_v2 import evaluate_rules
from flagtui.evaluate.run import Person, Rules, Run, Vantage

_REASONS = {
    Ending.OUT_OF_ROLLOUT: (3, Reason.OUT_OF_ROLLOUT),
    Ending.NO_DEVICE: (3, Reason.OUT_OF_ROLLOUT),
    Ending.PROPERTIES_DIFFER: (2, Reason.NO_CONDITION_MATCH),
    Ending.UNKNOWN: (2, Reason.NO_CONDITION_MATCH),
    Ending.NO_GROUP: (1, Reason.NO_GROUP_TYPE),
}
"""How specific each kind of mismatch is, and the server's name for it."""


def evaluate(
    flag_key: str,
    person: Person,
    definitions: Definitions,
    rules: Rules = Rules.SERVER,
    decided: Mapping[str, Evaluation] | None = None,
) -> Evaluation:
    """Evaluate one flag. Raises KeyError for a flag that is not among the definitions.

    `decided` holds dependencies whose values are set from outside, by key.
    """
    return evaluate_all(person, definitions, [flag_key], rules, decided)[flag_key]


def evaluate_all(
    person: Person,
    definitions: Definitions,
    keys: Iterable[str] | None = None,
    rules: Rules = Rules.SERVER,
    decided: Mapping[str, Evaluation] | None = None,
) -> dict[str, Evaluation]:
    """Evaluate these flags, or all, each as if it were requested alone. See `evaluate`."""
    run = Run(person, definitions, rules, _evaluate_flag)
    evaluations: dict[str, Evaluation] = {}
    for key in definitions.flags if keys is None else keys:
        flag = definitions.flags[key]
        # Nothing is shared: what a library decides of a dependency depends on the flag that asks first.
        run.under_way, run.decided = frozenset((key,)), {**decided} if decided else {}
        if rules is Rules.LIBRARY:
            evaluations[key] = _begin_as_library(run, flag)
        elif flag.rules is not None and flag.is_active:
            evaluations[key] = _by_rules(flag.key, evaluate_rules(flag.rules, person, run.manner))
        else:
            evaluations[key] = _evaluate_flag(run, flag)
    return evaluations


def verdict_on(question: Filter, person: Person, definitions: Definitions) -> Verdict:
    """Return whether a person, not a group, passes one question of a condition."""
    run = Run(person, definitions, Rules.SERVER, _evaluate_flag)
    return check(run, Vantage(run.properties, person.distinct_id), question).verdict


_SERVER_FAILURES: Final = frozenset(
    (Why.FILTERS_MALFORMED, Why.FILTER_UNUSABLE, Why.PROPERTY_UNREADABLE, Why.OPERATOR_UNKNOWN)
)
"""Predicates that fail the whole flag on the server as well; it may decide all others."""


def _by_rules(key: str, result: RulesEvaluation) -> Evaluation:
    """Return the result of rules. Flags that depend on such a flag never get here: servers refuse them."""
    failure = result.failure
    if failure is not None and failure.why not in _SERVER_FAILURES:
        return Evaluation(key, None, Reason.UNKNOWN, unknown=failure, rules=result)
    return Evaluation(key, result.value, result.reason, result.rule_index, problem=failure, rules=result)


def _begin_as_library(run: Run, flag: FlagParts) -> Evaluation:
    """Begin as a library does, which uses one group for the flag and all its dependencies."""
    vantage = run.of_person(flag)
    run.identifier = run.person.distinct_id
    if flag.group_index is not None and flag.is_active and not _obstacle(run, flag):
        name = run.definitions.group_types.get(str(flag.group_index))
        if not name:
            return _unknown_result(flag, Unknown(Why.GROUP_TYPE_UNKNOWN, str(flag.group_index)))
        group = run.person.groups.get(name)
        if group is None:
            return Evaluation(flag.key, False, Reason.NO_GROUP_TYPE, payload=flag.payloads.get("false"))
        vantage = Vantage(group.known_properties, group.key)
        run.identifier = group.key
    return _evaluate_flag(run, flag, vantage)


def _evaluate_flag(run: Run, flag: FlagParts, inherited: Vantage | None = None) -> Evaluation:
    """Check off, early access, holdout and conditions, in this order. ``inherited`` is for libraries only."""
    if not flag.is_active:
        return _off(run, flag, Reason.DISABLED)
    if flag.problem:
        problem = Unknown(Why.FILTERS_MALFORMED, flag.problem)
        return _off(run, flag, Reason.NO_CONDITION_MATCH, problem)
    obstacle = _obstacle(run, flag)
    if obstacle:
        return _unknown_result(flag, obstacle)
    broken = run.definitions.broken.get(flag.key) if run.rules is Rules.SERVER else None
    if broken:
        is_certain = run.is_complete
        return (
            _off(run, flag, Reason.MISSING_DEPENDENCY, broken)
            if is_certain
            else _unknown_result(flag, broken)
        )
    vantage = inherited
    if inherited and flag.is_by_device and flag.group_index is None:
        vantage = Vantage(inherited.properties, run.person.device_id or run.person.distinct_id)
    enrolled = by_enrollment(run, flag, vantage)
    if isinstance(enrolled, Unknown):
        return _unknown_result(flag, enrolled)
    return enrolled or _by_holdout(run, flag, vantage) or _by_conditions(run, flag, vantage)


def _obstacle(run: Run, flag: FlagParts) -> Unknown | None:
    """Return what prevents evaluation. The server knows everything but newer configurations."""
    if flag.is_newer:
        return Unknown(Why.CONFIGURATION_NEWER, flag.key)
    if run.is_complete:
        return None
    if flag.has_continuity:
        return Unknown(Why.CONTINUITY, flag.key)
    if flag.is_by_device and flag.group_index is None and not run.person.device_id:
        return Unknown(Why.DEVICE_MISSING, flag.key)
    if run.rules is Rules.LIBRARY or flag.group_index is None:
        return None
    is_known = str(flag.group_index) in run.definitions.group_types
    return None if is_known else Unknown(Why.GROUP_TYPE_UNKNOWN, str(flag.group_index))


def _by_holdout(run: Run, flag: FlagParts, vantage: Vantage | None) -> Evaluation | None:
    draw = _holdout_draw(run, flag, vantage)
    if flag.holdout is None or draw is None or not draw.is_in:
        return None
    value = f"holdout-{flag.holdout.id}"
    return Evaluation(flag.key, value, Reason.HOLDOUT, payload=flag.payloads.get(value), holdout=draw)


def _holdout_draw(run: Run, flag: FlagParts, vantage: Vantage | None) -> Draw | None:
    """Draw by the flag's own group type. Here an empty identifier is hashed, also by the server."""
    if flag.holdout is None:
        return None
    identifier = vantage.identifier if vantage else _own_identifier(run, flag)
    return Draw(holdout_fraction(identifier), flag.holdout.percentage)


def _own_identifier(run: Run, flag: FlagParts) -> str | int:
    if flag.group_index is None:
        return run.of_person(flag).identifier
    group = run.group(flag.group_index)
    return group.key if group else ""


def _by_conditions(run: Run, flag: FlagParts, vantage: Vantage | None) -> Evaluation:
    results: list[ConditionResult] = []
    for index in range(len(flag.conditions)):
        result = evaluate_condition(run, flag, index, vantage)
        results.append(result)
        if result.outcome is Ending.MATCHED:
            doubt = _find_doubt(flag, results) if index else None
            return (
                _unknown_result(flag, doubt, results) if doubt else _match_result(run, flag, results, vantage)
            )
        if result.unknown and result.unknown.is_final:
            return _unknown_result(flag, result.unknown, results)
        if flag.exits_early and result.outcome is Ending.OUT_OF_ROLLOUT:
            break
    return _no_match_result(run, flag, results, vantage)


def _find_doubt(flag: FlagParts, results: Sequence[ConditionResult]) -> Unknown | None:
    """Return the costly pattern of an earlier condition that may serve another value than the last one.

    The product's engine would decide that condition: unlike other unknowns, it is open here alone.
    """
    last = flag.conditions[results[-1].index]
    for result in results[:-1]:
        if result.unknown is None or result.unknown.why is not Why.PATTERN_COSTLY:
            continue
        earlier = flag.conditions[result.index]
        is_alike = (earlier.variant, earlier.group_index) == (last.variant, last.group_index)
        if flag.exits_early or not is_alike:
            return result.unknown
    return None


def _match_result(
    run: Run, flag: FlagParts, results: list[ConditionResult], vantage: Vantage | None
) -> Evaluation:
    deciding = results[-1]
    drawn = deciding.variant.key if deciding.variant else None
    value = deciding.forced_variant or drawn or True
    return Evaluation(
        flag.key,
        value,
        Reason.CONDITION_MATCH,
        deciding.index,
        flag.payloads.get("true" if value is True else str(value)),
        tuple(results),
        _holdout_draw(run, flag, vantage),
    )


def _no_match_result(
    run: Run, flag: FlagParts, results: list[ConditionResult], vantage: Vantage | None
) -> Evaluation:
    unknown = next((result.unknown for result in results if result.unknown), None)
    if unknown:
        return _unknown_result(flag, unknown, results)
    nearest = max(results, key=lambda result: (_REASONS[result.outcome][0], result.index), default=None)
    return Evaluation(
        flag.key,
        False,
        _REASONS[nearest.outcome][1] if nearest else Reason.NO_CONDITION_MATCH,
        nearest.index if nearest else None,
        _payload_of_off(run, flag),
        tuple(results),
        _holdout_draw(run, flag, vantage),
    )


def _off(run: Run, flag: FlagParts, reason: Reason, problem: Unknown | None = None) -> Evaluation:
    return Evaluation(flag.key, False, reason, payload=_payload_of_off(run, flag), problem=problem)


def _payload_of_off(run: Run, flag: FlagParts) -> object:
    """Return the payload named false, which only libraries look up; the server stores none."""
    return flag.payloads.get("false") if run.rules is Rules.LIBRARY else None


def _unknown_result(flag: FlagParts, unknown: Unknown, results: Iterable[ConditionResult] = ()) -> Evaluation:
    is_dependency = unknown.why in (Why.FLAG_MISSING, Why.FLAG_CIRCULAR)
    reason = Reason.MISSING_DEPENDENCY if is_dependency else Reason.UNKNOWN
    return Evaluation(flag.key, None, reason, conditions=tuple(results), unknown=unknown)


def by_enrollment(run: Run, flag: FlagParts, inherited: Vantage | None) -> Evaluation | Unknown | None:
    """Return None where early access does not decide. It concerns the user, also in a flag for groups."""
    if flag.has_enrollment:
        return _by_opting_in(run, flag, inherited)
    older = flag.enrollment_condition
    if older is None or run.rules is Rules.LIBRARY:
        return None
    if not any(question.key in run.properties for question in older.filters):
        return None
    alone = FlagParts(flag.key, conditions=(older,), is_by_device=flag.is_by_device)
    result = evaluate_condition(run, alone, 0)
    if result.unknown is not None and result.unknown.why is Why.PATTERN_COSTLY:
        return result.unknown
    return _enrollment_result(run, flag, result.outcome is Ending.MATCHED)


def _by_opting_in(run: Run, flag: FlagParts, inherited: Vantage | None) -> Evaluation | Unknown | None:
    """Return the early-access result; unknown without an answer, and none in a library for groups."""
    if inherited is not None and flag.group_index is not None:
        return Unknown(Why.PROPERTY_MISSING, flag.enrollment_key)
    properties = inherited.properties if inherited else run.properties
    if flag.enrollment_key in properties:
        answer = properties[flag.enrollment_key]
        return _enrollment_result(run, flag, answer is True or answer == "true")
    return None if run.is_complete else Unknown(Why.PROPERTY_MISSING, flag.enrollment_key)


def _enrollment_result(run: Run, flag: FlagParts, is_in: bool) -> Evaluation:
    """Return the result of enrollment; the server reports the first condition for it."""
    is_server = run.rules is Rules.SERVER
    name = "true" if is_in else "false"
    payload = None if is_server and not is_in else flag.payloads.get(name)
    index = 0 if is_server else None
    return Evaluation(flag.key, is_in, Reason.ENROLLMENT, index, payload, enrollment=is_in)

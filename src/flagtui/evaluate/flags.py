"""A flag and a person in; the value, and what decided it, out."""

from collections.abc import Iterable

from flagtui.evaluate.conditions import evaluate_condition
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import ConditionResult, Draw, Evaluation, Outcome, Reason
from flagtui.evaluate.filters import check
from flagtui.evaluate.hashing import holdout_fraction
from flagtui.evaluate.parts import Filter, Flag
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.subject import Person
from flagtui.evaluate.unknown import Unknown, Why

_REASONS = {
    Outcome.OUT_OF_ROLLOUT: (3, Reason.OUT_OF_ROLLOUT),
    Outcome.PROPERTIES_DIFFER: (2, Reason.NO_CONDITION_MATCH),
    Outcome.UNKNOWN: (2, Reason.NO_CONDITION_MATCH),
    Outcome.NO_GROUP: (1, Reason.NO_GROUP_TYPE),
}
"""How much each way of not matching tells, and what the server calls it."""


def evaluate(flag_key: str, person: Person, definitions: Definitions) -> Evaluation:
    """Raises KeyError for a flag that the definitions do not have."""
    flag = definitions.flags[flag_key]
    vantage = Vantage(person.known_properties, person.distinct_id)
    if flag.group_index is None or not flag.is_active or _obstacle(person, flag):
        return _begin(person, definitions, flag, vantage)
    name = definitions.group_types.get(str(flag.group_index))
    if not name:
        return _undecided(flag, Unknown(Why.GROUP_TYPE_UNKNOWN, str(flag.group_index)))
    group = person.groups.get(name)
    if group is None:
        return Evaluation(flag.key, False, Reason.NO_GROUP_TYPE, payload=flag.payloads.get("false"))
    return _begin(person, definitions, flag, Vantage(group.known_properties, group.key))


def evaluate_all(
    person: Person, definitions: Definitions, keys: Iterable[str] | None = None
) -> dict[str, Evaluation]:
    return {key: evaluate(key, person, definitions) for key in keys or definitions.flags}


def fits(question: Filter, person: Person, definitions: Definitions) -> bool:
    """Whether a person, not a group, passes one question of a condition; what cannot be told does not fit."""
    run = Run(person, definitions, person.distinct_id, _evaluate_flag)
    return check(run, Vantage(person.known_properties, person.distinct_id), question).verdict is True


def _begin(person: Person, definitions: Definitions, flag: Flag, vantage: Vantage) -> Evaluation:
    run = Run(person, definitions, vantage.identifier, _evaluate_flag, under_way=frozenset({flag.key}))
    return _evaluate_flag(run, flag, vantage)


def _evaluate_flag(run: Run, flag: Flag, vantage: Vantage) -> Evaluation:
    """Off, early access, holdout, conditions: in this order."""
    if not flag.is_active:
        return Evaluation(flag.key, False, Reason.DISABLED, payload=flag.payloads.get("false"))
    obstacle = _obstacle(run.person, flag)
    if obstacle:
        return _undecided(flag, obstacle)
    if flag.is_by_device and flag.group_index is None:
        vantage = Vantage(vantage.properties, run.person.device_id or run.person.distinct_id)
    return (
        _by_enrollment(run, flag, vantage) or _by_holdout(flag, vantage) or _by_conditions(run, flag, vantage)
    )


def _obstacle(person: Person, flag: Flag) -> Unknown | None:
    """What keeps a flag from being evaluated at all. The server knows everything but newer configurations."""
    if flag.is_newer:
        return Unknown(Why.CONFIGURATION_NEWER, flag.key)
    if person.is_complete:
        return None
    if flag.has_continuity:
        return Unknown(Why.CONTINUITY, flag.key)
    if flag.is_by_device and flag.group_index is None and not person.device_id:
        return Unknown(Why.DEVICE_MISSING, flag.key)
    return None


def _by_enrollment(run: Run, flag: Flag, vantage: Vantage) -> Evaluation | None:
    if flag.has_enrollment:
        return _by_opting_in(run, flag, vantage)
    older = flag.enrollment_condition
    if older is None or not any(question.key in vantage.properties for question in older.filters):
        return None
    alone = Flag(flag.key, conditions=(older,))
    result = evaluate_condition(run, alone, 0, vantage)
    return _enrolled(flag, result.outcome is Outcome.MATCHED)


def _by_opting_in(run: Run, flag: Flag, vantage: Vantage) -> Evaluation | None:
    """Where not everything is known, a missing answer is no answer, and a group has none to give."""
    if flag.group_index is not None and not run.person.is_complete:
        return _undecided(flag, Unknown(Why.PROPERTY_MISSING, flag.enrollment_key))
    properties = vantage.properties if flag.group_index is None else run.person.known_properties
    if flag.enrollment_key in properties:
        answer = properties[flag.enrollment_key]
        return _enrolled(flag, answer is True or answer == "true")
    if run.person.is_complete:
        return None
    return _undecided(flag, Unknown(Why.PROPERTY_MISSING, flag.enrollment_key))


def _enrolled(flag: Flag, is_in: bool) -> Evaluation:
    payload = flag.payloads.get("true" if is_in else "false")
    return Evaluation(flag.key, is_in, Reason.ENROLLMENT, payload=payload, enrollment=is_in)


def _by_holdout(flag: Flag, vantage: Vantage) -> Evaluation | None:
    if flag.holdout is None:
        return None
    draw = _holdout_draw(flag, vantage)
    if draw is None or not draw.is_in:
        return None
    value = f"holdout-{flag.holdout.id}"
    return Evaluation(flag.key, value, Reason.HOLDOUT, payload=flag.payloads.get(value), holdout=draw)


def _holdout_draw(flag: Flag, vantage: Vantage) -> Draw | None:
    if flag.holdout is None:
        return None
    fraction = holdout_fraction(vantage.identifier)
    return Draw(fraction, flag.holdout.percentage, str(vantage.identifier))


def _by_conditions(run: Run, flag: Flag, vantage: Vantage) -> Evaluation:
    results: list[ConditionResult] = []
    for index in range(len(flag.conditions)):
        result = evaluate_condition(run, flag, index, vantage)
        results.append(result)
        if result.outcome is Outcome.MATCHED:
            return _matched(flag, results, vantage)
        if result.unknown and result.unknown.is_final:
            return _undecided(flag, result.unknown, results)
        if flag.exits_early and result.outcome is Outcome.OUT_OF_ROLLOUT:
            break
    return _unmatched(run, flag, results, vantage)


def _matched(flag: Flag, results: list[ConditionResult], vantage: Vantage) -> Evaluation:
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
        _holdout_draw(flag, vantage),
    )


def _unmatched(run: Run, flag: Flag, results: list[ConditionResult], vantage: Vantage) -> Evaluation:
    unknown = next((result.unknown for result in results if result.unknown), None)
    if unknown and not run.person.is_complete:
        return _undecided(flag, unknown, results)
    nearest = max(results, key=lambda result: (_REASONS[result.outcome][0], result.index), default=None)
    reason = _REASONS[nearest.outcome][1] if nearest else Reason.NO_CONDITION_MATCH
    if unknown and unknown.why is Why.FLAG_MISSING:
        reason = Reason.MISSING_DEPENDENCY
    return Evaluation(
        flag.key,
        False,
        reason,
        nearest.index if nearest else None,
        flag.payloads.get("false"),
        tuple(results),
        _holdout_draw(flag, vantage),
    )


def _undecided(flag: Flag, unknown: Unknown, results: Iterable[ConditionResult] = ()) -> Evaluation:
    missing = unknown.why is Why.FLAG_MISSING
    reason = Reason.MISSING_DEPENDENCY if missing else Reason.UNKNOWN
    return Evaluation(flag.key, None, reason, conditions=tuple(results), unknown=unknown)

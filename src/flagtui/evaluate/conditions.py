"""One condition of a flag: every question answered, then the draw."""

from flagtui.evaluate.evaluation import Check, ConditionResult, Draw, Outcome, VariantDraw
from flagtui.evaluate.filters import check
from flagtui.evaluate.hashing import rollout_fraction, variant_fraction
from flagtui.evaluate.parts import Condition, Flag
from flagtui.evaluate.run import Run, Vantage
from flagtui.evaluate.unknown import Unknown, Why


def evaluate_condition(run: Run, flag: Flag, index: int, vantage: Vantage) -> ConditionResult:
    condition = flag.conditions[index]
    if condition.problem:
        return _unknown(index, Unknown(Why.CONDITION_MALFORMED, condition.problem, is_final=True))
    its_own = _vantage_of(run, flag, condition, vantage)
    if its_own is None:
        return ConditionResult(index, Outcome.NO_GROUP)
    checks = _checked(run, its_own, condition)
    decisive = next((one for one in checks if one.verdict is False), None)
    if decisive:
        return ConditionResult(index, Outcome.PROPERTIES_DIFFER, checks)
    unknown = next((one.verdict for one in checks if isinstance(one.verdict, Unknown)), None)
    if unknown:
        return _unknown(index, unknown, checks)
    return _drawn(flag, index, checks, its_own)


def draw_variant(flag: Flag, identifier: str | int) -> VariantDraw:
    shares = [(variant.key, variant.percentage) for variant in flag.variants]
    return VariantDraw.among(variant_fraction(flag.key, identifier), shares)


def _unknown(index: int, unknown: Unknown, checks: tuple[Check, ...] = ()) -> ConditionResult:
    return ConditionResult(index, Outcome.UNKNOWN, checks, unknown=unknown)


def _vantage_of(run: Run, flag: Flag, condition: Condition, vantage: Vantage) -> Vantage | None:
    """A condition may be about another kind of group than its flag; None when that group is not given."""
    if condition.group_index == flag.group_index or condition.group_index is None:
        return vantage
    name = run.definitions.group_types.get(str(condition.group_index)) if run.groups_count else None
    group = run.person.groups.get(name) if name else None
    return Vantage(group.known_properties, group.key) if group else None


def _checked(run: Run, vantage: Vantage, condition: Condition) -> tuple[Check, ...]:
    """After the first no the rest is asked only to be shown."""
    checks: list[Check] = []
    asking = run
    for question in condition.filters:
        found = check(asking, vantage, question)
        checks.append(found)
        if found.verdict is False and asking is run:
            asking = run.aside()
    return tuple(checks)


def _drawn(flag: Flag, index: int, checks: tuple[Check, ...], vantage: Vantage) -> ConditionResult:
    condition, identifier = flag.conditions[index], vantage.identifier
    rollout = None
    if condition.percentage is not None:
        fraction = rollout_fraction(flag.key, identifier)
        rollout = Draw(fraction, condition.percentage, str(identifier))
        if not rollout.is_in:
            return ConditionResult(index, Outcome.OUT_OF_ROLLOUT, checks, rollout)
    forced = condition.variant if condition.variant in {variant.key for variant in flag.variants} else None
    drawn = draw_variant(flag, identifier) if flag.variants and not forced else None
    return ConditionResult(index, Outcome.MATCHED, checks, rollout, forced, drawn)

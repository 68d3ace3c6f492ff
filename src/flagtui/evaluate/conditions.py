"""One condition of a flag: every question answered, then the draw by hash."""

from hashlib import sha1

from flagtui.evaluate.evaluation import Check, ConditionResult, Draw, Ending, Unknown, VariantDraw, Why
from flagtui.evaluate.filters import check
from flagtui.evaluate.parts import ConditionParts, FlagParts
from flagtui.evaluate.run import Rules, Run, Vantage


def evaluate_condition(
    run: Run, flag: FlagParts, index: int, inherited: Vantage | None = None
) -> ConditionResult:
    """Evaluate one condition.

    ``inherited`` is the vantage of a library's conditions about the flag's group type.
    """
    condition = flag.conditions[index]
    if condition.problem:
        return _unknown(index, Unknown(Why.CONDITION_MALFORMED, condition.problem, is_final=True))
    vantage = (
        _library_vantage(run, flag, condition, inherited) if inherited else _vantage(run, flag, condition)
    )
    if not isinstance(vantage, Vantage):
        return ConditionResult(index, vantage)
    checks = _check_condition(run, vantage, condition) if condition.filters else ()
    if any(each.verdict is False for each in checks):
        return ConditionResult(index, Ending.PROPERTIES_DIFFER, checks)
    unknown = next((each.verdict for each in checks if isinstance(each.verdict, Unknown)), None)
    if unknown:
        return _unknown(index, unknown, checks)
    return _draw_condition(run.rules, flag, index, checks, vantage)


def draw_variant(flag: FlagParts, identifier: str | int, rules: Rules = Rules.SERVER) -> VariantDraw:
    """Return the variant that the hash of the identifier selects."""
    shares = [(variant.key, variant.percentage) for variant in flag.variants]
    fraction = 0.0 if _is_unidentified(identifier, rules) else variant_fraction(flag.key, identifier)
    return VariantDraw.among(fraction, shares)


def _is_unidentified(identifier: str | int, rules: Rules) -> bool:
    """Return whether the identifier is empty: the server does not hash it and is below every percentage."""
    return identifier == "" and rules is Rules.SERVER


def _unknown(index: int, unknown: Unknown, checks: tuple[Check, ...] = ()) -> ConditionResult:
    return ConditionResult(index, Ending.UNKNOWN, checks, unknown=unknown)


def _vantage(run: Run, flag: FlagParts, condition: ConditionParts) -> Vantage | Ending:
    """Return the vantage of the condition, which may be about another kind of group than its flag."""
    if condition.group_index is None:
        is_skipped = flag.is_by_device and not run.person.device_id
        return Ending.NO_DEVICE if is_skipped else run.of_person(flag)
    group = run.group(condition.group_index)
    if group is None:
        return Ending.NO_GROUP
    return Vantage(group.known_properties, group.key, condition.group_index)


def _library_vantage(
    run: Run, flag: FlagParts, condition: ConditionParts, inherited: Vantage
) -> Vantage | Ending:
    if condition.group_index == flag.group_index or condition.group_index is None:
        return inherited
    group = run.group(condition.group_index) if run.groups_count else None
    return Vantage(group.known_properties, group.key) if group else Ending.NO_GROUP


def _check_condition(run: Run, vantage: Vantage, condition: ConditionParts) -> tuple[Check, ...]:
    """Return the checks of the condition; those after the first no are evaluated only for display."""
    checks: list[Check] = []
    asking = run
    for question in condition.filters:
        checked = check(asking, vantage, question)
        checks.append(checked)
        if checked.verdict is False and asking is run:
            asking = run.for_explanation()
    return tuple(checks)


def _draw_condition(
    rules: Rules, flag: FlagParts, index: int, checks: tuple[Check, ...], vantage: Vantage
) -> ConditionResult:
    condition, identifier = flag.conditions[index], vantage.identifier
    rollout = None
    if condition.percentage is not None:
        fraction = 0.0 if _is_unidentified(identifier, rules) else rollout_fraction(flag.key, identifier)
        rollout = Draw(fraction, condition.percentage)
        if not rollout.is_in:
            return ConditionResult(index, Ending.OUT_OF_ROLLOUT, checks, rollout)
    forced = condition.variant if condition.variant in {variant.key for variant in flag.variants} else None
    drawn = draw_variant(flag, identifier, rules) if flag.variants and not forced else None
    return ConditionResult(index, Ending.MATCHED, checks, rollout, forced, drawn)


_SCALE = float(0xFFFFFFFFFFFFFFF)


def rollout_fraction(flag_key: str, identifier: str | int) -> float:
    """Return the hash for the rollout, from 0 to 1."""
    return _fraction(f"{flag_key}.{identifier}")


def variant_fraction(flag_key: str, identifier: str | int) -> float:
    """Return the hash for the variant, from 0 to 1."""
    return _fraction(f"{flag_key}.{identifier}variant")


def holdout_fraction(identifier: str | int, prefix: str = "holdout-") -> float:
    """Return the hash of a holdout, from 0 to 1.

    The default prefix does not depend on the flag: it holds the same users out of every flag with the
    holdout. A rule of configuration version 2 passes the seed of its own holdout.
    """
    return _fraction(f"{prefix}{identifier}")


def _fraction(text: str) -> float:
    """Return the first 15 hexadecimal digits of the SHA-1 divided by their greatest value: 0 to 1
    inclusive.
    """
    digest = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return (int.from_bytes(digest[:8]) >> 4) / _SCALE

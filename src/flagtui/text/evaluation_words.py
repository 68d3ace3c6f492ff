"""Describe evaluations: the reason, the rollout, why two users differ. Server text is made safe."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from flagtui.details.evaluations import PersonEvaluation
from flagtui.evaluate.conditions import draw_variant, rollout_fraction
from flagtui.evaluate.evaluation import ConditionResult, Draw, Ending, Evaluation, Reason, RuleReason, Why
from flagtui.evaluate.explanation import (
    apart,
    describe,
    describe_condition,
    describe_filter,
    describe_rule,
    parting,
)
from flagtui.evaluate.parts import FlagParts
from flagtui.models.flag_responses import ConditionCheck
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent

REASONS: Final = {
    "condition_match": "a condition",
    "no_condition_match": "no condition matches",
    "out_of_rollout_bound": "the rollout of",
    "no_group_type": "it needs a group that is missing",
    "super_condition_value": "early access",
    "holdout_condition_value": "held out of experiments",
    "flag_disabled": "the flag is off",
    "disabled": "the flag is off",
    "missing_dependency": "a dependency is missing or circular",
    "unknown": "not known here",
    RuleReason.ROLLOUT_MISS: "the rollout of",
    RuleReason.EXPERIMENT_PAUSED: "the paused split of",
    RuleReason.HOLDOUT: "the holdout of",
    RuleReason.NO_RULE_MATCH: "no rule matches: default value",
    RuleReason.ERROR: "the server cannot evaluate this flag",
}


def value_words(value: JSON) -> str:
    """Format a value: `on`, `off`, a variant, or `?`; a variant named on or off is in quotes."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value in ("on", "off"):
        return f'"{value}"'
    if value is None:
        return "?"
    return safe_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 60)


def served_words(account: PersonEvaluation) -> str:
    """Format the value of an account; a known None of rules is the caller's own default, or a failure."""
    if account.value is None and account.reason in RULE_REASONS:
        if account.reason == RuleReason.TARGETING_MATCH:
            return "?"
        return "error" if account.reason == RuleReason.ERROR else "the caller's default"
    return value_words(account.value)


RULE_REASONS: Final = frozenset(RuleReason)


def decided_by(account: PersonEvaluation) -> str:
    """Name what decided: `condition 1`, `no condition matches`, `early access`."""
    index = account.condition_index
    here = account.here
    if here is not None and (
        (not here.is_known and account.value is None and account.reason not in RULE_REASONS)
        or (here.problem is not None and not account.is_from_server)
    ):
        return safe_text(describe(here), 160)
    if account.is_from_server and account.reason == Reason.UNKNOWN:
        return "the server names no reason"
    words = REASONS.get(account.reason, safe_text(account.reason, 40))
    if index is None:
        return words
    if account.reason == "condition_match":
        return f"condition {index + 1}"
    if account.reason == RuleReason.TARGETING_MATCH:
        return f"rule {index + 1}"
    if account.reason in (RuleReason.ROLLOUT_MISS, RuleReason.EXPERIMENT_PAUSED, RuleReason.HOLDOUT):
        return f"{words} rule {index + 1}"
    if account.reason == "out_of_rollout_bound":
        return f"{words} condition {index + 1}"
    return words


def hash_words(account: PersonEvaluation) -> tuple[str, bool] | None:
    """Return `0.31 ≤ 0.50  in` for the deciding condition, and whether the user is in."""
    draw = _draw(account)
    if draw is None:
        return None
    fraction, limit = apart(draw.fraction, draw.percentage / 100)
    return f"{fraction} ≤ {limit}  in" if draw.is_in else f"{fraction} > {limit}  out", draw.is_in


def condition_sentences(account: PersonEvaluation) -> tuple[str, ...]:
    """Return each condition with its result as raw text, from the server if it sent one."""
    if account.by_server is not None and account.by_server.conditions:
        return tuple(_check_sentence(check) for check in account.by_server.conditions)
    if account.here is None:
        return account.refusals
    if account.here.rules is not None:
        steps = tuple(describe_rule(step) for step in account.here.rules.steps)
        is_decided = account.here.is_known and account.here.condition_index is not None
        return steps if is_decided else (*steps, describe(account.here))
    return tuple(describe_condition(result) for result in account.here.conditions) or (
        describe(account.here),
    )


def _check_sentence(check: ConditionCheck) -> str:
    sentence = check.explanation or ("matches" if check.matched else "does not match")
    number = f"condition {check.index + 1}"
    # Some servers send the number themselves.
    return sentence if sentence.startswith(number) else f"{number}: {sentence}"


def variant_words(account: PersonEvaluation) -> str:
    """Return `0.84 → test`; empty if no variant is chosen."""
    if account.here is not None and account.here.rules is not None:
        split = account.here.rules.steps[-1].variant if account.here.rules.steps else None
        return f"{split.fraction:.2f} → {safe_text(account.here.rules.variant or '', 40)}" if split else ""
    parts, identifier = _parts(account), _identifier(account)
    index = account.condition_index
    is_drawn = account.reason == "condition_match" and account.value not in (False, None)
    if parts is None or identifier is None or index is None or not parts.variants or not is_drawn:
        return ""
    forced = parts.conditions[index].variant
    if forced is not None and forced == account.value:
        return f"{safe_text(forced, 40)}, set by the condition"
    draw = draw_variant(parts, identifier)
    return f"{draw.fraction:.2f} → {safe_text(draw.key or 'none of them', 40)}"


def library_words(account: PersonEvaluation) -> str:
    """Return `on: condition 1 matches` if a library with local evaluation disagrees; else empty."""
    here, library = account.here, account.by_library
    if here is None or library is None or here.value is None or library.value is None:
        return ""
    if (type(here.value), here.value) == (type(library.value), library.value):
        return ""
    return f"{value_words(library.value)}: {safe_text(parting(here, library)[1], 200)}"


def _draw(account: PersonEvaluation) -> Draw | None:
    if account.here is not None and account.here.holdout is not None and account.here.holdout.is_in:
        return account.here.holdout
    if account.here is not None and account.here.rules is not None and account.here.rules.steps:
        deciding = account.here.rules.steps[-1]
        is_held_out = deciding.holdout is not None and deciding.holdout.is_in
        return deciding.holdout if is_held_out else deciding.rollout
    parts, identifier, index = _parts(account), _identifier(account), account.condition_index
    if parts is None or identifier is None or index is None or index >= len(parts.conditions):
        return None
    percentage = parts.conditions[index].percentage
    if percentage is None or account.reason not in ("condition_match", "out_of_rollout_bound"):
        return None
    return Draw(rollout_fraction(parts.key, identifier), percentage)


def _parts(account: PersonEvaluation) -> FlagParts | None:
    return account.definitions.flags.get(account.flag.key) if account.definitions else None


def _identifier(account: PersonEvaluation) -> str | None:
    """Return the text that is hashed for the deciding condition; None if not known."""
    parts, index = _parts(account), account.condition_index
    if parts is None or account.definitions is None or index is None or index >= len(parts.conditions):
        return None
    kind = parts.conditions[index].group_index
    if kind is not None:
        return account.subject.groups.get(account.definitions.group_types.get(str(kind), ""))
    if parts.is_by_device:
        return account.subject.device_id
    return account.subject.distinct_id


def payload_words(account: PersonEvaluation) -> str:
    """Return the payload on one line, masked if it is encrypted."""
    stored = account.payload
    if stored is None or account.value in (False, None):
        return "none"
    if account.flag.has_encrypted_payloads:
        return "••••••"
    return safe_text(stored if isinstance(stored, str) else json.dumps(stored, ensure_ascii=False), 200)


def why_they_differ(left: PersonEvaluation, right: PersonEvaluation) -> str:
    """Explain in one sentence why two users get different values of this flag."""
    left_local, right_local = left.here, right.here
    names = (safe_text(left.subject.distinct_id, 40), safe_text(right.subject.distinct_id, 40))
    if left_local is None or right_local is None or not (_is_explained(left) and _is_explained(right)):
        return f"{names[0]}: {decided_by(left)}; {names[1]}: {decided_by(right)}"
    for first, second in zip(left_local.conditions, right_local.conditions, strict=False):
        words = _difference(first, second, names) or _difference(second, first, names[::-1])
        if words:
            return words
    first_words, second_words = parting(left_local, right_local)
    return safe_text(f"{names[0]}: {first_words}; {names[1]}: {second_words}", 400)


def _is_explained(account: PersonEvaluation) -> bool:
    """Return whether local evaluation has the value shown."""
    here = account.here
    return here is not None and here.is_known and here.value == account.value


def _difference(has: ConditionResult, lacks: ConditionResult, names: Sequence[str]) -> str:
    number = has.index + 1
    if lacks.outcome is Ending.PROPERTIES_DIFFER and has.outcome in (Ending.MATCHED, Ending.OUT_OF_ROLLOUT):
        properties = safe_text(describe_filter(lacks.differing.filter), 160)
        return f"condition {number} requires {properties}: {names[0]} matches, {names[1]} does not."
    if has.outcome is Ending.MATCHED and lacks.outcome is Ending.OUT_OF_ROLLOUT and lacks.rollout:
        share = lacks.rollout.percentage
        fraction, _ = apart(lacks.rollout.fraction, share / 100)
        who = f"{names[0]} is in, {names[1]} is out with {fraction}"
        return f"condition {number} rolls out to {percent(share)}: {who}."
    if has.variant and lacks.variant and has.variant.key != lacks.variant.key and has.variant.key:
        first, second = apart(has.variant.fraction, lacks.variant.fraction)
        bucket = f"{names[0]} gets {safe_text(has.variant.key, 40)} ({first})"
        other = f"{safe_text(str(lacks.variant.key), 40)} ({second})"
        return f"{bucket}, {names[1]} gets {other}."
    return ""


class Differing(msgspec.Struct, frozen=True):
    """Another flag with different values for the two users. `why` is safe text."""

    key: str
    left: JSON
    right: JSON
    why: str


def differing(left: PersonEvaluation, right: PersonEvaluation) -> Iterator[Differing]:
    """Yield every other flag with known and different values for the two users, by key."""
    for key in sorted(all_keys(left) & all_keys(right) - {left.flag.key}):
        first, second = left.value_of(key), right.value_of(key)
        if first is None or second is None or (type(first), first) == (type(second), second):
            continue
        yield Differing(
            key, first, second, _why(left.local_values.get(key), right.local_values.get(key), first, second)
        )


def all_keys(account: PersonEvaluation) -> set[str]:
    """Return the keys of all flags with a value from the server or from local evaluation."""
    return {*account.server_values, *account.local_values}


def too_costly(account: PersonEvaluation) -> set[str]:
    """Return the keys of flags whose value is not known because of a costly pattern."""
    unknowns = {key: evaluation.unknown for key, evaluation in account.local_values.items()}
    return {
        key
        for key, unknown in unknowns.items()
        if unknown and unknown.why is Why.PATTERN_COSTLY and account.value_of(key) is None
    }


def _why(left: Evaluation | None, right: Evaluation | None, first: JSON, second: JSON) -> str:
    if left is None or right is None or left.value != first or right.value != second:
        return "according to the server"
    for on_left, on_right in zip(left.conditions, right.conditions, strict=False):
        for has, lacks in ((on_left, on_right), (on_right, on_left)):
            if lacks.outcome is Ending.PROPERTIES_DIFFER and has.outcome is not lacks.outcome:
                return safe_text(describe_filter(lacks.differing.filter), 80)
        if on_left.rollout and on_right.rollout and on_left.outcome is not on_right.outcome:
            hashes = " / ".join(apart(on_left.rollout.fraction, on_right.rollout.fraction))
            return f"rollout {percent(on_left.rollout.percentage)}: hash {hashes}"
        if on_left.variant and on_right.variant and on_left.variant.key != on_right.variant.key:
            return f"variant hash {' / '.join(apart(on_left.variant.fraction, on_right.variant.fraction))}"
    return safe_text(" / ".join(parting(left, right)), 120)

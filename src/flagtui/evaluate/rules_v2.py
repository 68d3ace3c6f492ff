"""Evaluate flag configuration version 2 ("rules"): a document and a person in, the value and its rule out."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from flagtui.evaluate.conditions import holdout_fraction, rollout_fraction, variant_fraction
from flagtui.evaluate.evaluation import (
    Check,
    Draw,
    RuleOutcome,
    RuleReason,
    RulesEvaluation,
    RuleStep,
    Unknown,
    VariantDraw,
    Verdict,
    Why,
)
from flagtui.evaluate.filters import compare, without_property
from flagtui.evaluate.parts import LARGEST, Filter, read_filter
from flagtui.evaluate.run import Manner, Person

KindT = TypeVar("KindT")
SUBJECT_LENGTH: Final = 200
"""Characters of a distinct id that are hashed; the server cuts the rest off."""
_RULE_TYPES: Final = ("targeted_release", "percentage_rollout", "experiment")
_OPPOSITE_PATTERNS: Final = {"regex": "not_regex", "not_regex": "regex"}


class _FailureError(Exception):
    """Carry the reason that fails the whole flag out of the rule being evaluated."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.why)
        self.unknown = unknown


def evaluate_rules(filters: Mapping[str, Any], person: Person, manner: Manner) -> RulesEvaluation:
    """Evaluate the rules of an active flag in stored order; the first decisive rule wins.

    Args:
        filters: The stored document, whose numeric ``version`` is 2.
        person: Only the distinct id and person properties count; device and groups do not.
        manner: Time zone, moment and matching version of the project.

    A predicate that cannot be evaluated fails the whole flag, unlike in version 1, where it is no match.
    """
    steps: list[RuleStep] = []
    try:
        for index, raw in enumerate(_member(filters, "rules", list)):
            rule = _object(raw, "rules")
            step, decision = _evaluate_rule(index, rule, filters.get("default_value"), person, manner)
            steps.append(step)
            if decision is not None:
                value, reason, variant = decision
                rule_id, rule_type = str(rule.get("id") or "") or None, step.rule_type
                return RulesEvaluation(value, reason, index, rule_id, rule_type, variant, tuple(steps))
    except _FailureError as error:
        return RulesEvaluation(None, RuleReason.ERROR, steps=tuple(steps), failure=error.unknown)
    return RulesEvaluation(filters.get("default_value"), RuleReason.NO_RULE_MATCH, steps=tuple(steps))


_Decision = tuple[Any, RuleReason, str | None]
"""Value, reason and variant key."""


def _evaluate_rule(
    index: int, rule: dict[str, Any], default: Any, person: Person, manner: Manner
) -> tuple[RuleStep, _Decision | None]:
    rule_type = rule.get("rule_type")
    if rule_type not in _RULE_TYPES:
        raise _malformed_error("rule_type")
    checks = _check_targeting(rule, person, manner)
    if any(check.verdict is False for check in checks):
        return RuleStep(index, rule_type, RuleOutcome.TARGETING_MISS, checks), None
    if rule_type == "targeted_release":
        step = RuleStep(index, rule_type, RuleOutcome.SERVED, checks)
        return step, (rule.get("value"), RuleReason.TARGETING_MATCH, None)
    if rule_type == "experiment" and rule.get("paused") is True:
        step = RuleStep(index, rule_type, RuleOutcome.PAUSED, checks)
        return step, (default, RuleReason.EXPERIMENT_PAUSED, None)
    subject = person.distinct_id[:SUBJECT_LENGTH]
    holdout = _draw_holdout(rule, subject) if rule_type == "experiment" else None
    if holdout is not None and holdout.is_in:
        step = RuleStep(index, rule_type, RuleOutcome.HELD_OUT, checks, holdout)
        return step, (default, RuleReason.HOLDOUT, None)
    seed, percentage = _member(rule, "seed", str), _number(rule, "rollout_percentage")
    is_hashed = subject != "" and percentage < 100
    rollout = Draw(rollout_fraction(seed, subject), percentage) if is_hashed else None
    if subject == "" or (rollout is not None and not rollout.is_in):
        decision = _decide_miss(rule, default)
        outcome = RuleOutcome.DEFAULT_ON_MISS if decision else RuleOutcome.ROLLOUT_MISS
        return RuleStep(index, rule_type, outcome, checks, holdout, rollout), decision
    if rule_type == "percentage_rollout":
        step = RuleStep(index, rule_type, RuleOutcome.SERVED, checks, rollout=rollout)
        return step, (rule.get("value"), RuleReason.TARGETING_MATCH, None)
    draw, key, value = _draw_variant(rule, seed, subject)
    step = RuleStep(index, rule_type, RuleOutcome.SERVED, checks, holdout, rollout, draw)
    return step, (value, RuleReason.TARGETING_MATCH, key)


def _check_targeting(rule: dict[str, Any], person: Person, manner: Manner) -> tuple[Check, ...]:
    """Check predicates in order up to the first miss; raise _FailureError at one without a verdict."""
    properties = _member(_member(rule, "targeting", dict), "properties", list)
    checks: list[Check] = []
    for raw in properties:
        check = _check_property(read_filter(_object(raw, "properties")), person, manner)
        checks.append(check)
        if check.verdict is False:
            break
    return tuple(checks)


def _check_property(predicate: Filter, person: Person, manner: Manner) -> Check:
    if predicate.type != "person":
        raise _malformed_error(predicate.type or "type")
    properties = person.known_properties
    is_present = predicate.key in properties
    actual = properties.get(predicate.key)
    if is_present:
        verdict = _compare(predicate, actual, manner)
    elif person.is_complete:
        verdict = without_property(predicate.operator, predicate.value)
    else:
        verdict = Unknown(Why.PROPERTY_MISSING, predicate.key)
    if isinstance(verdict, Unknown):
        raise _FailureError(verdict if verdict.about else Unknown(verdict.why, predicate.key))
    return Check(predicate, verdict is not predicate.is_negated, is_present, actual)


def _compare(predicate: Filter, actual: Any, manner: Manner) -> Verdict:
    """Compare as version 1 does, except that an invalid pattern has no verdict.

    Version 1 counts an invalid pattern as no match for both ``regex`` and ``not_regex``.
    """
    operator, value = predicate.operator, predicate.value
    verdict = compare(operator, value, actual, manner)
    if verdict is not False or operator not in _OPPOSITE_PATTERNS:
        return verdict
    opposite = compare(_OPPOSITE_PATTERNS[operator], value, actual, manner)
    return Unknown(Why.FILTER_UNUSABLE) if opposite is False else verdict


def _draw_holdout(rule: dict[str, Any], subject: str) -> Draw | None:
    """Return the draw of the rule's holdout; None without one. An empty subject is never held out."""
    if rule.get("holdout") is None or subject == "":
        return None
    holdout = _member(rule, "holdout", dict)
    fraction = holdout_fraction(subject, _member(holdout, "seed", str))
    return Draw(fraction, _number(holdout, "exclusion_percentage"))


def _decide_miss(rule: dict[str, Any], default: Any) -> _Decision | None:
    match rule.get("on_rollout_miss"):
        case "return_default":
            return default, RuleReason.ROLLOUT_MISS, None
        case "continue":
            return None
        case _:
            raise _malformed_error("on_rollout_miss")


def _draw_variant(rule: dict[str, Any], seed: str, subject: str) -> tuple[VariantDraw, str, Any]:
    """Return the draw, the key and the value; beyond the last boundary the last variant is served."""
    variants = [_object(raw, "variants") for raw in _member(rule, "variants", list)]
    if not variants:
        raise _malformed_error("variants")
    weights = [(_member(variant, "key", str), _number(variant, "weight")) for variant in variants]
    draw = VariantDraw.among(variant_fraction(seed, subject), weights)
    key = draw.key or weights[-1][0]
    return draw, key, next(variant.get("value") for variant in variants if variant["key"] == key)


def _malformed_error(name: str) -> _FailureError:
    return _FailureError(Unknown(Why.FILTERS_MALFORMED, name))


def _object(raw: Any, name: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _malformed_error(name)
    return raw


def _member(raw: Mapping[str, Any], name: str, kind: type[KindT]) -> KindT:
    if not isinstance(value := raw.get(name), kind):
        raise _malformed_error(name)
    return value


def _number(raw: Mapping[str, Any], name: str) -> float:
    value = raw.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise _malformed_error(name)
    return value

"""An evaluation in words: "hash 0.31 ≤ 0.50: in", "email ends with @acme.com: it is a@acme.com".

Server text is quoted as it is; callers pass it through `safe_text` before drawing.
"""

from flagtui.evaluate.evaluation import (
    Check,
    ConditionResult,
    Draw,
    Ending,
    Evaluation,
    Reason,
    RuleOutcome,
    RulesEvaluation,
    RuleStep,
    Unknown,
    VariantDraw,
    Why,
)
from flagtui.evaluate.operator_words import COHORT_WORDS, asked_words, list_values, property_name
from flagtui.evaluate.parts import Filter

_UNKNOWN_WORDS = {
    Why.PROPERTY_MISSING: "{} is not known",
    Why.PROPERTY_UNREADABLE: "{} cannot be compared like that",
    Why.FILTER_UNUSABLE: "the condition on {} requires a value that cannot be compared",
    Why.OPERATOR_UNKNOWN: "the operator {} is not known here",
    Why.KEY_MISSING: "the filter names no property",
    Why.TYPE_UNKNOWN: "servers look up no property of type {}",
    Why.PATTERN_UNSUPPORTED: "only the server knows what matches {}",
    Why.PATTERN_COSTLY: "too costly to evaluate here: {}",
    Why.COHORT_UNKNOWN: "only the server knows who is in cohort {}",
    Why.COHORT_MALFORMED: "the definition of cohort {} cannot be read",
    Why.COHORT_CIRCULAR: "cohort {} contains itself",
    Why.FLAG_MISSING: "flag {} does not exist",
    Why.FLAG_CIRCULAR: "flag {} depends on itself",
    Why.FLAG_UNKNOWN: "the value of flag {} cannot be known here",
    Why.GROUP_TYPE_UNKNOWN: "group type {} does not exist",
    Why.DEVICE_MISSING: "the flag is bucketed by device, and no device id is given",
    Why.CONTINUITY: "the flag keeps earlier values, which only the server knows",
    Why.CONFIGURATION_NEWER: "the flag has a newer kind of configuration",
    Why.CONDITION_MALFORMED: "the condition cannot be read: {}",
    Why.FILTERS_MALFORMED: "the flag matches no one, since it cannot be read: {}",
}


_LONGEST_NAME = 80
"""Characters of an unknown value: a pattern may be longer than the screen."""


def describe_unknown(unknown: Unknown) -> str:
    about = unknown.about
    short = about if len(about) <= _LONGEST_NAME else about[: _LONGEST_NAME - 1] + "…"
    return _UNKNOWN_WORDS[unknown.why].format(short)


def describe_draw(draw: Draw) -> str:
    fraction, limit = apart(draw.fraction, draw.percentage / 100)
    return f"hash {fraction} ≤ {limit}: in" if draw.is_in else f"hash {fraction} > {limit}: out"


def _beside(draw: Draw | None) -> str:
    """Return the draw in brackets, where there was one."""
    return f" ({describe_draw(draw)})" if draw else ""


def describe_variant(draw: VariantDraw) -> str:
    """Describe the variant of the hash, and the variant's range."""
    for key, low, high in draw.ranges:
        if low <= draw.fraction < high:
            return f"variant {key}: hash {draw.fraction:.2f} is in {low:.2f} to {high:.2f}"
    return f"no variant: hash {draw.fraction:.2f} is beyond all of them"


def describe_filter(question: Filter) -> str:
    """Describe a filter: "email ends with @acme.com", "is in cohort Staff"."""
    match question.kind:
        case "cohort":
            where = COHORT_WORDS.get(question.operator, "is in")
            return f"{where} cohort {question.label or question.value}"
        case "flag":
            return f"flag {question.key} evaluates to {list_values(question.value)}"
    words, values = asked_words(question.operator, question.value)
    return f"{property_name(question.key, question.type)} {words or question.operator} {values}".rstrip()


def describe_check(check: Check) -> str:
    """Describe a filter and the actual value."""
    requirement = describe_filter(check.filter)
    unknown = check.verdict if isinstance(check.verdict, Unknown) else check.problem
    if unknown and unknown.why is Why.PROPERTY_UNREADABLE and check.is_present:
        return f"{requirement}: it is {list_values(check.actual)}, which cannot be compared like that"
    if unknown:
        return f"{requirement}: {describe_unknown(unknown)}"
    if check.filter.kind == "cohort":
        return f"{requirement}: {'yes' if check.verdict is True else 'no'}"
    if not check.is_present:
        return f"{requirement}: there is none"
    return f"{requirement}: it is {list_values(check.actual)}"


def describe_condition(result: ConditionResult) -> str:
    """Describe why a condition matched or not, in one line. Conditions count from 1."""
    name = f"condition {result.index + 1}"
    match result.outcome:
        case Ending.MATCHED:
            return f"{name} matches{_beside(result.rollout)}"
        case Ending.OUT_OF_ROLLOUT:
            return f"{name} matches, but its rollout excludes them{_beside(result.rollout)}"
        case Ending.NO_DEVICE:
            return f"{name} is bucketed by device, and no device id is given"
        case Ending.NO_GROUP:
            return f"{name} is about a group that was not given"
        case Ending.UNKNOWN:
            return f"{name} cannot be decided: {describe_unknown(result.unknown)}" if result.unknown else name
        case Ending.PROPERTIES_DIFFER:
            return f"{name} does not match: {describe_check(result.differing)}"


def describe_rule(step: RuleStep) -> str:
    """Describe why a rule did or did not decide, in one line. Rules count from 1."""
    name = f"rule {step.index + 1}"
    match step.outcome:
        case RuleOutcome.SERVED if step.variant:
            return f"{name} matches{_beside(step.rollout)}, {describe_variant(step.variant)}"
        case RuleOutcome.SERVED:
            return f"{name} matches{_beside(step.rollout)}"
        case RuleOutcome.PAUSED:
            return f"{name} matches, and its split is paused: default value"
        case RuleOutcome.HELD_OUT:
            return f"{name} matches, and holds this user out: default value{_beside(step.holdout)}"
        case RuleOutcome.TARGETING_MISS:
            differing = next(check for check in step.checks if check.verdict is False)
            negation = "not " if differing.filter.is_negated else ""
            return f"{name} does not match: {negation}{describe_check(differing)}"
        case RuleOutcome.ROLLOUT_MISS:
            return f"{name} matches, but its rollout excludes this user: next rule{_beside(step.rollout)}"
        case RuleOutcome.DEFAULT_ON_MISS:
            return f"{name} matches, but its rollout excludes this user: default value{_beside(step.rollout)}"


def describe_rules(result: RulesEvaluation) -> str:
    """Describe what decided a flag with rules, in one line."""
    if result.failure:
        is_malformed = result.failure.why is Why.FILTERS_MALFORMED
        cause = f"malformed {result.failure.about}" if is_malformed else describe_unknown(result.failure)
        return f"the server cannot evaluate this flag: {cause}"
    if result.rule_index is None:
        return "no rule matches: default value"
    return describe_rule(result.steps[-1])


def describe(evaluation: Evaluation) -> str:
    """Describe what decided the flag, in one line."""
    if evaluation.unknown:
        return describe_unknown(evaluation.unknown)
    if evaluation.rules:
        return describe_rules(evaluation.rules)
    if evaluation.problem:
        return describe_unknown(evaluation.problem)
    return _describe_decision(evaluation)


def _describe_decision(evaluation: Evaluation) -> str:
    match evaluation.reason:
        case Reason.DISABLED:
            return "the flag is off"
        case Reason.ENROLLMENT:
            return "early access: opted in" if evaluation.enrollment else "early access: opted out"
        case Reason.HOLDOUT:
            return f"held out of experiments{_beside(evaluation.holdout)}"
        case Reason.NO_GROUP_TYPE if not evaluation.conditions:
            return "the flag is about a group that was not given"
    if evaluation.condition_index is None:
        return "the flag has no conditions"
    return describe_condition(evaluation.conditions[evaluation.condition_index])


def apart(fraction: float, other: float) -> tuple[str, str]:
    """Return two fractions with as many decimals, at least two, as distinguish them."""
    for digits in range(2, 17):
        texts = f"{fraction:.{digits}f}", f"{other:.{digits}f}"
        if texts[0] != texts[1]:
            return texts
    return f"{fraction:.2f}", f"{other:.2f}"


def parting(evaluation: Evaluation, other: Evaluation) -> tuple[str, str]:
    """Return the first conditions at which two evaluations differ; a line each."""
    for first, second in zip(evaluation.conditions, other.conditions, strict=False):
        if first.outcome is not second.outcome:
            return describe_condition(first), describe_condition(second)
        if first.variant and second.variant and first.variant.key != second.variant.key:
            return describe_variant(first.variant), describe_variant(second.variant)
    return describe(evaluation), describe(other)

"""The result of an evaluation, with everything needed to explain it.

`Check`, `Draw`, `ConditionResult` and `Evaluation` are never changed, yet not frozen: creating a frozen one
takes thrice the time, and a request for all flags creates hundreds.
"""

from collections.abc import Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

import msgspec

from flagtui.evaluate.parts import Filter


class Why(StrEnum):
    """The reason why something about a flag cannot be known here."""

    PROPERTY_MISSING = "property_missing"
    PROPERTY_UNREADABLE = "property_unreadable"
    FILTER_UNUSABLE = "filter_unusable"
    OPERATOR_UNKNOWN = "operator_unknown"
    KEY_MISSING = "key_missing"
    TYPE_UNKNOWN = "type_unknown"
    PATTERN_UNSUPPORTED = "pattern_unsupported"
    PATTERN_COSTLY = "pattern_costly"
    COHORT_UNKNOWN = "cohort_unknown"
    COHORT_MALFORMED = "cohort_malformed"
    COHORT_CIRCULAR = "cohort_circular"
    FLAG_MISSING = "flag_missing"
    FLAG_CIRCULAR = "flag_circular"
    FLAG_UNKNOWN = "flag_unknown"
    GROUP_TYPE_UNKNOWN = "group_type_unknown"
    DEVICE_MISSING = "device_missing"
    CONTINUITY = "experience_continuity"
    CONFIGURATION_NEWER = "configuration_newer"
    CONDITION_MALFORMED = "condition_malformed"
    FILTERS_MALFORMED = "filters_malformed"


TAKEN_FOR_NO: Final = frozenset((Why.PROPERTY_UNREADABLE, Why.FILTER_UNUSABLE))
"""Reasons that are false on the server and undecided in its libraries."""


class Unknown(msgspec.Struct, frozen=True):
    why: Why
    about: str = ""
    """The property, cohort id, flag key or value it is about."""
    is_final: bool = False
    """True when no later condition may decide the flag, as with a cohort only the server knows."""


class WrongPatternError(ValueError):
    """An invalid pattern."""


class UnsupportedPatternError(ValueError):
    """Some engine understands this pattern; here its meaning is not certain."""


Verdict = bool | Unknown


class Reason(StrEnum):
    """The server's own words for what decided a flag."""

    CONDITION_MATCH = "condition_match"
    NO_CONDITION_MATCH = "no_condition_match"
    OUT_OF_ROLLOUT = "out_of_rollout_bound"
    NO_GROUP_TYPE = "no_group_type"
    ENROLLMENT = "super_condition_value"
    HOLDOUT = "holdout_condition_value"
    DISABLED = "flag_disabled"
    MISSING_DEPENDENCY = "missing_dependency"
    UNKNOWN = "unknown"


class Check(msgspec.Struct):
    """A question and its verdict."""

    filter: Filter
    verdict: Verdict
    is_present: bool = False
    """Whether there is an actual value at all."""
    actual: Any = None
    """A property's value, or the value of the flag that was asked for."""
    problem: Unknown | None = None
    """Why the server counts it as not matching although it could not be compared."""


class Draw(msgspec.Struct):
    """A hash against a percentage."""

    fraction: float
    """From 0 to 1."""
    percentage: float

    @property
    def is_in(self) -> bool:
        """Return whether the hash is within the percentage."""
        return self.fraction <= self.percentage / 100


class VariantDraw(msgspec.Struct, frozen=True):
    """The variant's own hash, independent of the rollout's, and the ranges it falls into."""

    fraction: float
    ranges: tuple[tuple[str, float, float], ...]
    """Variant key, from (inclusive), to (exclusive); fractions."""

    @property
    def key(self) -> str | None:
        """Return the variant whose range contains the hash; None outside all ranges."""
        return next((key for key, low, high in self.ranges if low <= self.fraction < high), None)

    @classmethod
    def among(cls, fraction: float, shares: Mapping[str, float] | list[tuple[str, float]]) -> "VariantDraw":
        """Assign ranges to percentages in order; the rest of 100 belongs to no variant."""
        pairs = list(shares.items()) if isinstance(shares, Mapping) else shares
        bounds = [0.0]
        for _, percentage in pairs:
            bounds.append(bounds[-1] + percentage / 100)
        edges = pairwise(bounds)
        return cls(
            fraction, tuple((key, low, high) for (key, _), (low, high) in zip(pairs, edges, strict=True))
        )


class Ending(StrEnum):
    MATCHED = "matched"
    PROPERTIES_DIFFER = "properties_differ"
    OUT_OF_ROLLOUT = "out_of_rollout"
    NO_GROUP = "no_group"
    NO_DEVICE = "no_device"
    """Bucketing is by device and none was sent: it counts as out of the rollout."""
    UNKNOWN = "unknown"


class ConditionResult(msgspec.Struct):
    index: int
    outcome: Ending
    checks: tuple[Check, ...] = ()
    rollout: Draw | None = None
    """None when everyone whose properties fit is in, or when they did not fit."""
    forced_variant: str | None = None
    """The variant of the condition, when the flag has it."""
    variant: VariantDraw | None = None
    """None when there was nothing to draw."""
    unknown: Unknown | None = None

    @property
    def differing(self) -> Check:
        """Return the first check that came out as no; there is one where the properties differ."""
        return next(check for check in self.checks if check.verdict is False)


class RuleReason(StrEnum):
    """The server's words for what decided a flag of version 2."""

    TARGETING_MATCH = "targeting_match"
    ROLLOUT_MISS = "rollout_miss"
    EXPERIMENT_PAUSED = "experiment_paused"
    HOLDOUT = "holdout"
    NO_RULE_MATCH = "no_rule_match"
    ERROR = "error"


class RuleOutcome(StrEnum):
    """The outcome of a rule; evaluation continues after the two misses alone."""

    SERVED = "served"
    PAUSED = "paused"
    HELD_OUT = "held_out"
    DEFAULT_ON_MISS = "default_on_miss"
    TARGETING_MISS = "targeting_miss"
    ROLLOUT_MISS = "rollout_miss"


class RuleStep(msgspec.Struct, frozen=True):
    """One evaluated rule, with everything needed to explain its result."""

    index: int
    rule_type: str
    outcome: RuleOutcome
    checks: tuple[Check, ...] = ()
    """Evaluated predicates, up to the first that decided; verdicts include negation."""
    holdout: Draw | None = None
    rollout: Draw | None = None
    """None when nothing was hashed, as at 100 %."""
    variant: VariantDraw | None = None


class RulesEvaluation(msgspec.Struct, frozen=True):
    """The result of one version 2 document for one person."""

    value: Any
    """None when the default is null (callers use their own default) and on failure."""
    reason: RuleReason
    rule_index: int | None = None
    """0-based."""
    rule_id: str | None = None
    rule_type: str | None = None
    variant: str | None = None
    """Key of the drawn variant. The server never reports it for version 2."""
    steps: tuple[RuleStep, ...] = ()
    failure: Unknown | None = None
    """Why the whole flag failed; set exactly when the reason is ``error``."""


class Evaluation(msgspec.Struct):
    key: str
    value: Any
    """A boolean or a variant's key; with ``rules``, any JSON. None also when not ``is_known``."""
    reason: Reason | RuleReason
    condition_index: int | None = None
    """The condition that decided, or that came nearest; with ``rules``, the rule that decided. 0-based."""
    payload: Any = None
    """As stored, so usually JSON text."""
    conditions: tuple[ConditionResult, ...] = ()
    """Those that were looked at, in order; the last may have decided."""
    holdout: Draw | None = None
    enrollment: bool | None = None
    """What early access decided; None when it did not decide."""
    unknown: Unknown | None = None
    problem: Unknown | None = None
    """Why the server takes it for off without having looked at any condition; with ``rules``, its failure."""
    rules: RulesEvaluation | None = None
    """The steps of a flag with rules (configuration version 2); None for flags with conditions."""

    @property
    def is_known(self) -> bool:
        """Return False when only the server knows the value. A known None is a failure or the default."""
        return self.unknown is None

"""What a match can be besides yes and no: not known, and why."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Why(StrEnum):
    """Why something about a flag cannot be known here."""

    PROPERTY_MISSING = "property_missing"
    PROPERTY_UNREADABLE = "property_unreadable"
    FILTER_UNUSABLE = "filter_unusable"
    OPERATOR_UNKNOWN = "operator_unknown"
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
"""What the server takes for a plain no, where its libraries leave it open."""


@dataclass(frozen=True, slots=True)
class Unknown:
    why: Why
    about: str = ""
    """The property, cohort id, flag key or value it is about."""
    is_final: bool = False
    """True when no later condition may decide the flag, as with a cohort only the server knows."""


class UnsupportedPatternError(ValueError):
    """Some engine understands this pattern; here its meaning is not certain."""


Verdict = bool | Unknown

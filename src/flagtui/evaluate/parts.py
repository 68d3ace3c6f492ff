"""A flag as the evaluator sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["property", "cohort", "flag"]


@dataclass(frozen=True, slots=True)
class Filter:
    """One question of a condition or of a cohort."""

    kind: Kind
    """Person and group properties are asked alike; whose they are depends on the condition."""
    key: str
    """A property, or the key of the flag that is asked for."""
    operator: str
    value: Any
    type: str = ""
    """As received: person, group, person_metadata, cohort, flag."""
    group_index: int | None = None
    """The group type a group's property is of; None for that of the condition."""
    is_negated: bool = False
    """Counts inside cohorts only."""
    chain: tuple[str, ...] | None = None
    """For a flag: what to evaluate, in order, itself last; empty when circular; None when not known."""
    label: str = ""
    """What the server calls it for people: a cohort's or flag's name."""


@dataclass(frozen=True, slots=True)
class Condition:
    filters: tuple[Filter, ...] = ()
    percentage: float | None = None
    variant: str | None = None
    """The variant this condition forces; one that the flag does not have forces nothing."""
    group_index: int | None = None
    """The group type it is about; None for people."""
    problem: str = ""
    """Why it cannot be evaluated at all; empty when it can."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    key: str
    percentage: float


@dataclass(frozen=True, slots=True)
class Holdout:
    id: Any
    percentage: float
    """From 0 to 100; values outside are taken as the nearer end."""


@dataclass(frozen=True, slots=True)
class Flag:
    key: str
    id: int | None = None
    is_active: bool = False
    has_continuity: bool = False
    """A person keeps the value from before signing in, which only the server knows."""
    conditions: tuple[Condition, ...] = ()
    variants: tuple[Variant, ...] = ()
    group_index: int | None = None
    is_by_device: bool = False
    payloads: Mapping[str, Any] = field(default_factory=dict)
    holdout: Holdout | None = None
    has_enrollment: bool = False
    """Early access: people opt in or out by a property before any condition counts."""
    enrollment_condition: Condition | None = None
    """The older form of early access."""
    exits_early: bool = False
    """Stop at the first condition whose properties fit but whose rollout leaves the person out."""
    is_newer: bool = False
    """The configuration is of a version that this evaluator does not know, or is none."""
    problem: str = ""
    """Why its conditions cannot be read at all, so that it matches nobody; empty when they can."""

    @property
    def enrollment_key(self) -> str:
        return f"$feature_enrollment/{self.key}"

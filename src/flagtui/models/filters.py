"""Read-only views of a flag's `filters`, whatever is stored. Writing starts from the raw JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Struct

from flagtui.evaluate import wire
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_number, as_text, as_whole

EVERYONE: Final = 100.0


class Property(Struct, frozen=True, gc=False):
    """One property filter of a condition.

    A condition can have thousands; the garbage collector skips them.
    """

    key: str
    type: str
    """person, cohort, group, flag, or a word of a newer server."""
    operator: str
    value: JSON
    group_type_index: int | None
    is_negated: bool
    label: str
    """The server's display name: that of the cohort or of the other flag."""
    is_keyless: bool
    """Whether its key is missing or no text: no server can use it."""
    is_gone: bool = False
    """Whether its cohort does not exist: the server sent null for the name."""

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Property":
        """Return the property in this JSON object, with defaults for missing members."""
        return cls(
            key=as_text(raw.get("key")),
            type=as_text(raw.get("type")) or "person",
            operator=as_text(raw.get("operator")) or "exact",
            value=raw.get("value"),
            group_type_index=as_index(raw.get("group_type_index")),
            is_negated=raw.get("negation") is True,
            label=as_text(raw.get("cohort_name")) or as_text(raw.get("label")),
            is_keyless=not isinstance(raw.get("key"), str),
            is_gone=raw.get("type") == "cohort" and raw.get("cohort_name", "") is None,
        )

    @property
    def flag_id(self) -> int | None:
        """Return the id of the flag that the filter depends on."""
        return as_id(self.key) if self.type == "flag" else None

    @property
    def cohort_id(self) -> int | None:
        """Return the id of the cohort that the filter names."""
        return as_id(self.value) if self.type == "cohort" else None


@dataclass(frozen=True, slots=True)
class Condition:
    """A release condition: users who match all properties, then a percentage of them."""

    properties: tuple[Property, ...]
    rollout: float
    """0 to 100; null counts as 100, and a value that is not a number as 0."""
    variant: str | None
    group_type_index: int | None
    raw: Mapping[str, JSON] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Condition":
        """Return the condition in this JSON object; malformed properties are skipped."""
        return cls(
            properties=tuple(Property.of(item) for item in wire.properties(raw) if isinstance(item, dict)),
            rollout=_share(wire.share(raw)),
            variant=as_text(raw.get("variant")) or None,
            group_type_index=as_index(raw.get("aggregation_group_type_index")),
            raw=raw,
        )


class Variant(msgspec.Struct, frozen=True):
    """One of the values of a multivariate flag."""

    key: str
    name: str
    rollout: float

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Variant":
        """Return the variant in this JSON object, with defaults for missing members."""
        return cls(as_text(raw.get("key")), as_text(raw.get("name")), as_number(wire.share(raw)) or 0.0)


@dataclass(frozen=True)
class Filters:
    """The targeting of a flag: who sees it, and which variant. Values that need all conditions are cached."""

    conditions: tuple[Condition, ...]
    variants: tuple[Variant, ...]
    payloads: Mapping[str, JSON]
    """Stored payloads by variant key, or `true`: usually text that contains JSON."""
    group_type_index: int | None
    holdout_id: int | None
    feature_enrollment: bool
    """Early access: users who opted in see the flag before any condition is evaluated."""
    early_exit: bool
    config_version: JSON
    """1 if missing; the product rejects everything but whole numbers."""
    problem: str
    """Why the conditions cannot be read, in words; empty when they can, or when there are none."""
    raw: Mapping[str, JSON] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: JSON) -> "Filters":
        """Return the filters in this value; malformed conditions and variants are skipped."""
        kept = as_dict(raw)
        return cls(
            conditions=tuple(Condition.of(item) for item in wire.conditions(kept) if isinstance(item, dict)),
            variants=tuple(Variant.of(item) for item in wire.variants(kept) if isinstance(item, dict)),
            payloads=wire.payloads(kept),
            group_type_index=as_index(kept.get("aggregation_group_type_index")),
            holdout_id=as_id(as_dict(kept.get("holdout")).get("id")),
            feature_enrollment=kept.get("feature_enrollment") is True
            or bool(as_list(kept.get("super_groups"))),
            early_exit=kept.get("early_exit") is True,
            config_version=kept.get("version", 1),
            problem=wire.problem_of(raw),
            raw=kept,
        )

    @property
    def is_editable(self) -> bool:
        """Return whether the flag can be edited: one with rules instead of conditions is only shown."""
        return wire.is_known_version(self.config_version)

    @property
    def has_rules(self) -> bool:
        """Whether it has rules, configuration version 2, instead of conditions."""
        return wire.has_rules(self.raw)

    @property
    def why_no_conditions(self) -> str:
        """Return why no condition can decide, for a flag of which none does."""
        if self.problem:
            return f"its conditions cannot be read, {self.problem}"
        if self.stored_conditions:
            return "condition 1 is malformed and ends the evaluation"
        return "it has no condition"

    @property
    def stored_conditions(self) -> list[JSON]:
        """Return the conditions as stored, including unreadable ones."""
        return wire.conditions(self.raw)

    @property
    def is_decided_before(self) -> bool:
        """Return whether early access or a holdout keeps users from the conditions."""
        holdout = as_dict(self.raw.get("holdout"))
        share = as_number(holdout.get("exclusion_percentage")) or 0.0
        return self.feature_enrollment or (holdout.get("id") is not None and share > 0)

    @cached_property
    def variant_keys(self) -> frozenset[str]:
        return frozenset(variant.key for variant in self.variants)

    @cached_property
    def deciding(self) -> tuple[Condition, ...]:
        """Return the conditions that can decide, in order.

        They end at one that cannot be read, and with early exit at one that matches everyone.
        """
        deciding: list[Condition] = []
        # Only an object is readable, and `conditions` has every object: up to there they run in parallel.
        for raw, condition in zip(self.stored_conditions, self.conditions, strict=False):
            if wire.condition_problem(raw):
                break
            deciding.append(condition)
            if self.early_exit and self.matches_everyone(condition):
                break
        return tuple(deciding)

    @cached_property
    def rollout(self) -> float:
        """Return the highest percentage of any condition that can decide; 0 without conditions."""
        return max((condition.rollout for condition in self.deciding), default=0.0)

    def matches_everyone(self, condition: Condition) -> bool:
        """Return whether the condition has no properties and skips no one.

        One about groups skips those without a group of its type, who reach conditions of another type.
        """
        own = self.group_type_of(condition)
        return not condition.properties and (own is None or self._group_types == {own})

    @cached_property
    def _group_types(self) -> frozenset[int | None]:
        return frozenset(map(self.group_type_of, self.conditions))

    def group_type_of(self, condition: Condition) -> int | None:
        """Return the group type of a condition, None for users. The default is the flag's."""
        if "aggregation_group_type_index" in condition.raw:
            return condition.group_type_index
        return self.group_type_index

    @cached_property
    def is_conditional(self) -> bool:
        """Return whether every condition with the highest percentage requires a property."""
        highest = self.rollout
        best = [condition for condition in self.deciding if condition.rollout == highest]
        return bool(best) and all(condition.properties for condition in best)

    @property
    def properties(self) -> Iterator[Property]:
        """Yield the properties of all conditions, in order."""
        return (item for condition in self.conditions for item in condition.properties)

    @cached_property
    def names_groups(self) -> bool:
        """Return whether the conditions need the names of group types."""
        has_groups = any(self.group_type_of(condition) is not None for condition in self.conditions)
        return has_groups or any(item.type == "group" for item in self.properties)

    @cached_property
    def depends_on(self) -> tuple[int, ...]:
        """Return the ids of the flags that the conditions depend on, each once."""
        return tuple(dict.fromkeys(item.flag_id for item in self.properties if item.flag_id is not None))

    @cached_property
    def cohorts(self) -> tuple[int, ...]:
        """Return the ids of the cohorts that the conditions name, each once."""
        return tuple(dict.fromkeys(item.cohort_id for item in self.properties if item.cohort_id is not None))


def flags_needed(filters: JSON) -> tuple[int, ...]:
    """Return the ids of the flags that stored conditions depend on."""
    ids = (as_id(as_text(item.get("key"))) for item in wire.dependencies(filters))
    return tuple(dict.fromkeys(id for id in ids if id is not None))


def is_frozen(condition: JSON) -> bool:
    """Return whether a stored condition is restricted to exposed users: its experiment is frozen."""
    return as_dict(condition).get("exposure_frozen") is True


def as_index(value: JSON) -> int | None:
    """Return a group type index: a small number from 0."""
    index = as_whole(value)
    return index if index is not None and 0 <= index < 1000 else None


def _share(stored: JSON) -> float:
    if stored is None:
        return EVERYONE
    return min(max(as_number(stored) or 0.0, 0.0), EVERYONE)

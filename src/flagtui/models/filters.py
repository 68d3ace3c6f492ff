"""Read-only views of a flag's `filters`, whatever is stored there. Writing starts from the raw JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from msgspec import Struct

from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_number, as_text, as_whole

EVERYONE: Final = 100.0


class Property(Struct, frozen=True, gc=False):
    """One thing a condition asks for. A condition can have thousands, which the collector need not visit."""

    key: str
    type: str
    """person, cohort, group, flag, or what a newer server says."""
    operator: str
    value: JSON
    group_type_index: int | None
    is_negated: bool
    label: str
    """What the server calls it for people: the cohort's or the other flag's name."""

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Property":
        return cls(
            key=as_text(raw.get("key")),
            type=as_text(raw.get("type")) or "person",
            operator=as_text(raw.get("operator")) or "exact",
            value=raw.get("value"),
            group_type_index=as_index(raw.get("group_type_index")),
            is_negated=raw.get("negation") is True,
            label=as_text(raw.get("cohort_name")) or as_text(raw.get("label")),
        )

    @property
    def flag_id(self) -> int | None:
        """The id of the flag this asks for."""
        return as_id(self.key) if self.type == "flag" else None

    @property
    def cohort_id(self) -> int | None:
        """The id of the cohort this asks for."""
        return as_id(self.value) if self.type == "cohort" else None


@dataclass(frozen=True, slots=True)
class Condition:
    """A release condition: everybody who has all properties, then a share of them."""

    properties: tuple[Property, ...]
    rollout: float
    """0 to 100; what is stored as null counts as 100, and what is no number as 0."""
    variant: str | None
    group_type_index: int | None
    description: str
    raw: Mapping[str, JSON] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Condition":
        return cls(
            properties=tuple(
                Property.of(item) for item in as_list(raw.get("properties")) if isinstance(item, dict)
            ),
            rollout=_share(raw.get("rollout_percentage")),
            variant=as_text(raw.get("variant")) or None,
            group_type_index=as_index(raw.get("aggregation_group_type_index")),
            description=as_text(raw.get("description")),
            raw=raw,
        )


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the values a multivariate flag can have."""

    key: str
    name: str
    rollout: float

    @classmethod
    def of(cls, raw: Mapping[str, JSON]) -> "Variant":
        return cls(
            as_text(raw.get("key")), as_text(raw.get("name")), as_number(raw.get("rollout_percentage")) or 0.0
        )


@dataclass(frozen=True)
class Filters:
    """The whole of it: who sees the flag, and as what. What takes a walk over all conditions is kept."""

    conditions: tuple[Condition, ...]
    variants: tuple[Variant, ...]
    payloads: Mapping[str, JSON]
    """Variant key, or `true`, to what the server stores: usually text that holds JSON."""
    group_type_index: int | None
    holdout_id: int | None
    feature_enrollment: bool
    """Early access: people who opted in see the flag before any condition is asked."""
    early_exit: bool
    config_version: JSON
    """1 where nothing is stored; the product refuses everything but whole numbers."""
    problem: str
    """Why the conditions cannot be read, in words; empty when they can, or when there are none."""
    raw: Mapping[str, JSON] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: JSON) -> "Filters":
        kept = as_dict(raw)
        return cls(
            conditions=tuple(
                Condition.of(item) for item in as_list(kept.get("groups")) if isinstance(item, dict)
            ),
            variants=tuple(
                Variant.of(item)
                for item in as_list(as_dict(kept.get("multivariate")).get("variants"))
                if isinstance(item, dict)
            ),
            payloads=as_dict(kept.get("payloads")),
            group_type_index=as_index(kept.get("aggregation_group_type_index")),
            holdout_id=as_id(as_dict(kept.get("holdout")).get("id")),
            feature_enrollment=kept.get("feature_enrollment") is True
            or bool(as_list(kept.get("super_groups"))),
            early_exit=kept.get("early_exit") is True,
            config_version=kept.get("version", 1),
            problem=_problem(raw),
            raw=kept,
        )

    @property
    def is_editable(self) -> bool:
        """False for a stored form we only show: it has rules instead of conditions."""
        return is_known_version(self.config_version)

    @property
    def why_no_conditions(self) -> str:
        """Why no condition is evaluated, of a flag that has none which can be read."""
        return f"its conditions cannot be read, {self.problem}" if self.problem else "it has no condition"

    @property
    def stored_conditions(self) -> list[JSON]:
        """The conditions as they are stored, also those that cannot be read."""
        return as_list(self.raw.get("groups"))

    @cached_property
    def size(self) -> int:
        """How many conditions, properties and variants there are: what work on all of it grows with."""
        return len(self.stored_conditions) + len(self.variants) + sum(1 for _ in self.properties)

    @cached_property
    def variant_keys(self) -> frozenset[str]:
        """The keys of the variants."""
        return frozenset(variant.key for variant in self.variants)

    @cached_property
    def deciding(self) -> tuple[Condition, ...]:
        """The conditions that can decide anybody, in order: up to one that cannot be read, and where the
        first that fits decides also by its share, up to one that fits everybody."""
        deciding: list[Condition] = []
        # Only an object is readable, and `conditions` has every object: up to there they run in parallel.
        for raw, condition in zip(self.stored_conditions, self.conditions, strict=False):
            if not is_readable(raw):
                break
            deciding.append(condition)
            if self.early_exit and self.fits_everybody(condition):
                break
        return tuple(deciding)

    @cached_property
    def rollout(self) -> float:
        """The highest share of any condition that can decide; 0 without conditions, which match nobody."""
        return max((condition.rollout for condition in self.deciding), default=0.0)

    def fits_everybody(self, condition: Condition) -> bool:
        """Whether nobody is asked for anything, not even for a group that the flag does not go by."""
        own = self.group_type_of(condition)
        return not condition.properties and (own is None or own == self.group_type_index)

    def group_type_of(self, condition: Condition) -> int | None:
        """The group type a condition is about, None for people. One without its own has the flag's."""
        if "aggregation_group_type_index" in condition.raw:
            return condition.group_type_index
        return self.group_type_index

    @cached_property
    def is_conditional(self) -> bool:
        """True when everyone who gets the highest share is asked for a property first."""
        highest = self.rollout
        best = [condition for condition in self.deciding if condition.rollout == highest]
        return bool(best) and all(condition.properties for condition in best)

    @property
    def properties(self) -> Iterator[Property]:
        """Everything its conditions ask for, in order."""
        return (item for condition in self.conditions for item in condition.properties)

    @cached_property
    def depends_on(self) -> tuple[int, ...]:
        """Ids of the flags its conditions ask for, each once."""
        return tuple(dict.fromkeys(item.flag_id for item in self.properties if item.flag_id is not None))

    @cached_property
    def cohorts(self) -> tuple[int, ...]:
        """Ids of the cohorts its conditions ask for, each once."""
        return tuple(dict.fromkeys(item.cohort_id for item in self.properties if item.cohort_id is not None))


def is_known_version(version: JSON) -> bool:
    """Whether configuration of this version has conditions; newer ones have rules, which are only shown.

    The product refuses everything but the whole number 1, which is also meant where nothing is stored.
    """
    return isinstance(version, int) and not isinstance(version, bool) and version == 1


def is_readable(condition: JSON) -> bool:
    """Whether servers can evaluate a stored condition at all; one that they cannot ends the evaluation."""
    if not isinstance(condition, dict):
        return False
    share, asked = condition.get("rollout_percentage"), condition.get("properties") or []
    is_share = share is None or (isinstance(share, int | float) and not isinstance(share, bool))
    return is_share and isinstance(asked, list) and all(isinstance(item, dict) for item in asked)


def as_index(value: JSON) -> int | None:
    """A group type index: a small number from 0."""
    found = as_whole(value)
    return found if found is not None and 0 <= found < 1000 else None


def _share(stored: JSON) -> float:
    if stored is None:
        return EVERYONE
    return min(max(as_number(stored) or 0.0, 0.0), EVERYONE)


def _problem(raw: JSON) -> str:
    if not isinstance(raw, dict):
        return "filters is not an object"
    groups = raw.get("groups")
    return "" if groups is None or isinstance(groups, list) else "groups is not a list"


OPTED_IN: Final = "those who opted in to early access"


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition as the server is asked about it: with its own group type, or the flag's."""

    number: int
    """From 1, as people and the server count."""
    condition: Condition
    group_type: int | None

    @property
    def share(self) -> float:
        """In percent."""
        return self.condition.rollout

    @property
    def identity(self) -> str:
        """What the server counts: the properties and the kind of group, not the share."""
        properties = self.condition.raw.get("properties") or []
        return json.dumps([properties, self.group_type], sort_keys=True, default=str)


def asked_of(filters: Filters) -> Iterator[Asked]:
    """Each condition that can decide anybody."""
    for number, condition in enumerate(filters.deciding, 1):
        yield Asked(number, condition, filters.group_type_of(condition))

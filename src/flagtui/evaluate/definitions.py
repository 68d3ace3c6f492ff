"""What is evaluated: flags, cohorts and group types, read once from plain JSON and then only looked at."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flagtui.evaluate import reading
from flagtui.evaluate.linking import linked
from flagtui.evaluate.parts import Flag


@dataclass(frozen=True, slots=True)
class Definitions:
    flags: Mapping[str, Flag] = field(default_factory=dict)
    """By key."""
    cohorts: Mapping[str, Any] = field(default_factory=dict)
    """By id as text: the property group as received."""
    static_cohorts: frozenset[str] = frozenset()
    """Ids of cohorts that are lists of people; a person says which of them it is in."""
    group_types: Mapping[str, str] = field(default_factory=dict)
    """Name by index as text, such as "0": "company"."""
    matching_version: int = 1

    @classmethod
    def of(
        cls,
        flags: Iterable[Mapping[str, Any]],
        *,
        cohorts: Mapping[str, Any] | None = None,
        static_cohorts: Iterable[int | str] = (),
        group_types: Mapping[str, str] | None = None,
        matching_version: object = 1,
    ) -> "Definitions":
        """From stored flags, whose dependencies name ids, or from local evaluation data, whose name keys."""
        return cls(
            flags={flag.key: flag for flag in map(reading.flag, linked(flags))},
            cohorts=dict(cohorts or {}),
            static_cohorts=frozenset(map(str, static_cohorts)),
            group_types=dict(group_types or {}),
            matching_version=2 if matching_version == 2 else 1,
        )

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> "Definitions":
        """From the answer of the local evaluation operation; odd members count as absent."""
        flags = document.get("flags")
        return cls.of(
            [flag for flag in flags if isinstance(flag, dict)] if isinstance(flags, list) else [],
            cohorts=reading.mapping(document.get("cohorts")),
            group_types=reading.mapping(document.get("group_type_mapping")),
            matching_version=document.get("property_matching_version"),
        )

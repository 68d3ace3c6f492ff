"""What is evaluated: flags, cohorts and group types, read once from plain JSON and then only looked at."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flagtui.evaluate.dependency_order import evaluation_orders, linked
from flagtui.evaluate.flag_json import flag as read_flag
from flagtui.evaluate.flag_json import mapping
from flagtui.evaluate.parts import Flag
from flagtui.evaluate.unknown import Unknown, Why


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
    time_zone: str = "UTC"
    """The project's; the server reads dates without an offset in it."""
    broken: Mapping[str, Unknown] = field(default_factory=dict)
    """By key, flags that ask for one that is missing or goes in a circle, however indirectly: never on."""

    @classmethod
    def of(
        cls,
        flags: Iterable[Mapping[str, Any]],
        *,
        cohorts: Mapping[str, Any] | None = None,
        static_cohorts: Iterable[int | str] = (),
        group_types: Mapping[str, str] | None = None,
        matching_version: object = 1,
        time_zone: str = "UTC",
    ) -> "Definitions":
        """From stored flags, whose dependencies name ids, or from local evaluation data, whose name keys."""
        parts = {flag.key: flag for flag in map(read_flag, linked(flags))}
        return cls(
            flags=parts,
            cohorts=dict(cohorts or {}),
            static_cohorts=frozenset(map(str, static_cohorts)),
            group_types=dict(group_types or {}),
            matching_version=2 if matching_version == 2 else 1,
            time_zone=time_zone,
            broken=_broken(parts),
        )

    @classmethod
    def of_document(cls, document: Mapping[str, Any], *, time_zone: str = "UTC") -> "Definitions":
        """From the answer of the local evaluation operation; odd members count as absent."""
        flags = document.get("flags")
        return cls.of(
            [flag for flag in flags if isinstance(flag, dict)] if isinstance(flags, list) else [],
            cohorts=mapping(document.get("cohorts")),
            group_types=mapping(document.get("group_type_mapping")),
            matching_version=document.get("property_matching_version"),
            time_zone=time_zone,
        )


def _broken(flags: Mapping[str, Flag]) -> dict[str, Unknown]:
    """One that is off is off whatever it asks for."""
    needed = {key: tuple(_needed(flag)) if flag.is_active else () for key, flag in flags.items()}
    if not any(needed.values()):
        return {}
    whole = evaluation_orders(needed)
    return {key: _fault(key, needed, whole) for key in flags if key not in whole}


def _needed(flag: Flag) -> Iterator[str]:
    for condition in flag.conditions:
        yield from (one.key for one in condition.filters if one.kind == "flag" and one.key)


def _fault(key: str, needed: Mapping[str, tuple[str, ...]], whole: Mapping[str, object]) -> Unknown:
    """What is wrong with the dependencies of a flag that cannot be evaluated."""
    waiting, seen = [key], set[str]()
    while waiting:
        for other in needed[waiting.pop()]:
            if other == key:
                return Unknown(Why.FLAG_CIRCULAR, key)
            if other not in needed:
                return Unknown(Why.FLAG_MISSING, other)
            if other not in whole and other not in seen:
                seen.add(other)
                waiting.append(other)
    return Unknown(Why.FLAG_UNKNOWN, next(other for other in needed[key] if other not in whole))

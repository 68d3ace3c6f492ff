"""One evaluation in progress: the subject, the rules, and the flags decided so far."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation
from flagtui.evaluate.parts import Filter, FlagParts


class Rules(StrEnum):
    """The rules to apply where the product's own parts disagree; docs/evaluation.md lists where."""

    SERVER = "server"
    LIBRARY = "library"
    """The product's Python library, which evaluates locally; where it gives up, flagtui does too."""


class Manner(NamedTuple):
    """The settings of a comparison in addition to the two values. Created once per evaluated user."""

    now: datetime | None = None
    matching_version: int = 1
    """From version 2 on, "true" and "false" in a condition are plain text to ``exact`` and ``is_not``."""
    time_zone: str = "UTC"
    """Of the project: the server reads dates without an offset in it."""
    rules: Rules = Rules.SERVER

    @property
    def moment(self) -> datetime:
        """Return the moment that relative dates count from."""
        return self.now or datetime.now(UTC)

    @property
    def zone(self) -> tzinfo:
        """Return the project's time zone."""
        return _zone(self.time_zone)


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    """Return the time zone; an unknown name counts as UTC, the product's own default."""
    if name == "UTC":
        return UTC
    # Loaded here, since most evaluating needs no other zone.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


class Group(msgspec.Struct, frozen=True):
    """One group a person belongs to, such as the company "acme"."""

    key: str | int
    properties: Mapping[str, Any] = {}

    @property
    def known_properties(self) -> Mapping[str, Any]:
        """Return the group's properties with its key."""
        return {"$group_key": self.key, **self.properties}


class Person(msgspec.Struct, frozen=True):
    distinct_id: str
    properties: Mapping[str, Any] = {}
    groups: Mapping[str, Group] = {}
    """By group type name, such as "company"."""
    device_id: str | None = None
    static_cohorts: frozenset[str] = frozenset()
    """Ids of the static cohorts this person is in."""
    metadata: Mapping[str, Any] | None = None
    """Facts about the person that are no properties: ``created_at``; None if not known."""
    is_complete: bool = False
    """True when a property that is not here does not exist, as on the server; else it is merely not known."""
    now: datetime | None = None
    """The moment relative dates count from; None reads the clock."""

    @property
    def known_properties(self) -> Mapping[str, Any]:
        """Return the user's properties with the distinct id."""
        return {"distinct_id": self.distinct_id, **self.properties}


_NOTHING: Mapping[str, Any] = {}


class Vantage(msgspec.Struct):
    """The properties to read, and the key to hash. As quick to create as the results (evaluation.py)."""

    properties: Mapping[str, Any]
    identifier: str | int
    group_index: int | None = None
    """The group type it is about; None for people."""


@dataclass(slots=True)
class Run:
    person: Person
    definitions: Definitions
    rules: Rules
    evaluate: "Callable[[Run, FlagParts, Vantage | None], Evaluation]"
    """How a flag that another one asks for is evaluated. Libraries do it from the vantage of the first."""
    identifier: str | int = ""
    """For libraries: what flags that are asked for hash, the person or the group of the first."""
    decided: dict[str, Evaluation | None] = field(default_factory=dict)
    """By flag key. None is a requested flag that does not exist."""
    under_way: frozenset[str] = frozenset()
    groups_count: bool = True
    """For libraries: False inside a dependency, whose conditions about groups they skip."""
    manner: Manner = field(init=False)
    properties: Mapping[str, Any] = field(init=False)
    """The person's."""

    def __post_init__(self) -> None:
        definitions = self.definitions
        self.manner = Manner(self.person.now, definitions.matching_version, definitions.time_zone, self.rules)
        self.properties = self.person.known_properties

    @property
    def is_complete(self) -> bool:
        """Return whether everything about the user is known, as on the server."""
        return self.person.is_complete and self.rules is Rules.SERVER

    def group(self, index: int | None) -> Group | None:
        """Return the group of this type; None when it was not given, or has no key."""
        name = self.definitions.group_types.get(str(index))
        group = self.person.groups.get(name) if name else None
        return group if group is not None and (group.key != "" or self.rules is Rules.LIBRARY) else None

    def of_person(self, flag: FlagParts) -> Vantage:
        person = self.person
        device = person.device_id if flag.is_by_device else None
        return Vantage(self.properties, device or person.distinct_id)

    def source(self, question: Filter, vantage: Vantage) -> tuple[Mapping[str, Any], bool]:
        """Return where a question about a property looks, and whether missing properties do not exist."""
        if self.rules is Rules.LIBRARY:
            return vantage.properties, False
        if question.type == "person":
            return self.properties, self.is_complete
        if question.type == "person_metadata":
            metadata = self.person.metadata
            return (_NOTHING, False) if metadata is None else (metadata, True)
        if question.type != "group":
            return vantage.properties, self.is_complete
        index = vantage.group_index if question.group_index is None else question.group_index
        if index == vantage.group_index:
            return vantage.properties, self.is_complete
        group = self.group(index)
        return (_NOTHING, True) if group is None else (group.known_properties, self.is_complete)

    def for_explanation(self) -> "Run":
        """Return a copy for explanations: their decisions are not stored."""
        return replace(self, decided=dict(self.decided))

    def inside(self, flag_key: str) -> "Run":
        """Return the run for a dependency. It shares the decisions."""
        return replace(self, under_way=self.under_way | {flag_key}, groups_count=False)

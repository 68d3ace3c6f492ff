"""The person or group that a flag is evaluated for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Group:
    """One group a person belongs to, such as the company "acme"."""

    key: str | int
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known_properties(self) -> Mapping[str, Any]:
        return {"$group_key": self.key, **self.properties}


@dataclass(frozen=True, slots=True)
class Person:
    distinct_id: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    """By group type name, such as "company"."""
    device_id: str | None = None
    static_cohorts: frozenset[str] = frozenset()
    """Ids of the static cohorts this person is in."""
    metadata: Mapping[str, Any] | None = None
    """What is known of the person besides properties: ``created_at``; None when that is not known."""
    is_complete: bool = False
    """True when a property that is not here does not exist, as on the server; else it is merely not known."""
    now: datetime | None = None
    """The moment relative dates count from; None reads the clock."""

    @property
    def known_properties(self) -> Mapping[str, Any]:
        return {"distinct_id": self.distinct_id, **self.properties}

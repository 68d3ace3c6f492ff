"""What the person wants to change, before anybody looked whether it can be done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS

Kind = Literal["flag", "experiment", "event_definition"]


@dataclass(frozen=True, slots=True)
class Intent:
    """New values for some fields of one record.

    `seen` holds what the person saw in those fields. Without it a change made by another person since then
    cannot be told from the person's own, so screens and commands that show values should fill it in.
    """

    id: int
    changes: Mapping[str, JSON]
    verb: str
    """What it is called: `turn off`, `delete`, `set rollout`; see `verbs`."""
    kind: Kind = "flag"
    seen: Mapping[str, JSON] = field(default_factory=dict)
    seen_version: int | None = None


SWITCHES: Final[Mapping[str, Mapping[str, JSON]]] = {
    "turn on": {"active": True},
    "turn off": {"active": False},
    # The server refuses to archive a flag that is on.
    "archive": {"active": False, "archived": True},
    "unarchive": {"archived": False},
    "delete": {"deleted": True},
    "restore": {"deleted": False},
}
"""What needs nothing but the flag. What is deleted can be restored until another flag takes its key."""


def switch(verb: str, id: int, seen_version: int | None = None) -> Intent:
    """One of `SWITCHES`."""
    return Intent(id, SWITCHES[verb], verb, seen_version=seen_version)


def set_field(id: int, name: str, seen: JSON, wanted: JSON, seen_version: int | None = None) -> Intent:
    """One field with another value."""
    verb = "rename" if name == "key" else f"change {FLAG_FIELDS.words(name)}"
    return Intent(id, {name: wanted}, verb, seen={name: seen}, seen_version=seen_version)

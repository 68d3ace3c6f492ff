"""What the person wants to change, before anybody looked whether it can be done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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


def turn_on(id: int, seen_version: int | None = None) -> Intent:
    """The flag on."""
    return Intent(id, {"active": True}, "turn on", seen_version=seen_version)


def turn_off(id: int, seen_version: int | None = None) -> Intent:
    """The flag off, targeting kept."""
    return Intent(id, {"active": False}, "turn off", seen_version=seen_version)


def archive(id: int, seen_version: int | None = None) -> Intent:
    """Off and out of the list: the server refuses to archive a flag that is on."""
    return Intent(id, {"active": False, "archived": True}, "archive", seen_version=seen_version)


def unarchive(id: int, seen_version: int | None = None) -> Intent:
    """Back into the list; it stays off."""
    return Intent(id, {"archived": False}, "unarchive", seen_version=seen_version)


def delete(id: int, seen_version: int | None = None) -> Intent:
    """A soft delete: the record stays and can be restored until another flag takes its key."""
    return Intent(id, {"deleted": True}, "delete", seen_version=seen_version)


def restore(id: int, seen_version: int | None = None) -> Intent:
    """Back from a soft delete, on or off as it was."""
    return Intent(id, {"deleted": False}, "restore", seen_version=seen_version)


def set_field(id: int, name: str, seen: JSON, wanted: JSON, seen_version: int | None = None) -> Intent:
    """One field with another value."""
    verb = "rename" if name == "key" else f"change {FLAG_FIELDS.words(name)}"
    return Intent(id, {name: wanted}, verb, seen={name: seen}, seen_version=seen_version)

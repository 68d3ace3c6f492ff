"""Activity: who changed which record, and when; entries of the feed and their rows."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.counted_users import UserChange
from flagtui.models.filters import Filters
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_text, as_whole
from flagtui.models.record import Items, Moment, Record, Whole

SYSTEM: Final = "system"
"""Actor of a change that no user made."""


def as_switch(value: JSON) -> bool | None:
    """Return the state of a switch; None for other values. Old feeds write true and false as text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


class Change(Record):
    """One changed field. A switch has both sides; a created field has no `before`."""

    action: str = "changed"
    """created, changed or deleted; newer servers may send other words."""
    field: str = ""
    before: JSON = None
    after: JSON = None

    @property
    def is_on(self) -> bool | None:
        """Return the new state of a switch; None for other values."""
        return as_switch(self.after)


class Activity(Record):
    """One entry of the feed."""

    id: str = ""
    user: User | None = None
    is_system: bool = False
    was_impersonated: bool = False
    """Whether staff of the product were signed in as the user."""
    activity: str = ""
    """created, updated, deleted, restored, or an unknown word."""
    scope: str = ""
    item_id: str = ""
    """The record's id as text; event definitions have UUIDs."""
    detail: dict[str, JSON] = {}
    created_at: Moment | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return every changed field but `version`, which changes with each write."""
        changes = (Change.of(item) for item in as_list(self.detail.get("changes")) if isinstance(item, dict))
        return tuple(change for change in changes if change.field != "version")

    @property
    def is_unlogged(self) -> bool:
        """Return whether only the version changed: a write such as tags whose content is not logged."""
        return bool(as_list(self.detail.get("changes"))) and not self.changes

    @property
    def name(self) -> str:
        """Return the record's name at the time of the change."""
        return as_text(self.detail.get("name"))

    @property
    def record_id(self) -> int | None:
        """Return the numeric id, for flags and experiments."""
        return as_id(self.item_id)

    @property
    def trigger(self) -> str:
        """Return the kind of job that made the change, such as `scheduled_change`; empty for users."""
        return as_text(as_dict(self.detail.get("trigger")).get("job_type"))

    @property
    def actor(self) -> str:
        """Return the author: `Ada`, `staff as Ada`, or `system`. Raw."""
        if self.is_system or self.user is None or self.user.is_system:
            return SYSTEM
        return f"staff as {self.user.label}" if self.was_impersonated else self.user.label

    @property
    def identity(self) -> str:
        """Return the id, or a stable substitute on servers without one."""
        return self.id or f"{self.raw.get('created_at')}/{self.item_id}/{self.activity}"


class ActivityPage(Record):
    """A page of entries, newest first."""

    results: Items = ()
    total_count: Whole | None = None
    next: str | None = None
    """Only its presence counts: pages are requested by number, never by this address."""

    @property
    def entries(self) -> tuple[Activity, ...]:
        """Return the entries of the page; elements that are no objects are skipped."""
        return tuple(Activity.of(item) for item in self.results if isinstance(item, dict))

    @property
    def has_more(self) -> bool:
        """Return whether there is another page."""
        return bool(self.next)


KINDS: Final = (
    "on",
    "off",
    "rollout",
    "conditions",
    "variants",
    "payload",
    "created",
    "deleted",
    "restored",
    "archived",
    "unarchived",
    "launched",
    "ended",
    "metrics",
    "renamed",
    "tags",
    "description",
    "other",
)
"""Kinds of changes, as the list shows them."""

RecordKind = Literal["flags", "experiments", "events"]


class ChangeRow(msgspec.Struct, frozen=True):
    """One entry. Text is raw; times are Unix seconds, UTC."""

    id: str
    place: float
    """Higher is newer; the order is the server's."""
    entry: "Activity"
    at: float | None
    record_id: int | None
    """None for event definitions, whose ids are texts."""
    key: str
    """The flag's key, or the name of another record, at that time; without the suffix that deletion adds."""
    who: str
    email: str
    kinds: tuple[str, ...]
    weight: float
    """The share of users whose flag may have changed, 0 to 1, judged from the entry alone."""
    version: int | None
    """The version that the change made; None where the server did not log it."""
    was_impersonated: bool = False
    """Whether staff of the product were signed in as that user."""
    is_in_effect: bool = False
    """Whether a deletion is still in effect."""
    users: UserChange | None = None
    """Who got or lost the flag, where a front end counted them."""

    @property
    def kind(self) -> RecordKind:
        """Return the kind of the record, in the plural."""
        return _KINDS_BY_SCOPE.get(self.entry.scope, "flags")

    @property
    def flag_id(self) -> int | None:
        """Return the id of the flag; None for other records."""
        return self.record_id if self.kind == "flags" else None


EXPERIMENT: Final = "Experiment"
EVENT: Final = "EventDefinition"
_KINDS_BY_SCOPE: Final[Mapping[str, RecordKind]] = {EXPERIMENT: "experiments", EVENT: "events"}
_SWITCHES: Final = {
    "active": ("on", "off"),
    "archived": ("archived", "unarchived"),
    "deleted": ("deleted", "restored"),
}
_FIELDS: Final = {"key": "renamed", "name": "description", "tags": "tags"}
_EXPERIMENT_FIELDS: Final = {
    "name": "renamed",
    "description": "description",
    "start_date": "launched",
    "end_date": "ended",
    "metrics": "metrics",
    "metrics_secondary": "metrics",
    "saved_metrics_ids": "metrics",
}
_WEIGHTS: Final = {
    "on": 1.0,
    "off": 1.0,
    "deleted": 1.0,
    "restored": 1.0,
    "variants": 0.5,
    "conditions": 0.3,
    "payload": 0.3,
    "launched": 0.3,
    "renamed": 0.3,
    "ended": 0.1,
    "created": 0.1,
}


def change_row(entry: Activity, place: float) -> ChangeRow:
    user = None if entry.actor == SYSTEM else entry.user
    kinds = kinds_of(entry)
    return ChangeRow(
        id=entry.identity,
        place=place,
        entry=entry,
        at=unix(entry.created_at),
        record_id=entry.record_id,
        key=entry.name.removesuffix(f":deleted:{entry.item_id}"),
        who=entry.actor,
        email=user.email if user else "",
        was_impersonated=entry.was_impersonated,
        kinds=kinds,
        weight=weight_of(entry, kinds),
        version=version_made(entry),
    )


def version_made(entry: Activity) -> int | None:
    """Return the flag's version after the entry."""
    for change in as_list(entry.detail.get("changes")):
        if isinstance(change, dict) and change.get("field") == "version":
            return as_whole(change.get("after"))
    return 1 if entry.activity == "created" else None


def kinds_of(entry: Activity) -> tuple[str, ...]:
    """Return the kinds of change in the entry, from `KINDS`; never empty."""
    if entry.activity in ("created", "deleted", "restored"):
        return (entry.activity,)
    if entry.is_unlogged:
        return ("tags", "other")
    fields = _EXPERIMENT_FIELDS if entry.scope == EXPERIMENT else _FIELDS
    kinds = dict.fromkeys(kind for change in entry.changes for kind in _kinds(change, fields))
    return tuple(kinds) or ("other",)


def weight_of(entry: Activity, kinds: tuple[str, ...]) -> float:
    """Return the weight of a change: 1 for a switch, the difference for a rollout, a part for conditions.

    Other records reach users through the flag alone, whose change has an entry of its own.
    """
    if entry.scope in _KINDS_BY_SCOPE:
        return max((_WEIGHTS.get(kind, 0.0) for kind in kinds if kind in ("launched", "ended")), default=0.0)
    heaviest = max((_WEIGHTS.get(kind, 0.0) for kind in kinds), default=0.0)
    moved = [_largest_move(change) for change in entry.changes if change.field == "filters"]
    return max([heaviest, *moved])


def _kinds(change: Change, fields: Mapping[str, str]) -> list[str]:
    if change.field in _SWITCHES and change.is_on is not None:
        return [_SWITCHES[change.field][0 if change.is_on else 1]]
    if change.field == "filters":
        return _filter_kinds(Filters.of(change.before), Filters.of(change.after)) or ["other"]
    is_reset = change.field in ("start_date", "end_date") and change.after is None
    return ["other" if is_reset else fields.get(change.field, "other")]


def _filter_kinds(before: Filters, after: Filters) -> list[str]:
    kinds = []
    if _shares(before) != _shares(after):
        kinds.append("rollout")
    if [condition.properties for condition in before.conditions] != [
        condition.properties for condition in after.conditions
    ]:
        kinds.append("conditions")
    if before.variants != after.variants:
        kinds.append("variants")
    if before.payloads != after.payloads:
        kinds.append("payload")
    return kinds


def _largest_move(change: Change) -> float:
    """Return the largest change of any condition's percentage, 0 to 1."""
    old, new = _shares(Filters.of(change.before)), _shares(Filters.of(change.after))
    width = max(len(old), len(new))
    pairs = zip(old + [0.0] * (width - len(old)), new + [0.0] * (width - len(new)), strict=True)
    return min(1.0, max((abs(after - before) / 100 for before, after in pairs), default=0.0))


def _shares(filters: Filters) -> list[float]:
    return [condition.rollout for condition in filters.conditions]

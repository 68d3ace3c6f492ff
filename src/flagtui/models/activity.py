"""Who changed what, and when; entries of a feed, and as one line of a list each."""

from dataclasses import dataclass
from typing import Final

from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.filters import Filters
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_text, as_whole
from flagtui.models.record import Items, Moment, Record, Whole

SYSTEM: Final = "system"
"""Who made a change that no person made."""


class Change(Record):
    """One field of one change. Toggles have both sides; a created field has no `before`."""

    type: str = ""
    action: str = "changed"
    """created, changed or deleted; a newer server may say something else."""
    field: str = ""
    before: JSON = None
    after: JSON = None

    @property
    def is_on(self) -> bool | None:
        """Which way a switch went; None for what is no switch. Old feeds write true and false as text."""
        if isinstance(self.after, bool):
            return self.after
        return {"true": True, "false": False}.get(self.after.lower()) if isinstance(self.after, str) else None


class Activity(Record):
    """One entry of the feed."""

    id: str = ""
    user: User | None = None
    is_system: bool = False
    was_impersonated: bool = False
    """Staff of the product were signed in as the user."""
    activity: str = ""
    """created, updated, deleted, restored, or a word we do not know."""
    scope: str = ""
    item_id: str = ""
    """The record's id as text; event definitions have UUIDs."""
    detail: dict[str, JSON] = {}
    created_at: Moment | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every changed field but `version`, which moves with each of them."""
        found = (Change.of(item) for item in as_list(self.detail.get("changes")) if isinstance(item, dict))
        return tuple(change for change in found if change.field != "version")

    @property
    def is_unlogged(self) -> bool:
        """A real write whose content was not logged, such as tags: only the version moved."""
        return bool(as_list(self.detail.get("changes"))) and not self.changes

    @property
    def name(self) -> str:
        """What the record was called when it was changed."""
        return as_text(self.detail.get("name"))

    @property
    def record_id(self) -> int | None:
        """The numeric id, for flags and experiments."""
        return as_id(self.item_id)

    @property
    def trigger(self) -> str:
        """The kind of job that made the change, such as `scheduled_change`; empty for people."""
        return as_text(as_dict(self.detail.get("trigger")).get("job_type"))

    @property
    def actor(self) -> str:
        """Who did it: `Ada`, `staff as Ada`, or `system`. Raw."""
        if self.is_system or self.user is None or self.user.is_system:
            return SYSTEM
        return f"staff as {self.user.label}" if self.was_impersonated else self.user.label

    @property
    def identity(self) -> str:
        """The id, or on servers without one a stand-in that stays the same."""
        return self.id or f"{self.raw.get('created_at')}/{self.item_id}/{self.activity}"


class ActivityPage(Record):
    """Some entries, newest first."""

    results: Items = ()
    total_count: Whole | None = None
    next: str | None = None
    """Only whether it is there counts: pages are asked for by number, never by this address."""

    @property
    def entries(self) -> tuple[Activity, ...]:
        return tuple(Activity.of(item) for item in self.results if isinstance(item, dict))

    @property
    def has_more(self) -> bool:
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
    "renamed",
    "tags",
    "description",
    "other",
)
"""What an entry can have changed, in words."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One entry. Text is raw; times are Unix seconds, UTC."""

    id: str
    place: int
    """Higher is newer; the order is the server's."""
    entry: "Activity"
    at: float | None
    flag_id: int | None
    key: str
    """The flag's key at that time, without the mark that deleting puts on it."""
    who: str
    email: str
    kinds: tuple[str, ...]
    weight: float
    """The share of people whose flag it can have changed, 0 to 1, as far as the entry alone tells."""
    version: int | None
    """The version it made; None where the server did not write it down."""
    was_impersonated: bool = False
    """Staff of the product were signed in as that person."""
    is_standing: bool = False
    """A deletion that was not taken back."""


_SWITCHES: Final = {
    "active": ("on", "off"),
    "archived": ("archived", "unarchived"),
    "deleted": ("deleted", "restored"),
}
_FIELDS: Final = {"key": "renamed", "name": "description", "tags": "tags"}
_WEIGHTS: Final = {
    "on": 1.0,
    "off": 1.0,
    "deleted": 1.0,
    "restored": 1.0,
    "variants": 0.5,
    "conditions": 0.3,
    "payload": 0.3,
    "renamed": 0.3,
    "created": 0.1,
}


def change_row(entry: Activity, place: int) -> ChangeRow:
    """The entry as a row."""
    user = None if entry.actor == SYSTEM else entry.user
    kinds = kinds_of(entry)
    return ChangeRow(
        id=entry.identity,
        place=place,
        entry=entry,
        at=unix(entry.created_at),
        flag_id=entry.record_id,
        key=entry.name.removesuffix(f":deleted:{entry.item_id}"),
        who=entry.actor,
        email=user.email if user else "",
        was_impersonated=entry.was_impersonated,
        kinds=kinds,
        weight=weight_of(entry, kinds),
        version=version_made(entry),
    )


def version_made(entry: Activity) -> int | None:
    """The flag's version after the entry."""
    for change in as_list(entry.detail.get("changes")):
        if isinstance(change, dict) and change.get("field") == "version":
            return as_whole(change.get("after"))
    return 1 if entry.activity == "created" else None


def kinds_of(entry: Activity) -> tuple[str, ...]:
    """What was changed, in the words of `KINDS`; never empty."""
    if entry.activity in ("created", "deleted", "restored"):
        return (entry.activity,)
    if entry.is_unlogged:
        return ("tags", "other")
    found = dict.fromkeys(kind for change in entry.changes for kind in _kinds(change))
    return tuple(found) or ("other",)


def weight_of(entry: Activity, kinds: tuple[str, ...]) -> float:
    """How much it can have moved: a switch everything, a rollout its difference, a condition something."""
    heaviest = max((_WEIGHTS.get(kind, 0.0) for kind in kinds), default=0.0)
    moved = [_moved(change) for change in entry.changes if change.field == "filters"]
    return max([heaviest, *moved])


def _kinds(change: Change) -> list[str]:
    if change.field in _SWITCHES and change.is_on is not None:
        return [_SWITCHES[change.field][0 if change.is_on else 1]]
    if change.field == "filters":
        return _filter_kinds(Filters.of(change.before), Filters.of(change.after)) or ["other"]
    return [_FIELDS.get(change.field, "other")]


def _filter_kinds(before: Filters, after: Filters) -> list[str]:
    kinds = []
    if _shares(before) != _shares(after):
        kinds.append("rollout")
    if [one.properties for one in before.conditions] != [one.properties for one in after.conditions]:
        kinds.append("conditions")
    if before.variants != after.variants:
        kinds.append("variants")
    if before.payloads != after.payloads:
        kinds.append("payload")
    return kinds


def _moved(change: Change) -> float:
    """The greatest step of any condition's share, as a part of one."""
    old, new = _shares(Filters.of(change.before)), _shares(Filters.of(change.after))
    width = max(len(old), len(new))
    pairs = zip(old + [0.0] * (width - len(old)), new + [0.0] * (width - len(new)), strict=True)
    return min(1.0, max((abs(after - before) / 100 for before, after in pairs), default=0.0))


def _shares(filters: Filters) -> list[float]:
    return [condition.rollout for condition in filters.conditions]

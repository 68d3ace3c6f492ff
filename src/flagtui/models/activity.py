"""Activity: who changed which record, and when, as entries of the feed."""

from collections.abc import Mapping
from typing import Final, Self

from flagtui.models.account import User
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_text, as_whole, with_finite_numbers
from flagtui.models.record import Items, Moment, Record, Whole

SYSTEM: Final = "system"
"""Actor of a change that no user made."""
EXPERIMENT: Final = "Experiment"
EVENT: Final = "EventDefinition"
"""Scopes of entries; all others are about flags."""


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

    @property
    def switch_words(self) -> str:
        """Return `turned on`, `archived` or the like; empty for other changes than those of a switch."""
        on, off = _SWITCH_WORDS.get(self.field, ("", ""))
        return "" if self.is_on is None else on if self.is_on else off


_SWITCH_WORDS: Final = {
    "active": ("turned on", "turned off"),
    "archived": ("archived", "unarchived"),
    "deleted": ("deleted", "restored"),
}


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
        is_whole = self.activity in ("created", "deleted", "restored")
        return not is_whole and bool(as_list(self.detail.get("changes"))) and not self.changes

    @property
    def lacks_key(self) -> bool:
        """Return whether it names a flag by its description, as servers log tags changed by name."""
        if self.scope in (EXPERIMENT, EVENT) or self.record_id is None:
            return False
        return [as_dict(item).get("field") for item in as_list(self.detail.get("changes"))] == ["tags"]

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

    @classmethod
    def without_invalid_numbers(cls, raw: dict[str, JSON]) -> Self:
        """Return the page; both values of a change with NaN or an infinity are null: not known."""
        for entry in map(as_dict, as_list(raw.get("results"))):
            for change in map(as_dict, as_list(as_dict(entry.get("detail")).get("changes"))):
                sides = {side: change.get(side) for side in ("before", "after")}
                if with_finite_numbers(sides) != sides:
                    change |= dict.fromkeys(sides)
        return cls.of(with_finite_numbers(raw))

    def with_names(self, names: Mapping[str, str]) -> "ActivityPage":
        """Return the same, with these names of records, by id, in entries that lack the key."""

        def add_name(entry: Activity) -> JSON:
            name = names.get(entry.item_id) if entry.lacks_key else None
            return entry.raw if name is None else {**entry.raw, "detail": {**entry.detail, "name": name}}

        return ActivityPage.of({**self.raw, "results": [add_name(entry) for entry in self.entries]})

    @property
    def has_more(self) -> bool:
        """Return whether there is another page."""
        return bool(self.next)


def version_made(entry: Activity) -> int | None:
    """Return the flag's version after the entry."""
    for change in as_list(entry.detail.get("changes")):
        if isinstance(change, dict) and change.get("field") == "version":
            return as_whole(change.get("after"))
    return 1 if entry.activity == "created" else None

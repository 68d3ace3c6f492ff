"""Who changed what, and when."""

from typing import Final

from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_text
from flagtui.models.person import User
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

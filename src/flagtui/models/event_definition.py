"""One event definition with everything the server sent."""

from flagtui.local_time import unix
from flagtui.models.account import User
from flagtui.models.flag_responses import BulkError
from flagtui.models.json_value import as_id, compact_json
from flagtui.models.record import Each, KeptTexts, Moment, Record, Texts, Whole
from flagtui.models.rows import OPTIONAL_MEMBERS, EventDefinitionRow


class EventDefinition(Record):
    """The definition of one event name. Every field but id and name is missing on some server."""

    id: str = ""
    name: str = ""
    description: str | None = None
    owner: User | None = None
    """Read as a user, written as an id."""
    tags: KeptTexts = ()
    verified: bool = False
    verified_at: Moment | None = None
    verified_by: User | None = None
    hidden: bool = False
    created_at: Moment | None = None
    last_seen_at: Moment | None = None
    last_updated_at: Moment | None = None
    updated_at: Moment | None = None
    updated_by: User | None = None
    created_by: User | None = None
    is_action: bool = False
    action_id: Whole | None = None
    is_calculating: bool = False
    last_calculated_at: Moment | None = None
    post_to_slack: bool = False
    enforcement_mode: str = "allow"
    primary_property: str | None = None
    promoted_property: str | None = None
    """The newest servers' name of the primary property."""
    default_columns: Texts = ()
    media_preview_urls: Texts = ()

    @property
    def is_builtin(self) -> bool:
        """Return whether the product's own libraries send the event."""
        return self.name.startswith("$")

    @property
    def owner_id(self) -> int | None:
        """Return the number of the owner, also where only the number was sent."""
        return (self.owner.id or None) if self.owner else as_id(self.raw.get("owner"))

    @property
    def owner_name(self) -> str:
        """Return the e-mail or first name of the owner; a malformed owner stays as sent."""
        if self.owner and (name := self.owner.email or self.owner.first_name):
            return name
        stored = self.raw.get("owner")
        if self.owner_id is not None:
            return "" if self.owner else f"user {self.owner_id}"
        return stored if isinstance(stored, str) else "" if stored is None else compact_json(stored)

    def row(self) -> EventDefinitionRow:
        return EventDefinitionRow(
            id=self.id,
            name=self.name,
            description=self.description or "",
            tags=self.tags,
            verified=self.verified,
            hidden=self.hidden,
            owner_id=self.owner_id,
            owner=self.owner_name,
            created_at=unix(self.created_at),
            seen_at=unix(self.last_seen_at),
            updated_at=unix(self.updated_at or self.last_updated_at),
            enforcement=self.enforcement_mode,
            primary_property=self.primary_property or self.promoted_property or "",
            is_action=self.is_action or self.action_id is not None,
            not_sent=tuple(name for name in OPTIONAL_MEMBERS if name not in self.raw),
        )


class VerifiedNow(Record):
    """A definition after a bulk verification."""

    id: str = ""
    verified: bool = False


class BulkVerified(Record):
    """The result of a bulk verification; definitions already in that state are in neither list."""

    updated: Each[VerifiedNow] = ()
    skipped: Each[BulkError] = ()


class GeneratedCode(Record):
    """Source code that declares every event."""

    content: str = ""
    event_count: Whole = 0

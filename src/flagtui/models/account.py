"""People, keys and projects: who made a record, who holds the key, and where one is."""

from flagtui.models.json_value import JSON, as_dict, as_whole
from flagtui.models.record import Each, Ids, Items, Moment, Record, Texts, Whole


class User(Record):
    """A user with an account. Names can be empty; the whole user is null for a deleted one."""

    id: Whole = 0
    uuid: str = ""
    distinct_id: str | None = None
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    is_email_verified: bool | None = None
    hedgehog_config: dict[str, JSON] | None = None
    role_at_organization: str | None = None
    is_system: bool = False

    @property
    def label(self) -> str:
        """First name, else e-mail, else how the server numbers them."""
        return self.first_name.strip() or self.email or (f"user {self.id}" if self.id else "unknown")


class Organization(Record):
    """A company with its projects; every field but id and name is missing on some server."""

    id: str = ""
    name: str = ""
    slug: str = ""
    membership_level: Whole | None = None
    """1 member, 8 admin, 15 owner."""
    teams: Items = ()
    projects: Items = ()


class Me(User):
    """The holder of the key."""

    team: dict[str, JSON] | None = None
    """The project `@current` means for this person now."""
    organization: Organization | None = None
    organizations: Each[Organization] = ()
    theme_mode: str | None = None
    is_staff: bool = False

    @property
    def current_project(self) -> int | None:
        """Id of the project `@current` means now; it changes when the person clicks in the browser."""
        return as_whole(as_dict(self.team).get("id"))


class KeyInfo(Record):
    """What the key may do, as the server says."""

    id: str = ""
    label: str = ""
    mask_value: str = ""
    created_at: Moment | None = None
    last_used_at: Moment | None = None
    user_id: Whole | None = None
    scopes: Texts = ()
    """`object:read` or `object:write`; `*` alone is everything that is open to keys."""
    scoped_teams: Ids = ()
    """Projects the key is confined to; empty means all."""
    scoped_organizations: Texts = ()

    def allows(self, scope: str) -> bool:
        """Whether the scopes cover this one; writing covers reading."""
        area, _, level = scope.partition(":")
        return (
            "*" in self.scopes or scope in self.scopes or (level == "read" and f"{area}:write" in self.scopes)
        )


class Project(Record):
    """A project as the listing or the organisation shows it."""

    id: Whole = 0
    uuid: str = ""
    name: str = ""
    organization: str = ""
    """Id of the organisation."""
    api_token: str = ""
    """The public token of the project, not a key."""
    timezone: str = "UTC"
    is_demo: bool = False
    ingested_event: bool = False
    access_control: bool = False

    @property
    def label(self) -> str:
        """The name, or the number while only that is known."""
        return self.name or f"project {self.id}"

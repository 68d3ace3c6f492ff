"""Users, keys and projects: the author of a record, the owner of a key, the current project."""

from flagtui.models.json_value import JSON, as_dict, as_whole
from flagtui.models.record import Each, Ids, Items, Record, Texts, Whole


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
        """Return the first name, else the e-mail, else the server's number of the user."""
        return self.first_name.strip() or self.email or (f"user {self.id}" if self.id else "unknown")


class Organization(Record):
    """An organisation with its projects; every field but id and name is missing on some server."""

    id: str = ""
    name: str = ""
    teams: Items = ()


class Me(User):
    """The owner of the key."""

    team: dict[str, JSON] | None = None
    """The project that `@current` means for this user now."""
    organization: Organization | None = None
    organizations: Each[Organization] = ()

    @property
    def current_project(self) -> int | None:
        """Return the id of the project `@current`; it changes when the user switches in the browser."""
        return as_whole(as_dict(self.team).get("id"))


class KeyInfo(Record):
    """The permissions of the key, as the server reports them."""

    scopes: Texts = ()
    """`object:read` or `object:write`; `*` alone covers everything that is open to keys."""
    scoped_teams: Ids = ()
    """Projects that the key is limited to; empty means all."""

    def allows(self, scope: str) -> bool:
        """Return whether the key's scopes cover this one; write covers read."""
        area, _, level = scope.partition(":")
        return (
            "*" in self.scopes or scope in self.scopes or (level == "read" and f"{area}:write" in self.scopes)
        )


class Project(Record):
    """A project as the list or the organisation shows it."""

    id: Whole = 0
    name: str = ""
    organization: str = ""
    """Id of the organisation."""
    api_token: str = ""
    """The public token of the project, not a key."""
    timezone: str = "UTC"

    @property
    def label(self) -> str:
        """Return the name, or the number while only that is known."""
        return self.name or f"project {self.id}"

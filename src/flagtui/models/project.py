"""Projects: the place every flag, experiment and event definition lives in."""

from flagtui.models.record import Record, Whole


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

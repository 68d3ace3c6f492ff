"""One sample flag and its life: written forwards, so that its log leads back to every older version."""

from dataclasses import dataclass, field
from datetime import datetime

from flagtui.service.activity import changes_between
from flagtui.service.errors import Json
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.rows import SCOPE

_LOGGED = FLAGS.using(Use.LOGGED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the activity log, and the columns that were written then."""

    at: datetime
    author: int | None
    activity: str
    name: str
    """The flag's key at that time."""
    written: Values
    changes: list[Json]


@dataclass(slots=True)
class SampleFlag:
    """A flag with every version it ever had. `state` holds its columns, the others' defaults among them."""

    state: Values
    created_at: datetime
    author: int | None
    called_at: datetime | None = None
    id: int = 0
    """0 until the project has numbered its flags."""
    project: int = 1
    updated_at: datetime | None = None
    modified_by: int | None = None
    log: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.updated_at, self.modified_by = self.created_at, self.author
        self.log.append(Entry(self.created_at, self.author, "created", self.key, self.state, []))

    @property
    def key(self) -> str:
        return str(self.state["key"])

    @property
    def filters(self) -> Values:
        filters: Values = self.state["filters"]
        return filters

    @property
    def version(self) -> int | None:
        """None for a flag from before versions were kept."""
        version: int | None = self.state["version"]
        return version

    def edit(self, at: datetime, author: int | None, **after: Json) -> None:
        """Save once: the given columns change, the version counts up, the log gets one entry."""
        before = self.state
        self.state = {**before, **after, "version": before["version"] + 1}
        touched = [name for name in _LOGGED if name in after or name == "version"]
        changes = changes_between(SCOPE, before, self.state, touched)
        activity = "deleted" if after.get("deleted") else "updated"
        self.log.append(Entry(at, author, activity, self.key, after, changes))
        self.updated_at, self.modified_by = at, author

    def forget_history(self) -> None:
        """Make it a row from before versions were kept: no version, no last change, no log."""
        self.state = {**self.state, "version": None}
        self.updated_at, self.modified_by, self.log = None, None, []


def state(key: str, filters: Values, name: str = "", runtime: str = "all", **columns: Json) -> Values:
    """The columns of a new flag, with the service's defaults for those not named."""
    given = {"key": key, "name": name, "filters": filters, "evaluation_runtime": runtime}
    return {**FLAGS.defaults, **given, **columns}

"""One sample flag and its life: written forwards, so that its log leads back to every older version."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

JSON = Any
State = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the activity log, in the shape the service answers with."""

    at: datetime
    author: int | None
    activity: str
    name: str
    """The flag's key at that time."""
    changes: list[JSON]


def change(field_name: str, before: JSON, after: JSON) -> JSON:
    """One changed field. An empty side makes it `created` or `deleted`; false is not empty."""
    action = "created" if before in (None, "") else "deleted" if after is None else "changed"
    return {"type": "FeatureFlag", "action": action, "field": field_name, "before": before, "after": after}


@dataclass(slots=True)
class SampleFlag:
    """A flag with every version it ever had. `state` holds the columns that the log follows."""

    state: State
    created_at: datetime
    author: int | None
    tags: tuple[str, ...] = ()
    called_at: datetime | None = None
    id: int = 0
    """0 until the project has numbered its flags."""
    project: int = 1
    version: int | None = 1
    updated_at: datetime | None = None
    modified_by: int | None = None
    creation_context: str = "feature_flags"
    log: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.updated_at, self.modified_by = self.created_at, self.author
        self.log.append(Entry(self.created_at, self.author, "created", self.key, []))

    @property
    def key(self) -> str:
        return str(self.state["key"])

    @property
    def filters(self) -> State:
        filters: State = self.state["filters"]
        return filters

    def edit(self, at: datetime, author: int | None, activity: str = "updated", **after: JSON) -> None:
        """Save once: the given columns change, the version counts up, the log gets one entry."""
        assert self.version is not None, "a flag from before versions has no history to extend"
        changes = [change(name, self.state[name], value) for name, value in after.items()]
        self.version += 1
        changes.append(change("version", self.version - 1, self.version))
        self.log.append(Entry(at, author, activity, self.key, changes))
        self.state = {**self.state, **after}
        self.updated_at, self.modified_by = at, author

    def forget_history(self) -> None:
        """Make it a row from before versions were kept: no version, no last change, no log."""
        self.version, self.updated_at, self.modified_by, self.log = None, None, None, []


def state(key: str, filters: State, name: str = "", **columns: JSON) -> State:
    """The columns of a new flag, with the service's defaults for those not named."""
    return {
        "key": key,
        "name": name,
        "filters": filters,
        "active": True,
        "archived": False,
        "deleted": False,
        "ensure_experience_continuity": False,
        "evaluation_runtime": "all",
        "bucketing_identifier": "distinct_id",
        "is_remote_configuration": False,
        "has_encrypted_payloads": False,
        **columns,
    }

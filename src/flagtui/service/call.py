"""One request for a handler: its caller, project and content."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime

import msgspec
from starlette.datastructures import Headers, QueryParams

from flagtui.service.bodies import parse_object, read_id
from flagtui.service.clock import stamp
from flagtui.service.errors import Json
from flagtui.service.generations import Generation
from flagtui.service.news import News
from flagtui.service.settings import Settings


class Caller(msgspec.Struct, frozen=True):
    """The owner of the key a request carries, and what the key may do."""

    user_id: int = 0
    distinct_id: str | None = None
    current_project_id: int | None = None
    key_id: str = ""
    scopes: frozenset[str] = frozenset()
    teams: frozenset[int] = frozenset()
    """Projects the key is confined to; empty is all."""
    organizations: frozenset[str] = frozenset()
    is_project: bool = False
    """The key is the secret of a project and has no owner."""

    def may(self, scope: str) -> bool:
        """Return whether the key has `object:action`; write implies read and `*` is everything."""
        if "*" in self.scopes or scope in self.scopes:
            return True
        resource, _, action = scope.partition(":")
        return action == "read" and f"{resource}:write" in self.scopes


class Project(msgspec.Struct, frozen=True):
    id: int
    organization_id: str
    settings: Mapping[str, Json]
    replay_flag_id: int | None


class Call(msgspec.Struct, frozen=True):
    """The arguments of a handler. `db` reads one moment; in a writing operation it is the open transaction.

    The defaults are those of automatic changes, which the service makes in the name of a user.
    """

    db: sqlite3.Connection
    settings: Settings
    caller: Caller
    scoped_project: Project | None
    now: datetime
    """The moment of the request: everything it writes carries the same one."""
    method: str = "PATCH"
    base_url: str = ""
    path: str = ""
    params: Mapping[str, str] = {}
    """The named parts of the path."""
    query: QueryParams = msgspec.field(default_factory=QueryParams)
    headers: Headers = msgspec.field(default_factory=Headers)
    raw_body: bytes = b""
    news: News = msgspec.field(default_factory=News)
    """Announces every write."""

    @property
    def generation(self) -> Generation:
        """Return the generation of servers whose operations, fields and messages are used."""
        return self.settings.generation

    @property
    def project(self) -> Project:
        """Return the project of the path; only operations under one may ask."""
        assert self.scoped_project is not None
        return self.scoped_project

    @property
    def stamp(self) -> str:
        """Return the moment of the request as it is stored."""
        return stamp(self.now)

    def body(self) -> dict[str, Json]:
        """Return the JSON object of the body; {} without a body. Raises the faults of any other body."""
        return parse_object(self.raw_body, self.headers.get("content-type"), self.settings.max_depth)

    def number(self, name: str) -> int | None:
        """Return a part of the path as a record id; None when it cannot be one."""
        return read_id(self.params[name])

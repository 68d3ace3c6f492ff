"""One request on its way to a handler: who asks, for which project, with what."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from starlette.datastructures import Headers, QueryParams

from flagtui.service.bodies import parse_object
from flagtui.service.clock import stamp
from flagtui.service.errors import Json
from flagtui.service.generations import Generation
from flagtui.service.settings import Settings


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of the key a request carries, and what the key may do."""

    user_id: int
    email: str
    first_name: str
    distinct_id: str | None
    current_project_id: int | None
    key_id: str
    scopes: frozenset[str]
    teams: frozenset[int]
    """Projects the key is confined to; empty is all."""
    organizations: frozenset[str]
    is_project: bool = False
    """The key is the secret of a project and belongs to nobody."""

    def may(self, scope: str) -> bool:
        """Whether the key has `object:action`; write implies read and `*` is everything."""
        if "*" in self.scopes or scope in self.scopes:
            return True
        resource, _, action = scope.partition(":")
        return action == "read" and f"{resource}:write" in self.scopes


@dataclass(frozen=True, slots=True)
class Project:
    id: int
    organization_id: str
    name: str
    api_token: str
    settings: Mapping[str, Json]
    replay_flag_id: int | None


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler is given. `db` sees one moment; in a writing operation it is the open transaction."""

    db: sqlite3.Connection
    method: str
    base_url: str
    path: str
    params: Mapping[str, str]
    """The named parts of the path."""
    query: QueryParams
    headers: Headers
    raw_body: bytes
    settings: Settings
    caller: Caller
    scoped_project: Project | None
    now: datetime
    """The moment of the request: everything it writes carries the same one."""

    @property
    def generation(self) -> Generation:
        """What servers of the kind that is played here have, and how they say it."""
        return self.settings.generation

    @property
    def project(self) -> Project:
        """The project of the path; only operations under one may ask."""
        assert self.scoped_project is not None
        return self.scoped_project

    @property
    def stamp(self) -> str:
        """The moment of the request as it is stored."""
        return stamp(self.now)

    def body(self) -> dict[str, Json]:
        """The JSON object that was sent; {} for no body. Raises the faults of a body that is none."""
        return parse_object(self.raw_body, self.headers.get("content-type"), self.settings.max_depth)

    def number(self, name: str) -> int | None:
        """A part of the path as a record id; None when it cannot be one."""
        text = self.params[name]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def unsent_call(
    db: sqlite3.Connection, settings: Settings, caller: Caller, project: Project, now: datetime
) -> Call:
    """A request without a body or a path: what the service does by itself, in someone's name."""
    return Call(
        db=db,
        method="PATCH",
        base_url="",
        path="",
        params={},
        query=QueryParams(),
        headers=Headers(),
        raw_body=b"",
        settings=settings,
        caller=caller,
        scoped_project=project,
        now=now,
    )

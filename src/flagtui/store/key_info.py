"""The identity behind a key: its owner, its permissions and its projects."""

from collections.abc import Awaitable
from typing import Final, TypeVar

import msgspec

from flagtui.api import Client
from flagtui.api.errors import ApiError, EndpointNotFound, Forbidden, NotFound
from flagtui.models.account import KeyInfo, Me, Project

KeyPartT = TypeVar("KeyPartT")

NEEDS: Final = (
    ("see flags", "feature_flag:read"),
    ("change flags", "feature_flag:write"),
    ("see experiments", "experiment:read"),
    ("change experiments", "experiment:write"),
    ("read the results of experiments", "query:read"),
    ("see event definitions", "event_definition:read"),
    ("change event definitions", "event_definition:write"),
    ("see who changed what", "activity_log:read"),
    ("choose cohorts by name", "cohort:read"),
    ("complete names of properties", "property_definition:read"),
    ("complete values of users' properties", "person:read"),
    ("name projects and switch between them", "project:read"),
    ("know who you are", "user:read"),
)
"""Abilities of the user, and the scope that each needs."""


class Ability(msgspec.Struct, frozen=True):
    """An ability of the user, if the key has the scope."""

    words: str
    scope: str
    works: bool


class Introduction(msgspec.Struct, frozen=True):
    """The server's information about the key. Missing parts are None or empty."""

    me: Me | None
    key: KeyInfo | None
    projects: tuple[Project, ...]

    @property
    def person(self) -> str:
        """Return the owner of the key, in a word."""
        return (self.me.email or self.me.label) if self.me else ""


async def load_identity(client: Client) -> Introduction:
    """Load owner, scopes and projects of the key, each as far as the key allows.

    Raises ApiError, also for a host that is another kind of server.
    """
    refusals = (Forbidden, NotFound, EndpointNotFound)
    key = await _if_allowed(client.people.key(), *refusals)
    me = await _if_allowed(client.people.me(), Forbidden)
    return Introduction(me, key, await _if_allowed(client.projects.list(), *refusals) or ())


async def _if_allowed(asking: Awaitable[KeyPartT], *refusals: type[ApiError]) -> KeyPartT | None:
    try:
        return await asking
    except refusals:
        return None


def abilities(key: KeyInfo | None) -> tuple[Ability, ...]:
    """Return which abilities the key has and lacks; empty while its scopes are unknown."""
    if key is None:
        return ()
    return tuple(Ability(words, scope, key.allows(scope)) for words, scope in NEEDS)


def organization_name(me: Me | None, project: Project) -> str:
    """Return the name of the project's organisation, as far as the owner's record has it."""
    if me is None:
        return ""
    organizations = [*me.organizations, *([me.organization] if me.organization else [])]
    return next((each.name for each in organizations if each.id == project.organization), "")

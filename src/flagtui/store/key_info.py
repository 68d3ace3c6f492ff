"""What a key turns out to be: whose it is, what it may do, and for which projects."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, TypeVar

from flagtui.api import Client
from flagtui.api.errors import Forbidden, NotFound
from flagtui.models.account import KeyInfo, Me, Project

Told = TypeVar("Told")

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
    ("name projects and switch between them", "project:read"),
    ("know who you are", "user:read"),
)
"""What a person can do here, and the scope it takes."""


@dataclass(frozen=True, slots=True)
class Ability:
    """Something a person can do here, if the key allows it."""

    words: str
    scope: str
    works: bool


@dataclass(frozen=True)
class Introduction:
    """What the server says of the key. What it does not tell is None or empty."""

    me: Me | None
    key: KeyInfo | None
    projects: tuple[Project, ...]

    @property
    def person(self) -> str:
        """Whose key it is, in a word."""
        return (self.me.email or self.me.label) if self.me else ""

    def organization_of(self, project: Project) -> str:
        """The name of the project's organisation; empty when it is not known."""
        return organization_name(self.me, project)


async def load_identity(client: Client) -> Introduction:
    """Asks the server about the key, each as far as the key allows. Raises ApiError."""
    key = await _as_far_as_told(client.people.key())
    me = await _as_far_as_told(client.people.me())
    return Introduction(me, key, await _as_far_as_told(client.projects.list()) or ())


async def _as_far_as_told(asking: Awaitable[Told]) -> Told | None:
    try:
        return await asking
    except (Forbidden, NotFound):
        return None


def abilities(key: KeyInfo | None) -> tuple[Ability, ...]:
    """What will and what won't work with the key; empty while its scopes are not known."""
    if key is None:
        return ()
    return tuple(Ability(words, scope, key.allows(scope)) for words, scope in NEEDS)


def organization_name(me: Me | None, project: Project) -> str:
    """The name of the project's organisation, as far as the person's own record has it."""
    if me is None:
        return ""
    known = [*me.organizations, *([me.organization] if me.organization else [])]
    return next((each.name for each in known if each.id == project.organization), "")

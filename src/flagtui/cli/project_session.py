"""One command's work in one project: the client, who we are there, what may be done."""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from flagtui.cli.options import WorkPlace
from flagtui.cli.output.lines import progress
from flagtui.cli.profile_choice import Opening
from flagtui.cli.signed_in import ask, find_key, open_profile

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.clock import Clock
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Signature
    from flagtui.config.guard_rules import GuardRules
    from flagtui.models.account import Me

Answer = TypeVar("Answer")
LOOK_EVERY = 2.0
"""Seconds between looks at what is waited for."""


class HasId(Protocol):
    """A record, or its row."""

    @property
    def id(self) -> int | str: ...


@dataclass
class ProjectSession:
    """Lives as long as the connection."""

    opening: Opening
    client: "Client"
    is_read_only: bool = False
    _me: "list[Me | None]" = field(default_factory=list)

    @property
    def rules(self) -> "GuardRules":
        """How careful the profile is."""
        from flagtui.cli.rules import rules_of

        return rules_of(self.opening.profile, read_only=self.is_read_only)

    @property
    def journal(self) -> "Journal":
        """Raises Trouble when there is no folder for it."""
        from flagtui.changes.journal import Journal

        return Journal(self.opening.state_folder() / "journal")

    @property
    def clock(self) -> "Clock":
        return self.client.connection.clock

    @property
    def now(self) -> float:
        """Unix seconds by this machine's clock."""
        return time.time()

    async def me(self) -> "Me | None":
        """Who the key belongs to, asked once; None for a key that may not say it."""
        from flagtui.api.errors import ApiError, NotSignedIn

        if not self._me:
            try:
                self._me.append(await self.client.people.me())
            except NotSignedIn:
                raise
            except ApiError:
                self._me.append(None)
        return self._me[0]

    @property
    def signature(self) -> "Signature":
        """What the journal says of us; by whom only where that was asked for another reason."""
        from flagtui.changes.journal_entries import Signature

        me = self._me[0] if self._me else None
        return Signature(
            by=(me.email or me.label) if me else "",
            profile=self.opening.profile.name,
            host=str(self.client.host),
            project=str(self.client.project),
        )

    async def until(
        self, look: Callable[[], "Awaitable[Answer | None]"], wait: float, what: str
    ) -> "Answer | None":
        """What `look` finds within so many seconds; None after them. A line that fails is tried again."""
        from flagtui.api.errors import RateLimited, ServerFault, Unanswered, Unreachable

        ends, found = self.clock.monotonic() + wait, None
        progress(f"waiting until {what}, for {wait:g} s at most")
        while found is None:
            with suppress(Unreachable, Unanswered, ServerFault, RateLimited):
                found = await look()
            if (left := ends - self.clock.monotonic()) <= 0:
                break
            if found is None:
                await self.clock.sleep(min(LOOK_EVERY, left))
        return found

    def pages(self, kind: str) -> "Callable[[HasId], str]":
        """What gives the address of a record's page as a link; empty where it cannot be one."""
        from flagtui.text.styled import is_own, link_to

        client, host = self.client, str(self.client.host)

        def page(record: "HasId") -> str:
            link = link_to(client, kind, record.id)
            return link if is_own(link, host) else ""

        return page


def in_project(place: WorkPlace, work: Callable[[ProjectSession], Awaitable[Answer]]) -> Answer:
    """Do the work in the project of the profile. Raises Trouble."""
    opening = open_profile(place.profile, place.project)

    async def run(client: "Client") -> Answer:
        if client.project == "@current":
            client = client.for_project(await client.projects.current())
        return await work(ProjectSession(opening, client, place.read_only))

    return ask(opening, find_key(opening), run)


def in_project_with_pages(
    place: WorkPlace, kind: str, work: Callable[[ProjectSession], Awaitable[Answer]]
) -> "tuple[Answer, Callable[[HasId], str]]":
    """The same, and what gives the page of a record of this kind."""

    async def both(session: ProjectSession) -> "tuple[Answer, Callable[[HasId], str]]":
        return await work(session), session.pages(kind)

    return in_project(place, both)

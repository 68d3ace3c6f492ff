"""One command's session with the key of a profile: a single request, or all work in one project."""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import msgspec

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, NotSignedIn, RateLimited, ServerFault, Unanswered, Unreachable
from flagtui.cli.plumbing.errors import Trouble, in_words, may_work_later
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.profile_choice import (
    Opening,
    ProfileRequest,
    choose_signed_in,
    how_to_replace_a_key,
    no_key_words,
    read_login_environment,
)
from flagtui.cli.plumbing.project_choice import open_project, require_one_project
from flagtui.config.credentials import FoundSecret, NoCredential
from flagtui.config.guard_rules import GuardRules
from flagtui.models.json_value import JSON, as_dict
from flagtui.text.styled import is_own, link_to

if TYPE_CHECKING:
    import asyncio

    from flagtui.api import Client
    from flagtui.api.connection_state import ConnectionState
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Signature
    from flagtui.models.account import KeyInfo, Me
    from flagtui.models.flag_details import Names
    from flagtui.store.kinds import RecordKind
    from flagtui.store.snapshots import SnapshotPlace

WorkT = TypeVar("WorkT")
NOTICED: Final = 2.0
"""Seconds of waiting that are reported."""
PATIENCE: Final = 2.5
"""Seconds to wait for names, which only make the output easier to read."""
ANYWHERE: Final = WorkPlace()
LOOK_EVERY: Final = 2.0
"""Seconds between looks at an awaited state."""


def report_waits(link: "ConnectionState") -> Callable[[], None]:
    """Report on standard error, once each, what requests wait for."""
    until = 0.0

    def hear() -> None:
        nonlocal until
        ends = link.clock.monotonic() + link.waiting
        if link.queued and link.waiting >= NOTICED and ends > until + NOTICED:
            until = ends
            progress(f"waiting {link.waiting:.0f} s {link.wait_reason}")
        if link.retry is not None and link.retry[0] >= NOTICED:
            pause, error = link.retry
            progress(f"{error.what.rstrip('.')}; trying again in {pause:.0f} s")

    return hear


def open_profile(profile: str, project: str = "", *, takes_several: bool = False) -> Opening:
    """Return the profile a command works with. Raises Trouble, also for several projects where one is due."""
    request = ProfileRequest(profile=profile or None, project=project or None)
    opening = choose_signed_in(read_login_environment(), request)
    return opening if takes_several else require_one_project(opening, "this command")


def find_key(opening: Opening) -> FoundSecret:
    """Return the key and where it was. Raises Trouble."""
    secret = opening.keys.find(opening.owner)
    if isinstance(secret, NoCredential):
        raise Trouble(*no_key_words(opening, secret), code="sign_in")
    return secret


def ask(
    opening: Opening,
    secret: FoundSecret,
    question: "Callable[[Client], Awaitable[WorkT]]",
    place: WorkPlace = ANYWHERE,
) -> WorkT:
    """Return the server's response; wait for it as long as `place` allows. Raises Trouble."""
    # Half of what a command takes to start, which its help, completion and --offline do without.
    import asyncio

    from flagtui.cli.plumbing.client import make_client

    async def run() -> WorkT:
        async with make_client(opening.profile, opening.host, secret.key) as client:
            connection = client.connection
            connection.link.watch(report_waits(connection.link))
            ends = connection.clock.monotonic() + (place.wait or 0.0)
            connection.longest_wait = connection.longest_wait if place.wait is None else place.wait
            while True:
                try:
                    return await question(client)
                except ApiError as error:
                    left = ends - connection.clock.monotonic()
                    pause = error.facts.retry_after or min(left, LOOK_EVERY)
                    if not place.is_repeatable or left <= 0 or pause > left or not may_work_later(error):
                        raise
                    progress(f"{error.what.rstrip('.')}; trying again for {left:.0f} s at most")
                    await connection.clock.sleep(pause)
                    connection.longest_wait = max(left - pause, 0.0)

    try:
        return asyncio.run(run())
    except NotSignedIn as refused:
        trouble = in_words(refused)
        trouble.fix = f"{trouble.fix} {how_to_replace_a_key(opening, secret.source)}"
        raise trouble from None
    except ApiError as error:
        raise in_words(error) from None


class HasId(Protocol):
    """A record, or its row."""

    @property
    def id(self) -> int | str: ...


class ProjectSession(msgspec.Struct):
    """Lives as long as the connection."""

    opening: Opening
    client: "Client"
    is_read_only: bool = False
    fields: Sequence[str] = ()
    """Names of the fields that are printed of each record; empty where the command prints them itself."""
    origin: str = ""
    """The project of the command line, when this one is another."""
    exit_code: int = 0
    """What a command that only reads ends with after its records are printed."""
    _me: "list[Me | None]" = []
    _me_turn: "asyncio.Lock | None" = None

    @property
    def rules(self) -> GuardRules:
        return self.opening.rules(read_only=self.is_read_only)

    @property
    def journal(self) -> "Journal":
        """Raises Trouble when there is no folder for it."""
        from flagtui.changes.journal import Journal

        return Journal(self.opening.state_folder() / "journal")

    @property
    def clock(self) -> Clock:
        return self.client.connection.clock

    @property
    def now(self) -> float:
        """Unix seconds by this machine's clock."""
        return time.time()

    async def me(self) -> "Me | None":
        """Return the owner of the key, requested once; None where it cannot be read."""
        async with self._turn_of_me():
            if not self._me:
                try:
                    self._me.append(await self.client.people.me())
                except NotSignedIn:
                    raise
                except ApiError:
                    self._me.append(None)
            return self._me[0]

    async def require_me(self) -> "Me":
        """Return the owner of the key. Raises ApiError; Forbidden where the key may not read it."""
        async with self._turn_of_me():
            me = self._me[0] if self._me else None
            if me is None:
                me = await self.client.people.me()
                self._me[:] = [me]
            return me

    def _turn_of_me(self) -> "asyncio.Lock":
        """Return the lock of the request: several records are planned at the same time."""
        import asyncio

        self._me_turn = self._me_turn or asyncio.Lock()
        return self._me_turn

    async def key_scopes(self) -> "KeyInfo | None":
        """Return the scopes of the key; None where the server does not report them."""
        try:
            return await self.client.people.key()
        except ApiError:
            return None

    @property
    def signature(self) -> "Signature":
        """The signature for the journal; the user only where it was read for another reason."""
        from flagtui.changes.journal_entries import Signature

        me = self._me[0] if self._me else None
        return Signature(
            by=(me.email or me.label) if me else "",
            profile=self.opening.profile.name,
            host=self.client.host.origin,
            project=str(self.client.project),
            origin=self.origin,
        )

    def keep_rows(self, kind: "RecordKind", rows: Sequence[Any]) -> None:
        """Save a complete list, so that completion and the next start of the app have it."""
        from flagtui.store.snapshots import snapshots_in

        snapshots_in(self.opening.cache).save(self._snapshot_of(kind), rows, kind.row, taken_at=self.now)

    def cached_rows(self, kind: "RecordKind") -> Sequence[Any]:
        """Return the rows of the cached list, however old; none without one."""
        from flagtui.store.snapshots import snapshots_in

        snapshot = snapshots_in(self.opening.cache).load(self._snapshot_of(kind), kind.row)
        return () if snapshot is None else snapshot.rows

    def _snapshot_of(self, kind: "RecordKind") -> "SnapshotPlace":
        from flagtui.store.snapshots import SnapshotPlace

        profile = self.opening.profile.name
        return SnapshotPlace(profile, self.client.host.origin, str(self.client.project), kind.plural)

    async def names(self, flags: Iterable[Mapping[str, JSON]]) -> "Names":
        """Return the names of group types, and how values are compared with true and false.

        The server is asked only where a condition needs either; without a response in time both are unknown.
        """
        import asyncio

        from flagtui.models.flag_details import NO_NAMES, Names
        from flagtui.text.property_sentences import needs_names

        if not any(needs_names(as_dict(flag.get("filters"))) for flag in flags):
            return NO_NAMES
        try:
            async with asyncio.timeout(PATIENCE):
                document = await self.client.evaluation.local_evaluation()
        except (ApiError, TimeoutError):
            return NO_NAMES
        names_by_index = document.group_type_mapping if document is not None else {}
        version = document.raw.get("property_matching_version") if document is not None else None
        groups = {int(index): name for index, name in names_by_index.items() if index.isdecimal()}
        return Names(groups=groups, matching_version=2 if version == 2 else 1)

    async def until(
        self, look: Callable[[], Awaitable[WorkT | None]], wait: float, what: str
    ) -> WorkT | None:
        """Poll `look` for so many seconds and return its result, else None. Retries a lost connection."""
        ends, answer = self.clock.monotonic() + wait, None
        progress(f"waiting until {what}, for {wait:g} s at most")
        while answer is None:
            with suppress(Unreachable, Unanswered, ServerFault, RateLimited):
                answer = await look()
            if (left := ends - self.clock.monotonic()) <= 0:
                break
            if answer is None:
                await self.clock.sleep(min(LOOK_EVERY, left))
        return answer

    def pages(self, kind: str) -> Callable[[HasId], str]:
        """Return a function for the address of a record's page; empty where it cannot be a link."""
        client, host = self.client, self.client.host.origin

        def page(record: HasId) -> str:
            link = link_to(client, kind, record.id)
            return link if is_own(link, host) else ""

        return page


def in_project(place: WorkPlace, work: Callable[[ProjectSession], Awaitable[WorkT]]) -> WorkT:
    """Do the work in the project of the profile. Raises Trouble."""
    return in_opened(open_profile(place.profile, place.project), place, work)


def in_opened(
    opening: Opening, place: WorkPlace, work: Callable[[ProjectSession], Awaitable[WorkT]]
) -> WorkT:
    """Do the work in the project of an opened profile, which takes its key from the environment once.

    Raises Trouble.
    """

    async def run(client: "Client") -> WorkT:
        destination, opened = await open_project(client, opening)
        return await work(ProjectSession(opened, destination, place.read_only))

    return ask(opening, find_key(opening), run, place)

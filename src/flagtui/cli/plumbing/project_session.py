"""The project of a command, by its id, its name or a journal entry; and the session of the work in it."""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, NotSignedIn, RateLimited, ServerFault, Unanswered, Unreachable
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import LOOK_EVERY, WorkPlace, keep_place
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.profile_choice import (
    Opening,
    ProfileRequest,
    choose_signed_in,
    read_login_environment,
    readable_state,
)
from flagtui.config.guard_rules import GuardRules
from flagtui.config.profiles import CURRENT_PROJECT, is_project_id
from flagtui.models.json_value import JSON, as_dict
from flagtui.text.styled import is_own, link_to

if TYPE_CHECKING:
    import asyncio

    from flagtui.api import Client
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Signature
    from flagtui.models.account import KeyInfo, Me
    from flagtui.models.flag_details import Names
    from flagtui.store.kinds import RecordKind
    from flagtui.store.snapshots import SnapshotPlace

WorkT = TypeVar("WorkT")
PATIENCE: Final = 2.5
"""Seconds to wait for names, which only make the output easier to read."""
ProjectOfChange = Callable[[Opening, Mapping[str, Any]], str]
"""Return the project that the arguments of a command name by a journal entry; empty for none."""


def split_projects(opening: Opening) -> Sequence[Opening]:
    """Return an opening for each project of `--project 1,2`; one for a single project."""
    names = [name.strip() for name in opening.project_name.split(",")]
    if len(names) < 2:
        return [opening]
    if not all(names):
        what = f"{opening.project_name!r} has an empty name of a project."
        raise Trouble(what, "Write ids or names with commas between them.", code="usage")
    return [
        opening.in_project(name) if is_project_id(name) else replace(opening, project_name=name)
        for name in dict.fromkeys(names)
    ]


def require_one_project(opening: Opening, what: str) -> Opening:
    """Return the opening. Raises Trouble for `--project 1,2`; `what` is the subject of the sentence."""
    if "," in opening.project_name:
        fix = "Run it once for each; name a project with a comma by its id."
        raise Trouble(f"{what} takes one project, not {opening.project_name}.", fix, code="usage")
    return opening


def name_project(opening: Opening, project_of_entry: Callable[[], str]) -> Opening:
    """Return the opening for a change, which needs the name of its project unless there is a terminal.

    `project_of_entry` returns the project of the journal entry that the command undoes, empty for none.
    Raises Trouble.
    """
    require_one_project(opening, "a change")
    if opening.project_name or opening.profile.project != CURRENT_PROJECT:
        return opening
    if project := project_of_entry():
        keep_place("project", project)
        return opening.in_project(project)
    from flagtui.cli.plumbing.prompts import find_prompts

    if not find_prompts().is_there:
        what = "no project is named; without a terminal, a change needs one."
        fix = "Use --project ID, set FLAGTUI_PROJECT, or give the profile a project"
        raise Trouble(what, f"{fix}; {next_command('projects')} lists them.", code="usage")
    return opening


async def open_project(client: "Client", opening: Opening) -> "tuple[Client, Opening]":
    """Return the client and the opening with the id of the project. Raises Trouble, ApiError."""
    if opening.project_name:
        from flagtui.cli.plumbing.project_names import find_project

        id = await find_project(client, opening.project_name)
        return client.for_project(id), opening.in_project(str(id))
    if client.project == CURRENT_PROJECT:
        client = client.for_project(await client.projects.current())
    return client, opening


def open_profile(profile: str, project: str = "", *, takes_several: bool = False) -> Opening:
    """Return the profile a command works with. Raises Trouble, also for several projects where one is due."""
    request = ProfileRequest(profile=profile or None, project=project or None)
    opening = choose_signed_in(read_login_environment(), request)
    return opening if takes_several else require_one_project(opening, "this command")


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

        return Journal(readable_state(self.opening.environment.places) / "journal")

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

        from flagtui.models.flag_details import NO_NAMES
        from flagtui.text.property_sentences import needs_names

        if not any(needs_names(as_dict(flag.get("filters"))) for flag in flags):
            return NO_NAMES
        # Loaded here: few flags need any.
        from flagtui.details.local_definitions import names_in

        try:
            async with asyncio.timeout(PATIENCE):
                document = await self.client.evaluation.local_evaluation()
        except (ApiError, TimeoutError):
            return NO_NAMES
        return NO_NAMES if document is None else names_in(document)

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

    def pages(self, kind: str) -> Callable[[Any], str]:
        """Return a function for the address of a record's page; empty where it cannot be a link."""
        client, host = self.client, self.client.host.origin

        def page(record: Any) -> str:
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

    # Half of what a command takes to start, which its help, completion and --offline do without.
    from flagtui.cli.plumbing.client import ask, find_key

    return ask(opening, find_key(opening), run, place)

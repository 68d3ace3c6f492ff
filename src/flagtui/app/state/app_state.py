"""Hold what all screens share: the open project, cached records and their age. Knows no widgets."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import ApiError
from flagtui.config.guard_rules import GuardRules
from flagtui.config.preferences import Preferences
from flagtui.local_time import MINUTE
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.store.kinds import Kind
from flagtui.store.snapshots import Snapshot, SnapshotPlace, Snapshots
from flagtui.store.workspace import Workspace, recall_rows
from flagtui.text.styled import is_own, link_to, shows_links
from flagtui.watched import Watched

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.app.state.code_search import CodeSearch, CodeSource
    from flagtui.app.state.mirror_watch import MirrorWatch
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Signature
    from flagtui.changes.sets.change_set import ChangeSet
    from flagtui.details.flag_inspector import Inspector
    from flagtui.models.flag import Flag


class Neighbour(msgspec.Struct, frozen=True):
    """A profile to switch to."""

    name: str
    about: str
    """Its server and how careful it is."""


class Session(msgspec.Struct, frozen=True, dict=True):
    """One profile, ready to be opened. Creating it sends no request."""

    profile: str
    host: str
    """The server, for people to read."""
    badge: str
    """The word beside the name, such as PROD."""
    colour: str
    """A theme variable: error, warning, success, primary, secondary or neutral."""
    rules: GuardRules
    connect: Callable[[], Awaitable[Client]]
    """Finds the key and opens the client; raises ApiError when that cannot be done."""
    journal_folder: Path
    """Where this person's changes are written down."""
    state_folder: Path
    """Where crash reports go."""
    origin: str = ""
    """The server, such as https://eu.posthog.com: what copies on disk are kept by; empty where none are."""
    project: int | str = "@current"
    """The project the profile names; that of the browser where it names none."""
    snapshots: Snapshots = msgspec.field(default_factory=lambda: Snapshots(None))
    code: CodeSource | None = None
    """The code of this profile; None where none belongs to it."""
    refresh: float = 60.0
    """Seconds between polls for what changed; 0 never polls."""
    unlock: float = 0.0
    """Seconds a strict profile stays unlocked after a key was typed in full; 0 asks for it every time."""
    overridden: str = ""
    """Environment variables that win over the profile, in words for the header."""
    offers_tour: bool = False
    """Whether the person is shown around first."""
    is_stand_in: bool = False
    """Whether the server was named without a profile, whose name is made up then."""
    embedded_in: str = ""
    """The command in whose process the server is, such as `demo --nasty`; empty where it has an address."""
    mirror: MirrorWatch | None = None
    """The mirror whose overrides are changed here; None changes the flags of the server."""
    flag: str = ""
    """Key of the flag to open first."""
    pick: Callable[[str], None] | None = None
    """Hears the key of the flag that is opened, and the program ends; None opens it on the screen."""
    preferences: Preferences = msgspec.field(default_factory=Preferences)
    """The user's choices for lists; shared by all profiles."""
    clock: Clock = msgspec.field(default_factory=SystemClock)
    first_look: list[float] = []
    """The moment of the first ages on screen, in Unix seconds; copies with other settings share it."""
    redact: Callable[[str], str] = str
    """Removes the key from a text, wherever it occurs."""
    with_key: Callable[[str], Client] | None = None
    """A client with a key that was just typed; raises ApiError. None where no key is needed."""
    keep_key: Callable[[str], str] | None = None
    """Stores the new key for the next start and returns where; takes as long as a keyring does.

    None where a stored key would not be used.
    """
    neighbours: tuple[Neighbour, ...] = ()
    """The profiles one can switch to, this one among them."""
    switch: Callable[[str], Session | str] | None = None
    """The session of another profile, or why it cannot be opened."""
    reread: Callable[[], Reread | str] | None = None
    """This profile as the settings file has it now, or the error in the file. None without a file."""

    def with_settings_of(self, other: Session) -> Session:
        """Return the same connection with the settings of another session; a guard is for its own server."""
        guard = other if other.origin == self.origin else self
        return replace(
            self,
            badge=guard.badge,
            colour=guard.colour,
            rules=guard.rules,
            refresh=other.refresh,
            unlock=guard.unlock,
            preferences=other.preferences,
            neighbours=other.neighbours,
            switch=other.switch,
            reread=other.reread,
        )

    @cached_property
    def journal(self) -> Journal:
        """Loaded by the first look at it: no list shows it."""
        from flagtui.changes.journal import Journal

        return Journal(self.journal_folder, self.clock.time)

    @property
    def named_profile(self) -> str:
        """The profile that a command line names to mean this server; empty where none does."""
        return "" if self.embedded_in or self.is_stand_in else self.profile

    @property
    def last_project(self) -> int | None:
        """The project that was open at the end of the last run of this profile."""
        return self.preferences.last_project(self.profile, self.host)

    @property
    def _first_look(self) -> float:
        if not self.first_look:
            self.first_look.append(self.clock.time())
        return self.first_look[0]

    def now(self) -> float:
        """Return the moment of all ages on screen in Unix seconds; it moves once a minute.

        The first one is exact: at the start of its minute, an hour was 59 minutes.
        """
        return self._first_look + (self.clock.time() - self._first_look) // MINUTE * MINUTE

    @property
    def next_ages(self) -> float:
        """Seconds until the ages on screen move."""
        return MINUTE - (self.clock.time() - self._first_look) % MINUTE


class Reread(msgspec.Struct, frozen=True):
    """The settings file as it is now."""

    session: Session
    keymap: Mapping[str, str]
    """The keys that the person chose, by command."""


Watcher = Callable[[], None]


@dataclass(eq=False)
class AppState(Watched):
    """One per running app. After a change of its attributes call `notify_watchers`."""

    session: Session
    workspace: Workspace | None = None
    inspector: Inspector | None = None
    recalled: Snapshot[Any] | None = None
    """Rows of an earlier run, which are shown while there is no connection yet."""
    kind: Kind = "flags"
    """The list in front, which is the one that is kept current."""
    is_connecting: bool = False
    connection_trouble: ApiError | None = None
    """Why there is no workspace, or that the key is not accepted any more."""
    unlocked_until: float = 0.0
    """Until when one flag of a strict profile is confirmed without typing, by the clock that only goes on."""
    saving: str = ""
    """What the header shows of changes in flight, after a moment: `saving 3 of 26`."""
    reading: str = ""
    """The record being read for a question that is not open yet: `new-nav`. Raw."""
    refreshes: int = 0
    """How many loads that the person asked for have ended."""
    recoveries: int = 0
    """Counts restored connections: after each, the screen is read again."""
    retry_at: float = 0.0
    """When the list is read again after a failure, by the clock that only goes on; 0 without a failure."""
    staged_set: ChangeSet | None = None
    """The staged set of the open project."""
    staged_fault: str = ""
    """Why the staged set cannot be read; empty when it can."""
    is_staging: bool = False
    """Whether keys stage changes instead of sending them."""
    code_search: CodeSearch | None = None
    _followed: tuple[Watcher, ...] = ()

    def recall(self) -> None:
        """Show the list in front as at the end of the last run, where that list is known."""
        session = self.session
        project = session.last_project if session.project == "@current" else session.project
        if session.origin and project:
            place = SnapshotPlace(session.profile, session.origin, str(project), self.kind)
            self.recalled = recall_rows(session.snapshots, place)

    def recalled_rows(self, kind: Kind) -> tuple[Any, ...]:
        """Return the rows of an earlier run, if they are of this kind."""
        return recalled.rows if (recalled := self.recalled) and recalled.place.kind == kind else ()

    @property
    def trouble(self) -> ApiError | None:
        """The reason why there is no workspace, or why the list in front may be out of date."""
        if self.connection_trouble is not None or self.workspace is None:
            return self.connection_trouble
        return self.workspace.loading(self.kind).trouble

    @property
    def reads(self) -> int:
        """A number that changes when the screen must be read again."""
        return self.refreshes + self.recoveries

    @property
    def retry_in(self) -> float:
        """Return the seconds until the next automatic read after a failure; 0 when none is awaited."""
        link = self.workspace.client.link if self.workspace else None
        waiting = max(link.waiting, link.retrying) if link else 0.0
        return max(waiting, self.retry_at - self.session.clock.monotonic(), 0.0)

    def address_of(self, kind: Kind, id: int | str) -> str:
        """Return the address of the record's page; empty without one, or while it is unknown."""
        if self.workspace is None or self.session.embedded_in:
            return ""
        return link_to(self.workspace.client, kind, id)

    def page_of(self, kind: Kind, id: int | str) -> str:
        """Return the link to the record's page; empty where the terminal or the server has none."""
        link = self.address_of(kind, id) if shows_links(os.environ) else ""
        return link if self.workspace and is_own(link, self.workspace.client.host.origin) else ""

    @property
    def rules(self) -> GuardRules:
        """The profile's, and whether it is unlocked at the moment."""
        return replace(self.session.rules, is_unlocked=self.session.clock.monotonic() < self.unlocked_until)

    @property
    def names(self) -> Names:
        """Names of groups and cohorts, as far as they were loaded."""
        return self.inspector.definitions.names if self.inspector else NO_NAMES

    def names_about(self, flag: Flag | None) -> Names:
        """Return the same with the names of the flags that this one depends on."""
        names, workspace = self.names, self.workspace
        if workspace is None or flag is None:
            return names
        from flagtui.details.flag_names import names_about

        return names_about(flag, names, workspace.flags.rows, is_complete=workspace.flags.is_complete)

    def unlock(self) -> None:
        """Record that a key was typed in full; it counts for the next flags as long as the profile sets."""
        self.unlocked_until = self.session.clock.monotonic() + self.session.unlock

    def become_troubled(self, trouble: ApiError | None) -> None:
        """Store why there is no connection, or that there is one."""
        self.connection_trouble = trouble
        if trouble is not None:
            self.recalled = None
        self.notify_watchers()

    def follow(self, *stops: Watcher) -> None:
        """Remember how to stop watching this workspace."""
        self._followed = stops

    def leave_workspace(self) -> None:
        """Stop listening to the workspace that was shown."""
        for stop in self._followed:
            stop()
        self._followed = ()
        self.workspace = self.inspector = self.connection_trouble = self.recalled = None

    def signature(self, workspace: Workspace) -> Signature:
        """Return the user and the project as the journal records them."""
        from flagtui.changes.journal_entries import Signature

        me, mirror = workspace.me, self.session.mirror
        return Signature(
            by=(me.email or me.label) if me else "",
            profile=self.session.profile,
            host=mirror.address if mirror is not None else workspace.client.host.origin,
            project=str(workspace.client.project),
        )

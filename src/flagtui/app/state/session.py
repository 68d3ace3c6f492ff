"""What the app is started with; the command line puts it together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from flagtui.api.clock import Clock, SystemClock
from flagtui.app.state.preferences import Preferences
from flagtui.store.snapshots import Snapshots

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.journal import Journal
    from flagtui.config.guard_rules import GuardRules


@dataclass(frozen=True)
class Neighbour:
    """A profile to switch to."""

    name: str
    about: str
    """Its server and how careful it is."""


@dataclass(frozen=True)
class Session:
    """One profile, ready to be opened. Nothing in it has asked the server anything yet."""

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
    snapshots: Snapshots = field(default_factory=lambda: Snapshots(None))
    refresh: float = 60.0
    """Seconds between polls for what changed; 0 never polls."""
    unlock: float = 0.0
    """Seconds a strict profile stays unlocked after a key was typed in full; 0 asks for it every time."""
    overridden: str = ""
    """Environment variables that win over the profile, in words for the header."""
    offers_tour: bool = False
    """Whether the person is shown around first."""
    flag: str = ""
    """Key of the flag to open first."""
    pick: Callable[[str], None] | None = None
    """Hears the key of the flag that is opened, and the program ends; None opens it on the screen."""
    preferences: Preferences = field(default_factory=Preferences)
    """What the person likes of the lists; shared by all profiles."""
    timing: Clock = field(default_factory=SystemClock)
    redact: Callable[[str], str] = str
    """Takes the key out of a text, wherever it stands."""
    with_key: Callable[[str], Client] | None = None
    """A client with a key that was just typed; raises ApiError. None where no key is needed."""
    keep_key: Callable[[str], str] | None = None
    """Keeps such a key for the next start, and says where; takes as long as a keyring does."""
    neighbours: tuple[Neighbour, ...] = ()
    """The profiles one can switch to, this one among them."""
    switch: Callable[[str], Session | str] | None = None
    """The session of another profile, or why it cannot be opened."""

    reread: Callable[[], Reread | str] | None = None
    """This profile as the settings file has it now, or what is wrong in it. None without a file."""

    def with_settings_of(self, other: Session) -> Session:
        """The same connection with what the settings of another session say."""
        return replace(
            self,
            badge=other.badge,
            colour=other.colour,
            rules=other.rules,
            refresh=other.refresh,
            unlock=other.unlock,
            preferences=other.preferences,
            neighbours=other.neighbours,
            switch=other.switch,
            reread=other.reread,
        )

    @cached_property
    def journal(self) -> Journal:
        """Loaded by the first look at it: no list shows it."""
        from flagtui.changes.journal import Journal

        return Journal(self.journal_folder, self.clock)

    @property
    def last_project(self) -> int | None:
        """The project that was open at the end of the last run of this profile."""
        return self.preferences.last_project(self.profile, self.host)

    @property
    def clock(self) -> Callable[[], float]:
        """Unix seconds."""
        return self.timing.time

    @property
    def monotonic(self) -> Callable[[], float]:
        """Seconds that only go forward."""
        return self.timing.monotonic


@dataclass(frozen=True)
class Reread:
    """The settings file as it is now."""

    session: Session
    keymap: Mapping[str, str]
    """The keys that the person chose, by command."""

"""The setting of a whole program's run, and its session."""

import asyncio
import os
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from tests.doubles.open_mirror import OpenMirror
from tests.doubles.steady_clock import Timing
from tests.doubles.wire import Wire

from flagtui.api import Client
from flagtui.api.clock import SystemClock
from flagtui.api.errors import BadKey
from flagtui.app.state.app_state import Neighbour, Session
from flagtui.app.state.code_search import CodeSource
from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.changes.guard import GuardRules, Level
from flagtui.config.preferences import Preferences
from flagtui.config.profiles import MIRROR_BADGE
from flagtui.store.snapshots import Snapshots

KEY = "phx_key_of_alice_0001"
HOST = "http://127.0.0.1:1"
WIDTH = int(os.environ.get("FLAGTUI_DISPLAY_WIDTH", "0"))
"""Cells across for every journey, whatever it asks for; `make check-display` tells them all at several."""


USUAL_SIZE: Final = (100, 40)
"""Too narrow for the pane beside a list, which asks and draws much; `WIDE` has it."""


class Setting(msgspec.Struct, frozen=True):
    """What a journey starts from."""

    template: Path
    folder: Path
    size: tuple[int, int] = USUAL_SIZE
    rules: GuardRules = msgspec.field(default_factory=lambda: GuardRules(Level.GUARDED, place="TEST"))
    refresh: float = 0.0
    options: tuple[tuple[str, Any], ...] = ()
    """Settings of the service, such as strict or legacy."""
    snapshots: bool = False
    preferences: Preferences = msgspec.field(default_factory=Preferences)
    key_found: asyncio.Event | None = None
    """Until it is set, the key is looked for; None finds it at once."""
    has_key: bool = True
    """Whether a key is found at all."""
    unlock: float = 0.0
    """Seconds a strict profile stays unlocked."""
    neighbours: tuple[str, ...] = ()
    """Other profiles of the same service, each read-only; one called `keyless` finds no key."""
    code: CodeSource | None = None
    """The code of the profile."""
    embedded_in: str = ""
    """The command that has the service in its process, as `demo` has; what it is on a port otherwise."""
    mirror: OpenMirror | None = None
    """The mirror that is open; `look_at_mirror` reads it again."""
    two_displays: bool = bool(WIDTH)
    """Compare after every step what changed cells show with what whole frames show."""


MIRROR_RULES = GuardRules(Level.READ_ONLY, place=MIRROR_BADGE)
"""As every profile has them while its mirror is open."""


class HeldClock(SystemClock):
    """Never lets a mirror be read again; a test does that."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()


def make_session(setting: Setting, between: Wire, timing: Timing) -> Session:
    """The profile `test` and its neighbours, each of which can be switched to."""

    def client(key: str) -> Client:
        return Client(HOST, key, 1, transport=between, clock=timing)

    async def connect() -> Client:
        if setting.key_found is not None:
            await setting.key_found.wait()
        return client(KEY) if setting.has_key else await no_key()

    async def no_key() -> Client:
        raise BadKey("There is no API key.")

    def switch(name: str) -> Session | str:
        if name == "test":
            return replace(first, switch=switch)
        if name not in setting.neighbours:
            return f"There is no profile {name}."
        rules = GuardRules(Level.READ_ONLY, place=name.upper())
        if name == "keyless":
            return replace(first, profile=name, badge="KEYLESS", rules=rules, connect=no_key, switch=switch)
        return replace(
            first, profile=name, badge=name.upper(), colour="error", rules=rules, switch=switch, mirror=None
        )

    opened = setting.mirror
    first = Session(
        profile="test",
        host="service.test",
        origin=HOST,
        badge="TEST" if opened is None else MIRROR_BADGE,
        colour="secondary",
        rules=setting.rules if opened is None else MIRROR_RULES,
        mirror=None if opened is None else MirrorWatch(opened, HeldClock()),
        connect=connect,
        code=setting.code,
        journal_folder=setting.folder / "journal",
        state_folder=setting.folder / "state",
        snapshots=Snapshots(setting.folder / "rows" if setting.snapshots else None, clock=timing.time),
        refresh=setting.refresh,
        unlock=setting.unlock,
        preferences=setting.preferences,
        clock=timing,
        embedded_in=setting.embedded_in,
        with_key=client,
        neighbours=tuple(Neighbour(name, "service.test") for name in ("test", *setting.neighbours)),
    )
    return replace(first, switch=switch)

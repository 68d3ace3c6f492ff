"""The mirror that is open, and its last state: read each second, and after every change of the app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from flagtui.api.clock import Clock, SystemClock
from flagtui.api.errors import ApiError
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import Override

if TYPE_CHECKING:
    from collections.abc import Callable

    from flagtui.changes.overrides.override_plan import OverrideMirror

PAUSE: Final = 1.0
"""Seconds between two reads, on this machine alone."""


class MirrorWatch:
    """Passes changes on to the mirror, and keeps its last state for the screens."""

    def __init__(self, mirror: OverrideMirror, clock: Clock | None = None) -> None:
        self._mirror = mirror
        self._clock = clock or SystemClock()
        self._notify: Callable[[], None] = lambda: None
        self.state = MirrorState()
        """The last response."""
        self.trouble: ApiError | None = None
        """Why the last read failed; the mirror is gone then."""

    @property
    def address(self) -> str:
        """Return the origin of the mirror."""
        return self._mirror.address

    async def run(self, notify: Callable[[], None]) -> None:
        """Read the mirror again and again until cancelled; `notify` is called after each difference."""
        self._notify = notify
        while True:
            await self.look()
            await self._clock.sleep(PAUSE)

    async def look(self) -> None:
        """Read the mirror once; a failure keeps the last state."""
        try:
            await self.read()
        except ApiError as error:
            self._take(self.state, error)

    async def read(self) -> MirrorState:
        """Request the state. Raises ApiError."""
        return self._take(await self._mirror.read())

    async def set(self, override: Override) -> MirrorState:
        """Serve this value from now on. Raises ApiError."""
        return self._take_changed(await self._mirror.set(override))

    async def unset(self, key: str, person: str | None) -> MirrorState:
        """Serve the value of the definitions again. Raises ApiError."""
        return self._take_changed(await self._mirror.unset(key, person))

    def _take_changed(self, state: MirrorState) -> MirrorState:
        # The response to a change has no requests of programs.
        return self._take(replace(state, requests=self.state.requests))

    def _take(self, state: MirrorState, trouble: ApiError | None = None) -> MirrorState:
        is_news = state != self.state or str(trouble) != str(self.trouble)
        self.state, self.trouble = state, trouble
        if is_news:
            self._notify()
        return state

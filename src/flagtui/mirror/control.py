"""Requests to a running mirror of this user: the commands and the app change its overrides with them."""

import asyncio
import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from flagtui.api.errors import Unanswered, Unreachable
from flagtui.config.locations import FolderUnusable, Locations
from flagtui.mirror.endpoints import CONTROL_PATH
from flagtui.mirror.running_mirrors import RunningMirror, find_mirrors
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import Override
from flagtui.safe_text import safe_text

SECONDS: Final = 5.0
"""For one request to this machine."""
START: Final = "flagtui mirror"
"""The command that starts a mirror; the command line adds the profile and the project to it."""


Absence = Literal["missing", "several", "silent"]
"""Why no mirror can be asked: none runs, none of several is named, or it does not respond or refuses."""


class MirrorUnavailable(Exception):
    """No mirror can be asked; the message is a sentence, `advice` what to do."""

    def __init__(self, what: str, advice: str, absence: Absence = "silent", *, is_sent: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice
        self.absence = absence
        self.is_sent = is_sent
        """Whether the mirror may have acted on the request."""


def choose_mirror(places: Locations, port: int | None = None) -> RunningMirror:
    """Return the mirror on this port, or the only one that runs. Raises MirrorUnavailable."""
    mirrors = _find(places, port)
    if port is not None and not mirrors:
        raise MirrorUnavailable(
            f"No mirror of yours runs on port {port}.", f"Start one with: {START} --port {port}", "missing"
        )
    mirrors = _responding(mirrors)
    if len(mirrors) > 1:
        ports = ", ".join(str(mirror.port) for mirror in mirrors)
        raise MirrorUnavailable(
            f"Several mirrors run, on ports {ports}.", "Choose one with --port.", "several"
        )
    return mirrors[0]


def responding_mirrors(places: Locations) -> list[RunningMirror]:
    """Return every mirror that responds, by port; at least one. Raises MirrorUnavailable."""
    return _responding(_find(places))


def _find(places: Locations, port: int | None = None) -> list[RunningMirror]:
    """Return the running mirrors on this port, or on any. Raises MirrorUnavailable."""
    try:
        mirrors = find_mirrors(places)
    except FolderUnusable as fault:
        raise MirrorUnavailable(str(fault), "Check its access rights.") from fault
    return [mirror for mirror in mirrors if port in (None, mirror.port)]


def _responding(mirrors: Sequence[RunningMirror]) -> list[RunningMirror]:
    responding = [mirror for mirror in mirrors if _responds(mirror)]
    if not responding:
        raise MirrorUnavailable("No mirror of yours is running.", f"Start one with: {START}", "missing")
    return responding


def _responds(mirror: RunningMirror) -> bool:
    try:
        ask_mirror(mirror)
    except MirrorUnavailable:
        return False
    return True


def ask_mirror(
    mirror: RunningMirror, action: str = "", body: Mapping[str, JSON] | None = None
) -> dict[str, JSON]:
    """Return the state of a mirror, after `set`, `unset` or `clear` with this body.

    Raises:
        MirrorUnavailable: no response, or a refusal.
    """
    link = http.client.HTTPConnection("127.0.0.1", mirror.port, timeout=SECONDS)
    headers = {"Authorization": f"Bearer {mirror.secret}", "Content-Type": "application/json"}
    is_sent = False
    try:
        link.connect()
        is_sent = True
        if action:
            link.request("POST", f"{CONTROL_PATH}/{action}", json.dumps(body or {}), headers)
        else:
            link.request("GET", CONTROL_PATH, headers=headers)
        response = link.getresponse()
        values = as_dict(json.loads(response.read()))
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as fault:
        what = f"The mirror on port {mirror.port} does not respond."
        advice = f"Start it again with: {START} --port {mirror.port}"
        raise MirrorUnavailable(what, advice, is_sent=is_sent) from fault
    finally:
        link.close()
    if response.status != 200:
        what = as_text(values.get("detail")).rstrip(".") or f"status {response.status}"
        raise MirrorUnavailable(f"The mirror on port {mirror.port} refused: {what}.", "Nothing was changed.")
    return values


class MirrorControl:
    """The overrides of the mirror on one port, as the app reads and changes them.

    A mirror that was started again there is used from then on, if it serves the same project.
    """

    def __init__(self, places: Locations, mirror: RunningMirror, state: MirrorState) -> None:
        self._places = places
        self._mirror = mirror
        self._project = (state.origin, state.project)
        self._start = f"{START} --profile {state.profile}" if state.profile else START

    @property
    def address(self) -> str:
        return self._mirror.address

    async def read(self) -> MirrorState:
        """Request the state. Raises ApiError."""
        return await self._ask()

    async def set(self, override: Override) -> MirrorState:
        """Serve this value from now on. Raises ApiError."""
        return await self._ask("set", {"overrides": [str(override)]})

    async def unset(self, key: str, person: str | None) -> MirrorState:
        """Serve the value of the definitions again. Raises ApiError."""
        return await self._ask("unset", {"key": key, "person": person})

    async def _ask(self, action: str = "", body: Mapping[str, JSON] | None = None) -> MirrorState:
        try:
            return MirrorState.of(await asyncio.to_thread(self._request, action, body))
        except MirrorUnavailable as fault:
            error = Unanswered if fault.is_sent else Unreachable
            raise error(fault.what, next=fault.advice.replace(START, self._start)) from None

    def _request(self, action: str, body: Mapping[str, JSON] | None) -> dict[str, JSON]:
        mirror = next(iter(_find(self._places, self._mirror.port)), self._mirror)
        if mirror != self._mirror:
            state = MirrorState.of(ask_mirror(mirror))
            if (state.origin, state.project) != self._project:
                upstream = safe_text(state.upstream, 200)
                what = f"The mirror on port {mirror.port} was started again and serves {upstream}."
                raise MirrorUnavailable(what, "Nothing was changed. Open it with: flagtui --mirror")
            self._mirror = mirror
        return ask_mirror(self._mirror, action, body)

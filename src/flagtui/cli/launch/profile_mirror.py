"""The running mirror of a profile, and the profile that a running mirror serves."""

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.mirror_choice import as_mirror_trouble
from flagtui.cli.plumbing.profile_choice import LoginEnvironment, Opening, ProfileRequest, choose_signed_in
from flagtui.cli.plumbing.sample_project import SAMPLE_ORIGIN
from flagtui.config.locations import Locations
from flagtui.config.profiles import CURRENT_PROJECT, Profile
from flagtui.mirror.control import MirrorControl, ask_mirror, responding_mirrors
from flagtui.mirror.running_mirrors import RunningMirror
from flagtui.models.mirror_state import MirrorState
from flagtui.safe_text import safe_text


class FoundMirror(msgspec.Struct, frozen=True):
    """The user's running mirror."""

    places: Locations
    running: RunningMirror
    state: MirrorState

    @property
    def is_of_sample(self) -> bool:
        """Whether it serves the sample, which no server has."""
        return self.state.origin == SAMPLE_ORIGIN

    def watch(self) -> MirrorWatch:
        """Return the mirror as the app uses it."""
        return MirrorWatch(MirrorControl(self.places, self.running, self.state))

    @property
    def words(self) -> str:
        """`The mirror on port 8020 serves prod (…)`."""
        return f"The mirror on port {self.running.port} serves {safe_text(self.state.upstream, 200)}"


def find_running(places: Locations, profile: str | None = None) -> FoundMirror:
    """Return the mirror that runs; of several, that of the named profile. Raises Trouble."""
    mirrors = _find_all(places)
    return mirrors[0] if len(mirrors) == 1 else _choose(mirrors, lambda state: state.profile == profile)


def _find_all(places: Locations) -> list[FoundMirror]:
    with as_mirror_trouble():
        return [
            FoundMirror(places, running, MirrorState.of(ask_mirror(running)))
            for running in responding_mirrors(places)
        ]


def _choose(mirrors: Sequence[FoundMirror], is_meant: Callable[[MirrorState], bool]) -> FoundMirror:
    """Return the only running mirror. Raises Trouble."""
    meant = [mirror for mirror in mirrors if is_meant(mirror.state)]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(
        f"{mirror.state.profile or mirror.state.upstream} on port {mirror.running.port}" for mirror in mirrors
    )
    fix = "Choose one with: flagtui --mirror --profile NAME"
    raise Trouble(f"Several mirrors run: {safe_text(names, 300)}.", fix, code="usage")


def open_mirrored(environment: LoginEnvironment, request: ProfileRequest, mirror: FoundMirror) -> Opening:
    """Return the profile that the mirror serves, or the environment; a named one wins. Raises Trouble."""
    if not mirror.state.origin and not request.profile:
        fix = "Start one for a profile with: flagtui mirror --profile NAME"
        raise Trouble(f"{mirror.words}, which the app cannot list.", fix, code="usage")
    named = replace(request, profile=request.profile or mirror.state.profile)
    return choose_signed_in(environment, named).mirrored


def watch_mirror(opening: Opening) -> MirrorWatch:
    """Return the running mirror of this profile. Raises Trouble without one."""
    profile, mirrors = opening.profile, _find_all(opening.environment.places)

    def serves_profile(state: MirrorState) -> bool:
        return state.origin == opening.host.origin and _is_project(state, profile)

    mirror = mirrors[0] if len(mirrors) == 1 else _choose(mirrors, serves_profile)
    if not serves_profile(mirror.state):
        fix = f"Start one for it with: flagtui mirror --profile {profile.name}"
        raise Trouble(f"{mirror.words}, not {profile.name}.", fix, code="not_found")
    return mirror.watch()


def _is_project(state: MirrorState, profile: Profile) -> bool:
    """Return whether the mirror serves the project of the profile; `@current` is that of the browser."""
    return profile.project == state.project or CURRENT_PROJECT in (profile.project, state.project)

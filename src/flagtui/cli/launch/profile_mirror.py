"""The running mirror of a profile, and the profile that a running mirror serves."""

from dataclasses import dataclass, replace

from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.profile_choice import LoginEnvironment, Opening, ProfileRequest, choose_signed_in
from flagtui.cli.plumbing.sample_project import SAMPLE_ORIGIN
from flagtui.config.locations import Locations
from flagtui.config.profiles import CURRENT_PROJECT, Profile
from flagtui.mirror.control import MirrorControl, MirrorUnavailable, ask_mirror, choose_mirror
from flagtui.mirror.running_mirrors import RunningMirror
from flagtui.models.mirror_state import MirrorState
from flagtui.safe_text import safe_text


@dataclass(frozen=True)
class FoundMirror:
    """The user's running mirror."""

    running: RunningMirror
    state: MirrorState

    @property
    def is_of_sample(self) -> bool:
        """Whether it serves the sample, which no server has."""
        return self.state.origin == SAMPLE_ORIGIN

    def watch(self) -> MirrorWatch:
        """Return what the app holds of it."""
        return MirrorWatch(MirrorControl(self.running))

    @property
    def words(self) -> str:
        """`The mirror on port 8020 serves prod (…)`."""
        return f"The mirror on port {self.running.port} serves {safe_text(self.state.upstream, 200)}"


def find_running(places: Locations) -> FoundMirror:
    """Return the only mirror that runs. Raises Trouble."""
    try:
        running = choose_mirror(places)
        return FoundMirror(running, MirrorState.of(ask_mirror(running)))
    except MirrorUnavailable as missing:
        raise Trouble(missing.what, missing.advice) from None


def open_mirrored(environment: LoginEnvironment, request: ProfileRequest, mirror: FoundMirror) -> Opening:
    """Return the profile that the mirror serves, unless another is named. Raises Trouble."""
    if not mirror.state.profile and not request.profile:
        fix = "Start one for a profile with: flagtui mirror --profile NAME"
        raise Trouble(f"{mirror.words}, which the app cannot list.", fix)
    named = replace(request, profile=request.profile or mirror.state.profile)
    return choose_signed_in(environment, named).mirrored


def watch_mirror(opening: Opening) -> MirrorWatch:
    """Return the running mirror of this profile. Raises Trouble if there is none."""
    mirror, profile = find_running(opening.environment.places), opening.profile
    if mirror.state.origin != opening.host.origin or not _is_project(mirror.state, profile):
        fix = f"Start one for it with: flagtui mirror --profile {profile.name}"
        raise Trouble(f"{mirror.words}, not {profile.name}.", fix)
    return mirror.watch()


def _is_project(state: MirrorState, profile: Profile) -> bool:
    """Return whether the mirror serves the project of the profile; `@current` is that of the browser."""
    return profile.project == state.project or CURRENT_PROJECT in (profile.project, state.project)

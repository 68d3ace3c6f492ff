"""The app on a mirror of the sample, which is generated in this process and only read."""

from contextlib import ExitStack

from flagtui.api import Client
from flagtui.app.state.app_state import Session
from flagtui.app.state.mirror_watch import MirrorWatch
from flagtui.cli.launch.app_session import checked_keymap, preferences_of, run_session
from flagtui.cli.plumbing.profile_choice import LoginEnvironment, ProfileRequest, writable_state
from flagtui.cli.plumbing.sample_project import sample_client
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.profiles import Profile


def open_sample(environment: LoginEnvironment, request: ProfileRequest, mirror: MirrorWatch) -> int:
    """Run the app on a sample like the mirror's until it is left; the exit code."""
    state = writable_state(environment.places)
    settings = environment.settings
    keymap = checked_keymap(settings)
    profile = Profile("sample").mirrored
    with ExitStack() as stack:

        async def connect() -> Client:
            return stack.enter_context(sample_client())

        session = Session(
            profile=profile.name,
            host="the sample",
            badge=profile.word,
            colour=profile.theme_colour,
            rules=GuardRules(Level.READ_ONLY, place=profile.word),
            connect=connect,
            journal_folder=state / "journal",
            state_folder=state,
            embedded_in="mirror --sample",
            mirror=mirror,
            flag=request.flag,
            preferences=preferences_of(settings, environment.places.settings_file, state / "sample"),
        )
        return run_session(session, keymap, mouse=request.mouse and settings.mouse)

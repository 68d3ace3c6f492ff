"""Puts the app on the server of a profile: which one, with which key, and how careful."""

from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.app.terminal.background import ANSWERS, asked_background
from flagtui.cli.app_run import run_app
from flagtui.cli.chosen_settings import checked_keymap, preferences_of
from flagtui.cli.errors import Trouble, require_terminal
from flagtui.cli.key_in_use import KeyInUse
from flagtui.cli.profile_choice import (
    LoginEnvironment,
    Opening,
    ProfileRequest,
    choose,
    choose_other,
    choose_signed_in,
    is_unknown,
    read_login_environment,
    settings_in,
)
from flagtui.config.profiles import CURRENT_PROJECT

if TYPE_CHECKING:
    from flagtui.app.state.app_state import Reread, Session
    from flagtui.config.preferences import Preferences


def open_app(request: ProfileRequest) -> int:
    """Run the app until it is left; the exit code.

    Raises:
        Trouble: when something the person wrote, or this machine, makes it impossible.
    """
    require_terminal()
    environment = read_login_environment()
    if is_unknown(environment) and not request.profile:
        return open_welcome(environment, request)
    return open_profile(choose_signed_in(environment, request), request)


def open_welcome(environment: LoginEnvironment, request: ProfileRequest) -> int:
    """For a person who has set up nothing yet: the demo, or signing in and then the app."""
    with asked_background():
        from flagtui.app.shell.welcome import WelcomeApp
    way = WelcomeApp(theme=environment.settings.theme or "auto", is_light=ANSWERS.is_light).run()
    if way == "demo":
        from flagtui.cli.demo import Demonstration, open_demo

        return open_demo(Demonstration(read_only=request.read_only, mouse=request.mouse))
    if way == "sign in":
        from flagtui.cli.auth import SignIn, TerminalSignIn
        from flagtui.cli.terminal_person import find_person
        from flagtui.config.credentials import KeyPlaces

        keys = KeyPlaces(folder=environment.places.state)
        TerminalSignIn(SignIn(), environment, find_person(), keys).run()
        return open_profile(choose_signed_in(read_login_environment(), request), request)
    return 0


def open_profile(opening: Opening, request: ProfileRequest) -> int:
    """Run the app on the server of this profile."""
    opening.state_folder()
    with asked_background():
        from flagtui.app.app import FlagTui

        keymap = checked_keymap(opening.settings)
    app = FlagTui(replace(make_session(opening, read_only=request.read_only), flag=request.flag))
    app.set_keymap(keymap)
    return run_app(app, mouse=request.mouse and opening.settings.mouse)


def make_session(opening: Opening, *, read_only: bool, preferences: "Preferences | None" = None) -> "Session":
    """What the app needs to work in this profile; preferences are kept for the next one. Raises Trouble."""
    from flagtui.app.state.app_state import Neighbour, Reread, Session
    from flagtui.cli.rules import rules_of
    from flagtui.store.snapshots import Snapshots

    profile, state = opening.profile, opening.state_folder()
    places, key = opening.environment.places, KeyInUse(opening)
    shared = preferences or preferences_of(opening.settings, places.settings_file, state)
    cache = places.cache if opening.settings.snapshots else None

    def switch(name: str) -> "Session | str":
        try:
            return make_session(choose_other(opening, name), read_only=read_only, preferences=shared)
        except Trouble as trouble:
            return str(trouble)

    def reread() -> "Reread | str":
        known = opening.environment
        try:
            environment = replace(known, settings=settings_in(known.places))
            name = profile.name if profile.name in environment.settings.profiles else None
            renewed = choose(environment, ProfileRequest(profile=name))
            keymap = checked_keymap(environment.settings)
            return Reread(make_session(renewed, read_only=read_only), keymap)
        except Trouble as trouble:
            return str(trouble)

    return Session(
        profile=profile.name,
        host=opening.host.name,
        origin=opening.host.origin,
        badge=profile.word,
        colour=profile.theme_colour,
        rules=rules_of(profile, read_only=read_only),
        connect=key.connect,
        journal_folder=state / "journal",
        state_folder=state,
        project=int(profile.project) if profile.project.isdigit() else CURRENT_PROJECT,
        snapshots=Snapshots(cache / "rows" if cache else None),
        refresh=float(profile.refresh),
        unlock=profile.unlock * 60.0,
        preferences=shared,
        overridden=" ".join(opening.chosen.overridden),
        redact=key.redact,
        with_key=key.client_with,
        keep_key=key.keep,
        neighbours=tuple(
            Neighbour(each.name, f"{each.host}  {each.level.replace('_', '-')}")
            for each in opening.settings.profiles.values()
        ),
        switch=switch,
        reread=reread,
    )

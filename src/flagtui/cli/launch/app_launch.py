"""`flagtui` without a command: the app in a profile, or the welcome screen without one."""

from msgspec.structs import replace

from flagtui.app.terminal.background import ANSWERS, asked_background
from flagtui.cli.plumbing.errors import Trouble, require_terminal
from flagtui.cli.plumbing.global_options import log_path
from flagtui.cli.plumbing.profile_choice import (
    LoginEnvironment,
    Opening,
    ProfileRequest,
    choose_signed_in,
    is_unknown,
    read_login_environment,
)
from flagtui.config.settings import SettingsError


def open_app(request: ProfileRequest) -> int:
    """Run the app until it is left; the exit code.

    Raises:
        Trouble: when something the person wrote, or this machine, makes it impossible.
    """
    require_terminal()
    environment = read_login_environment()
    if request.mirror:
        return open_mirror(environment, request)
    if is_unknown(environment) and not request.profile:
        return open_welcome(environment, request)
    return open_profile(choose_signed_in(environment, request), request)


def open_mirror(environment: LoginEnvironment, request: ProfileRequest) -> int:
    """Run the app on the user's running mirror, in the profile that it serves."""
    from flagtui.cli.launch.profile_mirror import find_running, open_mirrored

    mirror = find_running(environment.places, request.profile)
    if not mirror.is_of_sample or request.profile:
        return open_profile(open_mirrored(environment, request, mirror), request)
    with asked_background():
        from flagtui.cli.launch.sample_app import open_sample
    return open_sample(environment, request, mirror.watch())


def open_welcome(environment: LoginEnvironment, request: ProfileRequest) -> int:
    """Offer a first-time user the demo, or signing in and then the app."""
    with asked_background():
        from flagtui.app.shell.themes import AUTO, CHOICES
        from flagtui.app.shell.welcome import WelcomeApp
    try:
        theme = environment.settings.check_theme(tuple(CHOICES))
    except SettingsError as wrong:
        raise Trouble(str(wrong), code="usage") from None
    way = WelcomeApp(theme=theme or AUTO, is_light=ANSWERS.is_light).run()
    if way == "demo":
        from flagtui.cli.launch.demo_app import Demonstration, open_demo

        return open_demo(Demonstration(read_only=request.read_only, mouse=request.mouse))
    if way == "sign in":
        from flagtui.cli.commands.auth.login import SignInOptions, sign_in

        sign_in(environment, SignInOptions())
        return open_profile(choose_signed_in(read_login_environment(), request), request)
    return 0


def open_profile(opening: Opening, request: ProfileRequest) -> int:
    """Run the app on the server of this profile."""
    opening.state_to_open(read_only=request.read_only)
    log_path()
    with asked_background():
        from flagtui.cli.launch.app_session import checked_keymap, make_session, run_session

        keymap = checked_keymap(opening.settings)
        session = replace(make_session(opening, read_only=request.read_only), flag=request.flag)
    return run_session(session, keymap, mouse=request.mouse and opening.settings.mouse)

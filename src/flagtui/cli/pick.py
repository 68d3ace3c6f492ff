"""`flagtui pick`: the list on the screen, and the key of the flag that was chosen on standard output."""

import click

from flagtui.cli.errors import require_terminal
from flagtui.cli.options import WorkPlace
from flagtui.cli.twin_command import TwinCommand

NOTHING_CHOSEN = 130


@click.command(
    "pick",
    cls=TwinCommand,
    operations=("flags.list",),
    examples=("pick", "pick --profile prod"),
)
def command(place: WorkPlace) -> int:
    """Choose a flag in the list and print its key; ends with 130 when none is chosen.

    The list is drawn on the terminal, whatever standard output is: flagtui flags get "$(flagtui pick)"
    """
    require_terminal()
    from dataclasses import replace

    from flagtui.app.app import FlagTui
    from flagtui.cli.app_run import run_app
    from flagtui.cli.launch import make_session
    from flagtui.cli.profile_choice import ProfileRequest, choose_signed_in, read_login_environment
    from flagtui.safe_text import safe_text

    request = ProfileRequest(profile=place.profile or None, project=place.project or None)
    opening = choose_signed_in(read_login_environment(), request)
    chosen: list[str] = []
    session = replace(make_session(opening, read_only=True), pick=chosen.append)
    code = run_app(FlagTui(session), mouse=opening.settings.mouse)
    if chosen:
        print(safe_text(chosen[0], 400))
    return code or (0 if chosen else NOTHING_CHOSEN)

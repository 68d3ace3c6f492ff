"""`flagtui pick`: the list on the screen, and the key of the flag that was chosen on standard output."""

import dataclasses
from typing import Final

import click
from msgspec.structs import replace

from flagtui.cli.plumbing.errors import require_terminal
from flagtui.cli.plumbing.global_options import log_path
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.project_session import open_profile, open_project
from flagtui.cli.plumbing.record_command import command
from flagtui.safe_text import safe_text

NOTHING_CHOSEN: Final = 130


@command(
    "pick",
    line="Choose a flag in the list and print its key.",
    operations=("flags.list",),
    examples=("", "--profile prod"),
)
@click.pass_context
def pick(context: click.Context, place: WorkPlace) -> int:
    """Choose a flag in the list and print its key; exit with 130 when none is chosen.

    The list is drawn on the terminal, whatever standard output is, so that this works:

    flagtui flags get "$(flagtui pick)"
    """
    require_terminal()
    log_path()
    from flagtui.cli.launch.app_session import checked_keymap, make_session, run_session

    opening = open_profile(place.profile, place.project)
    keymap = checked_keymap(opening.settings)
    if opening.project_name:
        # The app, which has its clients later, takes ids.
        from flagtui.cli.plumbing.client import ask, find_key

        opening = ask(opening, find_key(opening), lambda client: open_project(client, opening))[1]
    chosen: list[str] = []
    session = make_session(opening, read_only=True)
    # The search of a choice is not where the app goes on.
    preferences = dataclasses.replace(session.preferences, resumes=False)
    session = replace(session, pick=chosen.append, preferences=preferences)
    mouse = opening.settings.mouse and not context.find_root().params["no_mouse"]
    code = run_session(session, keymap, mouse=mouse)
    if chosen:
        print(safe_text(chosen[0], 400))
    return code or (0 if chosen else NOTHING_CHOSEN)

"""`flagtui profiles`: the places to work that the settings file names."""

import click

from flagtui.cli.output.printer import Printer
from flagtui.cli.records.account_records import PROFILE, ListedProfile
from flagtui.cli.twin_command import TwinCommand


@click.command(
    "profiles",
    cls=TwinCommand,
    kind=PROFILE,
    is_online=False,
    examples=("profiles", "profiles --json --fields name,guard"),
)
def command(printer: Printer) -> None:
    """List the profiles of the settings file; the one with a star is opened when none is named."""
    from flagtui.cli.profile_choice import read_login_environment

    settings = read_login_environment().settings
    profiles, default = settings.profiles.values(), settings.default_profile
    listed = [ListedProfile(one, one.name == default or len(profiles) == 1) for one in profiles]
    printer.records(PROFILE, listed, "There is no profile yet. Make one with: flagtui auth login")

"""`flagtui profiles`: the places to work that the settings file names."""

import click

from flagtui.cli.output import say, say_json, say_table
from flagtui.cli.profile_choice import read_login_environment
from flagtui.config.profiles import Profile


@click.command("profiles")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(as_json: bool) -> None:
    """List the profiles of the settings file; the one with a star is opened when none is named."""

    environment = read_login_environment()
    profiles, default = environment.settings.profiles, environment.settings.default_profile

    def is_default(profile: Profile) -> bool:
        return profile.name == default or len(profiles) == 1

    if as_json:
        names = ("name", "host", "project", "colour", "guard", "read_only", "require_reason", "refresh")
        say_json(
            [
                {**{name: getattr(profile, name) for name in names}, "default": is_default(profile)}
                for profile in profiles.values()
            ]
        )
    elif profiles:
        rows = [
            ("*" if is_default(each) else "", each.name, each.host, each.project, each.level, each.colour)
            for each in profiles.values()
        ]
        say_table(("", "PROFILE", "HOST", "PROJECT", "GUARD", "COLOUR"), rows)
    else:
        say("There is no profile yet. Make one with: flagtui auth login")

"""`flagtui auth`: sign in, see who you are, sign out."""

from typing import TYPE_CHECKING

import click

from flagtui.cli.options import PROFILE, named_profile

if TYPE_CHECKING:
    from flagtui.cli.key_storage import Keep


@click.group("auth")
def command() -> None:
    """Sign in, see who you are, sign out."""


@command.command("login")
@PROFILE
@click.option("--host", default="", metavar="HOST", help="us, eu, or an address.")
@click.option("--project", default="", metavar="ID", help="The project to open first.")
@click.option("--with-token", is_flag=True, help="Read the key from standard input.")
@click.option("--key-command", default="", metavar="COMMAND", help="Get the key from this command, always.")
@click.option(
    "--keep",
    type=click.Choice(["keyring", "file", "nowhere"]),
    help="Where the key is kept; the keyring unless said.",
)
def login(
    profile: str, host: str, project: str, with_token: bool, key_command: str, keep: "Keep | None"
) -> None:
    """Try a personal API key, see what it may do, and keep it for a profile."""
    from flagtui.cli.profile_choice import look_around
    from flagtui.cli.signing_in import SignIn, TerminalSignIn
    from flagtui.cli.terminal_person import TerminalPerson, find_person
    from flagtui.config.credentials import KeyPlaces

    around = look_around()
    wish = SignIn(named_profile(profile), host, project, with_token, key_command, keep)
    person = TerminalPerson(False) if with_token else find_person()
    TerminalSignIn(wish, around, person, KeyPlaces(folder=around.places.state)).run()


@command.command("status")
@PROFILE
def status(profile: str) -> None:
    """Say which key is used, whose it is and what it may do; ends with 2 when it does not work."""
    from flagtui.cli.signed_in import tell_status

    tell_status(named_profile(profile))


@command.command("logout")
@PROFILE
def logout(profile: str) -> None:
    """Forget the key kept for a profile, and its copies of rows."""
    from flagtui.cli.signed_in import sign_out

    sign_out(named_profile(profile))

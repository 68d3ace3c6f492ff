"""`flagtui profiles`: the places to work that the settings file names."""

from operator import attrgetter
from typing import Final

import msgspec

from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.profile_choice import read_login_environment
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.records.field_words import LEVELS, level_words, star
from flagtui.config.profiles import Profile


class ListedProfile(msgspec.Struct, frozen=True):
    """A profile, and whether it is the default."""

    profile: Profile
    is_default: bool


_ABOUT: Final = "A profile of the settings file."
_PROFILE: Final[RecordSchema[Profile]] = RecordSchema(
    "profile",
    _ABOUT,
    (
        RecordField("name", "text", "The name for --profile.", is_shown=True),
        RecordField("host", "text", "us, eu, or an address.", is_shown=True),
        RecordField("project", "text", "The id of a project, or @current.", is_shown=True),
        RecordField("guard", "text", LEVELS, lambda profile: profile.level, True, level_words),
        RecordField("colour", "text", "The colour of its badge.", lambda profile: profile.badge_colour, True),
        RecordField("read_only", "truth", "Whether it refuses every change."),
        RecordField("require_reason", "truth", "Whether a change needs a reason."),
        RecordField("refresh", "number?", "Seconds between polls of the server."),
    ),
)
_DEFAULT: Final[RecordField[ListedProfile]] = RecordField(
    "default", "truth", "Whether it is the default.", lambda listed: listed.is_default, True, star
)
LISTED: Final = RecordSchema("profile", _ABOUT, (_DEFAULT, *_PROFILE.within(attrgetter("profile"))))


@command(
    "profiles",
    line="List the profiles of the settings file.",
    kind=LISTED,
    is_online=False,
    examples=("", "--json --fields name,guard"),
)
def profiles(printer: Printer) -> None:
    """List the profiles of the settings file; a star marks the default."""
    settings = read_login_environment().settings
    profiles, default = settings.profiles.values(), settings.default_profile
    listed = [ListedProfile(profile, profile.name == default or len(profiles) == 1) for profile in profiles]
    printer.records(LISTED, listed, "There is no profile yet. Create one with: flagtui auth login")

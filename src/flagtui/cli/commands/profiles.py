"""`flagtui profiles`: the places to work that the settings file names."""

from dataclasses import dataclass
from typing import Final

from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.profile_choice import read_login_environment
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.records.field_words import star
from flagtui.config.profiles import Profile


@dataclass(frozen=True)
class ListedProfile:
    """A profile, and whether it is the default."""

    profile: Profile
    is_default: bool


LISTED: Final[RecordSchema[ListedProfile]] = RecordSchema(
    "profile",
    "A profile of the settings file.",
    (
        RecordField(
            "default", "truth", "Whether it is the default.", lambda listed: listed.is_default, True, star
        ),
        RecordField("name", "text", "The name for --profile.", lambda listed: listed.profile.name, True),
        RecordField("host", "text", "us, eu, or an address.", lambda listed: listed.profile.host, True),
        RecordField(
            "project",
            "text",
            "The id of a project, or @current.",
            lambda listed: listed.profile.project,
            True,
        ),
        RecordField(
            "guard",
            "text",
            "The guard level: relaxed, guarded, strict or read-only.",
            lambda listed: listed.profile.level,
            True,
        ),
        RecordField(
            "colour", "text", "The colour of its badge.", lambda listed: listed.profile.badge_colour, True
        ),
        RecordField(
            "read_only", "truth", "Whether it refuses every change.", lambda listed: listed.profile.read_only
        ),
        RecordField(
            "require_reason",
            "truth",
            "Whether a change needs a reason.",
            lambda listed: listed.profile.require_reason,
        ),
        RecordField(
            "refresh",
            "number?",
            "Seconds between polls of the server.",
            lambda listed: listed.profile.refresh,
        ),
    ),
)


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
    printer.records(LISTED, listed, "There is no profile yet. Make one with: flagtui auth login")

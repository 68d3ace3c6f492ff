"""Profiles: a host, its project, and how careful to be there."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from flagtui.config.fields import Field, WrongSetting, number, one_of, read_table, text, yes_or_no
from flagtui.config.locations import KEY_VARIABLE, Given
from flagtui.config.toml_source import TomlSource

Colour = Literal["red", "yellow", "green", "blue", "purple"]
Guard = Literal["relaxed", "guarded", "strict"]

THEME_COLOURS: Final[Mapping[Colour, str]] = {
    "red": "error",
    "yellow": "warning",
    "green": "success",
    "blue": "primary",
    "purple": "secondary",
}
DEFAULT_HOST: Final = "us"
CURRENT_PROJECT: Final = "@current"


@dataclass(frozen=True, slots=True)
class Profile:
    """One place to work, as the person described it."""

    name: str
    host: str = DEFAULT_HOST
    """`us`, `eu` or an address."""
    project: str = CURRENT_PROJECT
    """A number as text, or `@current`: whichever its owner last chose in the browser."""
    colour: Colour = "blue"
    badge: str = ""
    """The word in the header; the name in capitals unless given."""
    guard: Guard = "guarded"
    read_only: bool = False
    require_reason: bool = False
    refresh: int = 60
    """Seconds between polls for what changed; 0 never polls."""
    bulk_limit: int = 100
    """Records one confirmation may change."""
    unlock: int = 0
    """Minutes a strict profile goes without typing after a key was typed in full."""
    key_command: str = ""
    """A command whose first line of output is the API key."""
    allow_plain_http: bool = False
    ca_bundle: str = ""
    """A file of certificates to trust instead of the usual ones."""

    @property
    def word(self) -> str:
        """What stands in the badge."""
        return self.badge or self.name.upper()[:12]

    @property
    def theme_colour(self) -> str:
        """The theme's variable for the badge."""
        return THEME_COLOURS[self.colour]

    @property
    def level(self) -> str:
        """The guard's level, in which read-only is one too."""
        return "read_only" if self.read_only else self.guard


@dataclass(frozen=True, slots=True)
class Chosen:
    """The profile to open, after everything that wins over the settings file."""

    profile: Profile
    overridden: tuple[str, ...] = ()
    """Variables and options that won, for the header."""
    has_own_host: bool = True
    """False when the host is not the profile's: then its stored key and key command are not for it."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where host, project and profile come from, for `doctor`."""


class ProfileUnknown(Exception):
    """A profile was named that there is not; the text says which there are."""


def _project(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63:
        return str(value)
    if value == CURRENT_PROJECT or (
        isinstance(value, str) and value.isascii() and value.isdigit() and value[0] != "0"
    ):
        return str(value)
    raise WrongSetting(f'use the number of a project, or "{CURRENT_PROJECT}"')


def _key_command(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise WrongSetting('use a command that prints the key, such as "pass show flagtui"')
    return value.strip()


PROFILE_FIELDS: Final[Mapping[str, Field]] = {
    "host": Field(text(), "`us`, `eu`, or the address of your own server."),
    "project": Field(_project, "The number of the project to open."),
    "colour": Field(one_of(*get_args(Colour)), "The colour of the badge in the header."),
    "badge": Field(text(12), "The word in the badge; the profile's name in capitals unless given."),
    "guard": Field(one_of(*get_args(Guard)), "How a change is confirmed."),
    "read_only": Field(yes_or_no, "Refuse every change."),
    "require_reason": Field(yes_or_no, "Ask for a reason with every change; it goes into the journal."),
    "refresh": Field(number(0, 86_400), "Seconds between polls for what changed; 0 never polls."),
    "bulk_limit": Field(number(1, 10_000), "How many records one confirmation may change."),
    "unlock": Field(
        number(0, 60),
        "Minutes after typing a key in which `strict` asks for y only; 0 always asks for the key.",
    ),
    "key_command": Field(_key_command, "A command whose first line of output is the API key."),
    "allow_plain_http": Field(yes_or_no, "Send the key unencrypted to a host that is not this machine."),
    "ca_bundle": Field(text(1_000), "A file of certificates to trust instead of the usual ones."),
}


def read_profiles(source: TomlSource) -> dict[str, Profile]:
    """Every `[profiles.NAME]`. Raises SettingsError."""
    profiles = {}
    tables = source.values.get("profiles", {})
    if not isinstance(tables, dict):
        raise source.error(("profiles",), "has to be tables: [profiles.NAME]")
    for name in tables:
        if not is_profile_name(name):
            raise source.error(("profiles", name), "a profile's name is letters, digits, - and _, at most 40")
        values: dict[str, Any] = read_table(source, ("profiles", name), PROFILE_FIELDS)
        profiles[name] = Profile(name, **values)
    return profiles


def is_profile_name(name: str) -> bool:
    """Names are used in file names and in the keyring, so they are plain."""
    return 0 < len(name) <= 40 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def choose_profile(
    profiles: Mapping[str, Profile], default: str, given: Given, *, asked: str = "", project: str = ""
) -> Chosen:
    """The profile to open: an option wins over the environment, which wins over the settings.

    Without any profile one is made up from the environment. Raises ProfileUnknown, SettingsError never.
    """
    name, named_by = _name(default, given, asked)
    if name and name not in profiles:
        known = ", ".join(sorted(profiles)) or "there is none yet; make one with: flagtui auth login"
        raise ProfileUnknown(f"There is no profile {name} ({named_by}). Profiles: {known}.")
    if not name and len(profiles) > 1 and not (given.host and given.has_key):
        known = ", ".join(sorted(profiles))
        raise ProfileUnknown(f"Which profile? Name it with --profile, or set default_profile: {known}.")
    only = next(iter(profiles.values())) if len(profiles) == 1 else None
    profile = profiles.get(name) or only or Profile("default", badge="LIVE" if given.host else "")
    sources = {
        "profile": named_by if name else "the only one" if only else "made up",
        "host": "the profile" if name or only else "where nothing says another",
        "project": "the profile" if name or only else "where nothing says another",
    }
    own = profile
    if given.host:
        profile, sources["host"] = replace(profile, host=given.host), "FLAGTUI_HOST"
    if project or given.project:
        profile = replace(profile, project=_checked_project(project or given.project))
        sources["project"] = "--project" if project else "FLAGTUI_PROJECT"
    overridden = [name for name in given.names if name == KEY_VARIABLE or name in sources.values()]
    overridden += ["--project"] if project else []
    return Chosen(profile, tuple(overridden), own.host == profile.host, sources)


def _name(default: str, given: Given, asked: str) -> tuple[str, str]:
    if asked:
        return asked, "--profile"
    if given.profile:
        return given.profile, "FLAGTUI_PROFILE"
    return default, "default_profile"


def _checked_project(value: str) -> str:
    try:
        return _project(value)
    except WrongSetting as wrong:
        raise ProfileUnknown(f"{value!r} is no project; {wrong}.") from wrong

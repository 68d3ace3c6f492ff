"""Profiles: a host, its project, and its guard."""

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from flagtui.config.locations import KEY_VARIABLE, Given
from flagtui.config.toml_source import (
    TomlSource,
    WrongSetting,
    number,
    one_of,
    read_table,
    settings_of,
    text,
    yes_or_no,
)

Colour = Literal["red", "yellow", "green", "blue", "purple"]
Guard = Literal["relaxed", "guarded", "strict"]
"""Guard levels, from the least to the most careful."""

THEME_COLOURS: Final[Mapping[Colour, str]] = {
    "red": "error",
    "yellow": "warning",
    "green": "success",
    "blue": "primary",
    "purple": "secondary",
}
NEUTRAL: Final = "neutral"
"""The theme's variable for the badge of a host without a chosen profile."""
MIRROR_BADGE: Final = "MIRROR"
DEFAULT_HOST: Final = "us"
CURRENT_PROJECT: Final = "@current"


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


class CodeSettings(msgspec.Struct, frozen=True):
    """The table `[profiles.NAME.code]`."""

    folder: Annotated[
        str,
        text(1_000),
        "The folder of source code that the app scans and questions name; the current one by default.",
    ] = ""


class Profile(msgspec.Struct, frozen=True):
    """One host and project, as the user configured it."""

    name: str
    host: Annotated[str, text(), "`us`, `eu`, or the address of your own server."] = DEFAULT_HOST
    project: Annotated[str, _project, "The number of the project to open."] = CURRENT_PROJECT
    """As text, or `@current`: whichever its owner last chose in the browser."""
    colour: Annotated[
        Colour | Literal[""],
        one_of(*get_args(Colour)),
        "The colour of the badge; red for `strict`, else blue, unless given.",
    ] = ""
    badge: Annotated[str, text(12), "The word in the badge; the name in capitals unless given."] = ""
    guard: Annotated[Guard, one_of(*get_args(Guard)), "How a change is confirmed."] = "guarded"
    read_only: Annotated[bool, yes_or_no, "Refuse every change."] = False
    mirror: Annotated[
        bool, yes_or_no, "Open the app on your running mirror: it changes only overrides of this machine."
    ] = False
    require_reason: Annotated[
        bool, yes_or_no, "Ask for a reason with every change; it goes into the journal."
    ] = False
    refresh: Annotated[
        int, number(0, 86_400), "Seconds between polls for what changed; 0 polls after failures only."
    ] = 60
    bulk_limit: Annotated[int, number(1, 10_000), "How many records one confirmation may change."] = 100
    unlock: Annotated[
        int,
        number(0, 60),
        "Minutes after typing a key in which `strict` asks for y only; 0 always asks for the key.",
    ] = 0
    key_command: Annotated[str, _key_command, "A command whose first line of output is the API key."] = ""
    allow_plain_http: Annotated[
        bool, yes_or_no, "Send the key unencrypted to a host that is not this machine."
    ] = False
    ca_bundle: Annotated[str, text(1_000), "A file of certificates to trust instead of the system's."] = ""
    code: CodeSettings = CodeSettings()
    is_stand_in: bool = False
    """Whether it was made for a host other than the chosen profile's; the settings have no profile for it."""

    @property
    def word(self) -> str:
        """Return the text of the badge."""
        return self.badge or (MIRROR_BADGE if self.mirror else self.name.upper()[:12])

    @property
    def theme_colour(self) -> str:
        """Return the theme's variable for the badge."""
        return NEUTRAL if self.is_stand_in else THEME_COLOURS[self.badge_colour]

    @property
    def badge_colour(self) -> Colour:
        """Return the chosen colour, else purple for a mirror, red for a strict profile, blue for others."""
        return self.colour or ("purple" if self.mirror else "red" if self.guard == "strict" else "blue")

    @property
    def level(self) -> str:
        """Return the guard's level, where read-only is a level too; a mirror never writes to the host."""
        return "read_only" if self.read_only or self.mirror else self.guard

    @property
    def mirrored(self) -> "Profile":
        return self if self.mirror else replace(self, mirror=True, badge="", colour="")


class ChosenProfile(msgspec.Struct, frozen=True):
    """The profile to open, after all overrides of the settings file."""

    profile: Profile
    overridden: tuple[str, ...] = ()
    """Variables and options that override settings, for the header."""
    sources: Mapping[str, str] = {}
    """Sources of profile, host, project and guard, for `doctor`."""
    named: str = ""
    """The profile named by an option; empty if none."""

    @property
    def has_own_host(self) -> bool:
        """Return False when the host is not that of the named profile."""
        return not self.profile.is_stand_in


PROFILE_FIELDS: Final = settings_of(Profile)
CODE_FIELDS: Final = settings_of(CodeSettings)


class ProfileUnknown(Exception):
    """There is no profile of this name; the text lists the existing ones."""


def read_profiles(source: TomlSource, of_all: Collection[str]) -> dict[str, Profile]:
    """Return every `[profiles.NAME]`; `of_all` has the settings of all profiles. Raises SettingsError."""
    profiles, place = {}, "above the first table: it is for all profiles"
    tables = source.values.get("profiles", {})
    if not isinstance(tables, dict):
        raise source.error(("profiles",), "has to be tables: [profiles.NAME]")
    for name in tables:
        if not is_profile_name(name):
            raise source.error(("profiles", name), "a profile's name is letters, digits, - and _, at most 40")
        path = ("profiles", name)
        values: dict[str, Any] = read_table(source, path, PROFILE_FIELDS, ["code"], of_all, place)
        code: dict[str, Any] = read_table(source, (*path, "code"), CODE_FIELDS)
        profiles[name] = Profile(name, **values, code=CodeSettings(**code))
    return profiles


def is_profile_name(name: str) -> bool:
    """Return whether the name is plain: it is used in file names and in the keyring."""
    return 0 < len(name) <= 40 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def choose_profile(
    profiles: Mapping[str, Profile],
    default: str,
    given: Given,
    *,
    named: str = "",
    project: str = "",
    origin_of: Callable[[str], str] = str,
) -> ChosenProfile:
    """Return the profile to open: an option overrides the environment, which overrides the settings.

    A host of the environment that is not the profile's gets a stand-in, as careful as the most careful
    profile of that host. `origin_of` makes hosts comparable. Raises ProfileUnknown, SettingsError never.
    """
    own, chosen_by = _choose_own(profiles, default, given, named)
    profile, source = (own, "the profile") if own else (Profile("default"), "default")
    sources = {"profile": chosen_by, **dict.fromkeys(("host", "project", "guard"), source)}
    if given.host:
        origin, sources["host"] = origin_of(given.host), "FLAGTUI_HOST"
        if own and origin == origin_of(own.host):
            profile = replace(own, host=given.host)
        else:
            of_that_host = [each for each in profiles.values() if origin_of(each.host) == origin]
            profile = stand_in(given.host, origin, of_that_host, own)
            names = ", ".join(each.name for each in of_that_host)
            guard = f"as for {names}" if names else "no profile is for that host"
            sources |= {"project": "default", "guard": guard}
    if project or given.project:
        profile = replace(profile, project=_checked_project(project or given.project))
        sources["project"] = "--project" if project else "FLAGTUI_PROJECT"
    overridden = [name for name in given.names if name == KEY_VARIABLE or name in sources.values()]
    overridden += ["--project"] if project else []
    return ChosenProfile(profile, tuple(overridden), sources, own.name if own else "")


def stand_in(host: str, origin: str, of_that_host: Collection[Profile], own: Profile | None) -> Profile:
    """Return a stand-in for a host of no chosen profile: named after it, as careful as its profiles.

    Whether the key may go there unencrypted, and which certificates are trusted, depends on the host; the
    chosen profile's settings apply only to its own host.
    """
    name = origin.partition("://")[2] or origin
    usual = Profile(name)
    candidates = of_that_host or [usual]
    return replace(
        usual,
        host=host,
        badge=name,
        guard=max((each.guard for each in candidates), key=get_args(Guard).index),
        read_only=any(each.read_only or each.mirror for each in candidates),
        require_reason=any(each.require_reason for each in candidates),
        bulk_limit=min(each.bulk_limit for each in candidates),
        unlock=min(each.unlock for each in candidates),
        allow_plain_http=any(each.allow_plain_http for each in of_that_host),
        ca_bundle=next((each.ca_bundle for each in of_that_host if each.ca_bundle), ""),
        refresh=own.refresh if own else usual.refresh,
        is_stand_in=True,
    )


def _choose_own(
    profiles: Mapping[str, Profile], default: str, given: Given, named: str
) -> tuple[Profile | None, str]:
    """Return the profile of the settings to open, or None, and what chose it. Raises ProfileUnknown."""
    choices = ((named, "--profile"), (given.profile, "FLAGTUI_PROFILE"), (default, "default_profile"))
    names = ", ".join(sorted(profiles))
    for name, named_by in choices:
        if name in profiles:
            return profiles[name], named_by
        if name:
            names = names or "there is none yet; make one with: flagtui auth login"
            raise ProfileUnknown(f"There is no profile {name} ({named_by}). Profiles: {names}.")
    if len(profiles) == 1:
        return next(iter(profiles.values())), "the only one"
    if profiles and not (given.host and given.has_key):
        raise ProfileUnknown(f"Which profile? Name it with --profile, or set default_profile: {names}.")
    return None, "no profile"


def is_project_id(value: str) -> bool:
    """Return whether the text is the number of a project, or `@current`."""
    try:
        _project(value)
    except WrongSetting:
        return False
    return True


def _checked_project(value: str) -> str:
    try:
        return _project(value)
    except WrongSetting as wrong:
        raise ProfileUnknown(f"{value!r} is no project; {wrong}.") from wrong

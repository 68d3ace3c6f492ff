"""Choose the profile, its server, and where its key can be, without any prompt or request."""

import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.api.hosts import Host, read_host
from flagtui.cli.plumbing.errors import Trouble, in_words
from flagtui.config.credentials import Confidential, KeyPlaces, NoCredential, Owner, Source
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.config.locations import (
    KEY_VARIABLE,
    FolderUnusable,
    FolderUnwritable,
    Given,
    Locations,
    find_locations,
    make_folder,
    read_environment,
    take_variable,
)
from flagtui.config.profiles import ChosenProfile, Profile, ProfileUnknown, choose_profile, is_project_id
from flagtui.config.settings import Settings, SettingsError, read_settings
from flagtui.local_time import use_zone
from flagtui.safe_text import KEY_STARTS


class BuiltInProfile(msgspec.Struct, frozen=True):
    """A profile that is in no settings file."""

    profile: Profile
    words: str
    """The words of the program that open it: `demo --nasty`."""


BUILT_IN: Final[dict[str, BuiltInProfile]] = {}
"""Built-in profiles by name: that of the demo while a command runs in it."""


def program_words() -> list[str]:
    """Return the words before each command: `flagtui`, and those of the demo while one runs in it."""
    return ["flagtui", *(word for each in BUILT_IN.values() for word in each.words.split())]


class ProfileRequest(msgspec.Struct, frozen=True):
    """The profile and project of the command line."""

    profile: str | None = None
    project: str | None = None
    read_only: bool = False
    mouse: bool = True
    flag: str = ""
    """The key of the flag to open first."""
    mirror: bool = False
    """Whether to open the user's running mirror instead of the profile's server."""


class LoginEnvironment(Confidential, frozen=True):
    """Settings of this machine and user, before any profile is chosen."""

    given: Given
    key: str
    """What FLAGTUI_API_KEY held; it is gone from the environment."""
    places: Locations
    settings: Settings


class Opening(msgspec.Struct, frozen=True):
    """A profile and everything known about it without any prompt or request."""

    environment: LoginEnvironment
    chosen: ChosenProfile
    host: Host
    project_name: str = ""
    """The requested name of the project; empty where its id or no project was given."""

    def in_project(self, id: str) -> "Opening":
        """Return the same for the project with this id."""
        profile = replace(self.profile, project=id)
        return replace(self, chosen=replace(self.chosen, profile=profile), project_name="")

    @property
    def profile(self) -> Profile:
        return self.chosen.profile

    @property
    def mirrored(self) -> "Opening":
        """Return the same on the user's running mirror."""
        return replace(self, chosen=replace(self.chosen, profile=self.profile.mirrored))

    @property
    def settings(self) -> Settings:
        return self.environment.settings

    @property
    def cache(self) -> Path | None:
        """The folder of copies; None where none are kept."""
        return self.environment.places.cache if self.settings.snapshots else None

    @property
    def owner(self) -> Owner:
        """The owner of the key to use."""
        return Owner(self.profile.name, self.host.origin)

    @property
    def keys(self) -> KeyPlaces:
        command, folder = self.profile.key_command, self.environment.places.state
        return KeyPlaces(environment=self.environment.key, command=command, folder=folder)

    @property
    def words(self) -> str:
        """`Profile prod`, or whose host this is instead; how careful to be there."""
        level = self.profile.level.replace("_", "-")
        if self.chosen.has_own_host:
            return f"Profile {self.profile.name}, {level}"
        why = self.chosen.sources["guard"]
        source = "FLAGTUI_HOST, not the profile's host" if self.chosen.named else "FLAGTUI_HOST"
        return f"{self.profile.word} ({source}), {level}: {why}"

    def rules(self, *, read_only: bool) -> GuardRules:
        """Return the guard rules of the profile; `read_only` overrides them."""
        return GuardRules(
            level=Level.READ_ONLY if read_only else Level(self.profile.level),
            require_reason=self.profile.require_reason,
            place=self.profile.word,
            bulk_limit=self.profile.bulk_limit,
        )

    def state_to_open(self, *, read_only: bool) -> Path:
        """Return it for the app, which needs no journal where it changes nothing. Raises Trouble."""
        places = self.environment.places
        try:
            return make_folder(places.state, JOURNAL)
        except FolderUnwritable as wrong:
            if places.state is not None and self.rules(read_only=read_only).level is Level.READ_ONLY:
                return places.state
            raise Trouble(str(wrong), "To look without changing anything: flagtui --read-only") from None
        except FolderUnusable as wrong:
            raise Trouble(str(wrong)) from None


def refuse_in_demo() -> None:
    """Raise Trouble in the demo, whose key is its own: the settings belong to the user's profiles."""
    if BUILT_IN:
        raise Trouble("the demo has a key of its own.", "Use the same command without demo.", code="usage")


JOURNAL: Final = "the journal of your changes"
VARIABLE_WINS: Final = f"{KEY_VARIABLE} is set here and wins over the key of the profile."


def read_login_environment() -> LoginEnvironment:
    """Read environment and settings. Raises Trouble, also for a variable that is set to nothing."""
    for name in ("FLAGTUI_HOST", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE", "FLAGTUI_LOG", KEY_VARIABLE):
        if name in os.environ and not os.environ[name].strip():
            raise Trouble(f"{name} is set but empty.", f"Give it a value, or: unset {name}", code="usage")
    given = read_environment()
    key = take_variable(KEY_VARIABLE)
    places = find_locations()
    return LoginEnvironment(given, key, places, settings_in(places))


def settings_in(places: Locations) -> Settings:
    """Return the settings, whose time zone is used from now on. Raises Trouble."""
    try:
        settings = read_settings(places.settings_file)
    except SettingsError as wrong:
        raise Trouble(str(wrong), code="usage") from None
    use_zone(settings.time_zone)
    return settings


def choose(environment: LoginEnvironment, request: ProfileRequest) -> Opening:
    """Return the requested profile, else the default one. Raises Trouble."""
    settings, given = environment.settings, environment.given
    project = request.project or given.project
    if any(each.startswith(KEY_STARTS) for each in (project, request.profile or given.profile)):
        raise Trouble("a key is given as the project or the profile.", f"Use {KEY_VARIABLE}.", code="usage")
    has_name = bool(project) and not is_project_id(project)
    try:
        chosen = choose_profile(
            {**settings.profiles, **{name: each.profile for name, each in BUILT_IN.items()}},
            settings.default_profile,
            given._replace(project="") if has_name else given,
            named=request.profile or "",
            project="" if has_name else request.project or "",
            origin_of=origin_of,
        )
    except ProfileUnknown as wrong:
        raise Trouble(str(wrong), code="usage") from None
    try:
        host = read_host(chosen.profile.host, allow_plain_http=chosen.profile.allow_plain_http)
    except ApiError as wrong:
        trouble = in_words(wrong)
        path = ("profiles", chosen.profile.name, "host")
        is_of_file = chosen.sources["host"] == "the profile"
        where = settings.source.error(path, wrong.what) if is_of_file else f"FLAGTUI_HOST: {wrong.what}"
        raise Trouble(f"{where}", trouble.fix, code=trouble.code) from None
    return Opening(environment, chosen, host, project if has_name else "")


def origin_of(text: str) -> str:
    """Return the origin, such as https://eu.posthog.com, of any form of a host; other texts unchanged."""
    try:
        return read_host(text, allow_plain_http=True).origin
    except ApiError:
        return text


def is_unknown(environment: LoginEnvironment) -> bool:
    """Return whether neither a key nor a profile names a server."""
    return not environment.key and not environment.settings.profiles


def choose_signed_in(environment: LoginEnvironment, request: ProfileRequest) -> Opening:
    """Return the same if there is a key or a profile at all. Raises Trouble."""
    if is_unknown(environment):
        raise Trouble(
            "there is no API key and no profile.",
            "Sign in with: flagtui auth login; or set FLAGTUI_HOST, "
            "FLAGTUI_API_KEY and FLAGTUI_PROJECT; or try it without an account: flagtui demo",
            code="sign_in",
        )
    return choose(environment, request)


def choose_other(opening: Opening, name: str) -> Opening:
    """Choose another configured profile while the program runs. Raises Trouble.

    The variables were meant for the profile the program was started with: its key goes to no other host.
    """
    environment = opening.environment
    bare = replace(environment, given=Given(), key="")
    other = choose(bare, ProfileRequest(profile=name))
    if environment.key and other.host.origin == opening.host.origin:
        chosen = replace(other.chosen, overridden=(KEY_VARIABLE,))
        return Opening(replace(bare, key=environment.key), chosen, other.host)
    return other


def writable_state(places: Locations, content: str = JOURNAL) -> Path:
    """Return the folder of the state, where `content` is kept. Raises Trouble."""
    try:
        return make_folder(places.state, content)
    except FolderUnusable as wrong:
        raise Trouble(str(wrong)) from None


def readable_state(places: Locations, content: str = JOURNAL) -> Path:
    """Return it, writable or not, to read there: a change may go without its journal. Raises Trouble."""
    try:
        return make_folder(places.state, content)
    except FolderUnwritable:
        assert places.state is not None
        return places.state
    except FolderUnusable as wrong:
        raise Trouble(str(wrong)) from None


def no_key_words(opening: Opening, missing: NoCredential) -> tuple[str, str]:
    """Return that there is no key, or why it cannot be read, and the next step."""
    is_own = opening.chosen.has_own_host
    whose = f"the profile {opening.profile.name}" if is_own else opening.host.origin
    what = " ".join(missing.reasons) or f"There is no API key for {whose}."
    return what, how_to_get_a_key(opening, missing)


def how_to_get_a_key(opening: Opening, missing: NoCredential) -> str:
    """Return the next step; a stored key would not be used where another source was chosen."""
    match missing.chosen:
        case "FLAGTUI_API_KEY":
            return f"Correct {KEY_VARIABLE}, or: unset {KEY_VARIABLE}"
        case "key_command":
            replaced = f"{login_command(opening)} --key-command COMMAND"
            return f"Correct the key_command of the profile, or replace it: {replaced}"
    if opening.chosen.has_own_host:
        return f"Sign in with: {login_command(opening)}"
    # A stored key is for a profile, and only its name chooses one.
    profiles = opening.settings.profiles.values()
    name = next((each.name for each in profiles if origin_of(each.host) == opening.host.origin), "")
    way = "Name its profile with" if name else f"Create a profile: {login_command(opening)}; name it with"
    return f"{way}: --profile {name or 'NAME'}; or set {KEY_VARIABLE}."


def how_to_replace_a_key(opening: Opening, source: Source) -> str:
    """Return where a key that the server refused comes from, or how to store another one."""
    if source in (KEY_VARIABLE, "key_command"):
        return f"The key comes from {source}."
    return f"Sign in again with: {login_command(opening)}"


def login_command(opening: Opening) -> str:
    """Return the command that stores a key for this profile, or for a host without one."""
    if opening.chosen.has_own_host:
        return f"flagtui auth login --profile {opening.profile.name}"
    return f"flagtui auth login --host {opening.host.origin} --profile NAME"

"""`flagtui auth login`: check a key and store it for a profile."""

import asyncio
import sys
from collections.abc import Callable
from functools import partial

import click
import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError, NotSignedIn
from flagtui.api.hosts import Host, read_host
from flagtui.cli.commands.auth.account import print_introduction, project_line
from flagtui.cli.commands.auth.key_storage import Keep, forget_earlier, keep_key
from flagtui.cli.plumbing.client import make_client, why_not_personal
from flagtui.cli.plumbing.errors import Trouble, in_words
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import PROFILE, choose_name
from flagtui.cli.plumbing.output.lines import print_line
from flagtui.cli.plumbing.profile_choice import (
    VARIABLE_WINS,
    LoginEnvironment,
    origin_of,
    read_login_environment,
    refuse_in_demo,
)
from flagtui.cli.plumbing.project_names import select_project
from flagtui.cli.plumbing.prompts import Prompts, find_prompts
from flagtui.cli.plumbing.record_command import command
from flagtui.config.credentials import KeyMalformed, KeyPlaces, Owner, Secret
from flagtui.config.key_sources import CommandFailed, run_key_command
from flagtui.config.profiles import CURRENT_PROJECT, Profile, is_profile_name, is_project_id
from flagtui.config.settings import SettingsError
from flagtui.config.settings_writer import write_profile
from flagtui.store.key_info import Introduction, load_identity

MOST_TRIES = 5
"""Keys that are typed before signing in is given up."""


class SignInOptions(msgspec.Struct, frozen=True):
    """The options of the command line."""

    profile: str = ""
    host: str = ""
    project: str = ""
    with_token: bool = False
    key_command: str = ""
    keep: Keep | None = None


def ask_server(host: Host, key: Secret, profile: Profile) -> Introduction:
    """Return the server's report about the key. Raises ApiError."""

    async def ask() -> Introduction:
        async with make_client(replace(profile, project=CURRENT_PROJECT), host, key) as client:
            return await load_identity(client)

    return asyncio.run(ask())


class TerminalSignIn(msgspec.Struct, frozen=True):
    """One sign-in at the terminal."""

    options: SignInOptions
    environment: LoginEnvironment
    person: Prompts
    keys: KeyPlaces
    ask: Callable[[Host, Secret, Profile], Introduction] = msgspec.field(default_factory=lambda: ask_server)

    def run(self) -> Profile:
        """Return the profile as it is stored now. Raises Trouble."""
        profile = self._profile()
        host, key, introduction = self._accepted_key(self._host(profile), profile)
        print_introduction(host, introduction)
        project = self._project(profile, host, introduction)
        profile = replace(profile, host=host.region or host.origin, project=project)
        owner = Owner(profile.name, host.origin)
        if self.options.key_command:
            profile = replace(profile, key_command=self.options.key_command)
            keep = partial(forget_earlier, self.keys, owner)
        else:
            keep = partial(keep_key, self.keys, owner, key, self.options.keep, self.person)
        self._write(profile, keep)
        if self.environment.key:
            print_line(VARIABLE_WINS)
        return profile

    def _profile(self) -> Profile:
        settings = self.environment.settings
        only = next(iter(settings.profiles)) if len(settings.profiles) == 1 else "default"
        name = self.options.profile or self.environment.given.profile or settings.default_profile or only
        if not is_profile_name(name):
            raise Trouble(
                f"{name!r} cannot name a profile; use letters, digits, - and _, at most 40.", code="usage"
            )
        profile = settings.profiles.get(name, Profile(name))
        if profile.key_command and not self.options.key_command:
            what = f"the profile {name} gets its key from its key_command, which wins over a stored key."
            fix = "Remove that line from the settings file, or give --key-command."
            raise Trouble(what, fix, code="usage")
        return profile

    def _host(self, profile: Profile) -> Host:
        is_known = profile.name in self.environment.settings.profiles
        text = self.options.host or self.environment.given.host or (profile.host if is_known else "")
        if not text:
            is_interactive = self.person.is_there
            text = self.person.ask("Server: us, eu, or an address", "us") if is_interactive else profile.host
        try:
            host = read_host(text, allow_plain_http=profile.allow_plain_http)
        except ApiError as wrong:
            raise in_words(wrong) from None
        if host.notice:
            print_line(host.notice)
        is_named = self.options.profile or self.environment.given.profile
        if is_known and not is_named and origin_of(profile.host) != host.origin:
            what = f"the profile {profile.name} is for {profile.host}; nothing was stored."
            source = "--with-token" * self.options.with_token
            other, same = (self._command(source, host=text, profile=name) for name in ("NAME", profile.name))
            raise Trouble(what, f"For another profile: {other}; to move this one: {same}", code="usage")
        return host

    def _accepted_key(self, meant: Host, profile: Profile) -> tuple[Host, Secret, Introduction]:
        """Return a key that the server accepts; ask again for a key that it refuses, and for nothing else."""
        for tries_left in reversed(range(MOST_TRIES)):
            try:
                key = self._read_key()
                host, introduction = self._introduce(meant, key, profile)
            except Trouble as trouble:
                if not (trouble.code in ("usage", "sign_in") and tries_left and self._types_the_key):
                    raise
                words = str(trouble)
                print_line(words[:1].upper() + words[1:])
                print_line("Another key, or ctrl+c to cancel.")
            else:
                return host, key, introduction
        raise AssertionError("the last try returns or raises")

    @property
    def _types_the_key(self) -> bool:
        return self.person.is_there and not (self.options.with_token or self.options.key_command)

    def _read_key(self) -> Secret:
        try:
            if self.options.key_command:
                text = run_key_command(self.options.key_command)
            elif self.options.with_token:
                text = sys.stdin.read(8_192).removeprefix("\ufeff")
            elif self.person.is_there:
                text = self.person.ask_hidden("Paste the personal API key (it is not shown)")
            else:
                fix = f"Give it on standard input: {self._command('--with-token')} < FILE"
                raise Trouble("there is no terminal to paste the key on.", fix, code="usage")
            text = text.strip()
            if not text:
                raise Trouble("the key is empty; nothing was stored.", code="usage")
            if why := why_not_personal(text):
                raise Trouble(f"{why} A personal key (phx_) is needed.", code="usage")
            return Secret(text)
        except KeyMalformed as wrong:
            raise Trouble(str(wrong), code="usage") from None
        except CommandFailed as wrong:
            raise Trouble(str(wrong)) from None

    def _command(self, source: str, **instead: str) -> str:
        """Return this command with its options, but for those `instead`; the key comes from `source`."""
        names = ("host", "key_command", "keep", "profile", "project")
        given = {name: getattr(self.options, name) for name in names} | instead
        place = {name: given.pop(name) for name in ("profile", "project")}
        options = [(f"--{name.replace('_', '-')}", value) for name, value in given.items() if value]
        words = [*(word for option in options for word in option), *filter(None, [source])]
        return next_command("auth", "login", *words, **place)

    def _introduce(self, host: Host, key: Secret, profile: Profile) -> tuple[Host, Introduction]:
        print_line(f"Asking {host.origin} about the key…")
        try:
            return host, self.ask(host, key, profile)
        except NotSignedIn as refused:
            if not host.other_region:
                raise in_words(refused) from None
            return self._other_region(host, read_host(host.other_region), key, profile)
        except ApiError as error:
            raise in_words(error) from None

    def _other_region(
        self, host: Host, other: Host, key: Secret, profile: Profile
    ) -> tuple[Host, Introduction]:
        """Try the other region, only with consent of the user: a key belongs to one region."""
        problem = f"{host.address} does not know this key"
        if not self.person.is_there:
            source = "" if self.options.key_command else "--with-token"
            fix = f"If the account is in the other region, try: {self._command(source, host=other.region)}"
            raise Trouble(f"{problem}; nothing was stored.", fix, code="sign_in")
        if not self.person.agree(f"{problem}. Send it to {other.address}, the other region, instead?"):
            fix = "Check the key, and that its owner is still active."
            raise Trouble(f"{problem}. Nothing was stored.", fix, code="sign_in")
        try:
            return other, self.ask(other, key, profile)
        except NotSignedIn:
            what = f"neither {host.address} nor {other.address} knows this key."
            raise Trouble(what, "Create one in the account settings.", code="sign_in") from None
        except ApiError as error:
            raise in_words(error) from None

    def _project(self, profile: Profile, host: Host, introduction: Introduction) -> str:
        projects = [str(project.id) for project in introduction.projects]
        requested = self.options.project or self.environment.given.project
        if requested:
            if not is_project_id(requested):
                if not projects:
                    what = f"{requested!r} is no number of a project, and this key lists no names."
                    raise Trouble(what, code="usage")
                return str(
                    select_project(introduction.projects, requested, has_prefixes=self.person.is_there)
                )
            if projects and requested not in projects:
                what = f"this key knows no project {requested}; projects: {', '.join(projects)}."
                raise Trouble(what, code="not_found")
            return requested
        usual = profile.project if origin_of(profile.host) == host.origin else CURRENT_PROJECT
        if usual == CURRENT_PROJECT and introduction.me and introduction.me.current_project:
            usual = str(introduction.me.current_project)
        if len(projects) == 1:
            return projects[0]
        if not projects and usual == CURRENT_PROJECT and introduction.me is None:
            return self._unlisted_project()
        if not projects or not self.person.is_there:
            return usual
        print_line("Projects:")
        names = [project_line(introduction, place) for place in range(len(projects))]
        default = projects.index(usual) if usual in projects else 0
        return projects[self.person.choose("Which project to open first", names, default)]

    def _unlisted_project(self) -> str:
        """Return the number of a project that the key cannot look up, as far as it is known."""
        print_line("The key cannot look up its project: it lacks user:read and project:read.")
        if not self.person.is_there:
            print_line("Name the project by its number with --project, here or with every command.")
            return CURRENT_PROJECT
        while not is_project_id(project := self.person.ask("Number of the project", "")):
            print_line("The number is in the address of the project in the browser: /project/NUMBER.")
        return project

    def _write(self, profile: Profile, keep: Callable[[], list[str]]) -> None:
        file = self.environment.places.settings_file
        if file is None:
            raise Trouble("there is no home folder, so the profile cannot be saved. Set HOME.")
        settings = self.environment.settings
        first = next(iter(settings.profiles), profile.name)
        default = first if len(settings.profiles) < 2 and not settings.default_profile else ""
        try:
            sentences: list[str] = []
            write_profile(file, profile, default=default, before=lambda: sentences.extend(keep()))
        except SettingsError as wrong:
            raise Trouble(str(wrong)) from None
        except OSError as error:
            what = f"{file} cannot be written: {error.strerror}; nothing was stored."
            raise Trouble(what, "Make it writable, then sign in again.") from None
        for sentence in sentences:
            print_line(sentence)
        print_line(f"Profile {profile.name} is in {file}. Open it with: flagtui --profile {profile.name}")


def sign_in(environment: LoginEnvironment, options: SignInOptions) -> None:
    """Prompt for the missing values on the terminal. Raises Trouble."""
    person = Prompts(False) if options.with_token else find_prompts()
    TerminalSignIn(options, environment, person, KeyPlaces(folder=environment.places.state)).run()


@command(
    "login",
    is_online=False,
    examples=("--with-token --keep file < key.txt", "--profile prod --key-command 'cat key.txt'"),
)
@PROFILE
@click.option("--host", default="", metavar="HOST", help="us, eu, or an address.")
@click.option("--project", default="", metavar="PROJECT", help="The project to open first: its id or name.")
@click.option("--with-token", is_flag=True, help="Read the key from standard input.")
@ruled_option(
    "--key-command",
    default="",
    metavar="COMMAND",
    help="Read the key from the output of this command every time.",
    excludes=("--with-token", "--keep"),
)
@click.option(
    "--keep",
    type=click.Choice(["keyring", "file", "nowhere"]),
    help="Where to store the key; default: the keyring.",
)
def login(
    profile: str, host: str, project: str, with_token: bool, key_command: str, keep: Keep | None
) -> None:
    """Check a personal API key, show what it may do, and store it for a profile."""
    refuse_in_demo()
    options = SignInOptions(choose_name("profile", profile), host, project, with_token, key_command, keep)
    sign_in(read_login_environment(), options)

"""`flagtui auth status` and `auth logout`: the key in use, its owner and scopes."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api.hosts import Host
from flagtui.cli.plumbing.client import ask, find_key
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import PROFILE, choose_name
from flagtui.cli.plumbing.output.lines import print_line
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.profile_choice import Opening, refuse_in_demo
from flagtui.cli.plumbing.project_session import open_profile
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.records.field_words import LEVELS, level_words
from flagtui.config.credentials import FoundSecret, KeyringUnusable, NoKeyring, Source
from flagtui.config.key_sources import KeyFileRefused
from flagtui.private_folders import frames_folder
from flagtui.store.key_info import Introduction, abilities, load_identity, organization_name
from flagtui.store.snapshots import snapshots_in
from flagtui.text.shared_messages import lacking_scope


class SignedIn(msgspec.Struct, frozen=True):
    """The key in use, its source, and the server's report about it."""

    opening: Opening
    secret: FoundSecret
    introduction: Introduction

    def scopes(self, *, works: bool) -> list[str]:
        """Return the scopes of abilities that the key has, or lacks."""
        return [ability.scope for ability in abilities(self.introduction.key) if ability.works is works]


SIGN_IN: Final[RecordSchema[SignedIn]] = RecordSchema(
    "sign-in",
    "Who is signed in where.",
    (
        RecordField("profile", "text", "The profile.", lambda account: account.opening.profile.name, True),
        RecordField("host", "text", "The server.", lambda account: account.opening.host.origin, True),
        RecordField(
            "guard", "text", LEVELS, lambda account: account.opening.profile.level, True, level_words
        ),
        RecordField("key", "text", "The key, masked.", lambda account: account.secret.key.mask, True),
        RecordField(
            "key_source", "text", "Where the key was found.", lambda account: account.secret.source, True
        ),
        RecordField(
            "owner", "text", "The owner of the key.", lambda account: account.introduction.person, True
        ),
        RecordField(
            "scopes", "texts", "Scopes that the key has.", lambda account: account.scopes(works=True)
        ),
        RecordField(
            "missing_scopes",
            "texts",
            "Scopes that the key lacks.",
            lambda account: account.scopes(works=False),
        ),
    ),
    version=2,
)


@command(
    "status",
    kind=SIGN_IN,
    is_online=False,
    operations=("people.me", "people.key", "projects.list"),
    examples=("", "--json"),
)
@PROFILE
def status(profile: str, printer: Printer) -> None:
    """Show the key in use, its owner and scopes; exit with 5 when it does not work."""
    opening = open_profile(choose_name("profile", profile))
    secret = find_key(opening)
    introduction = ask(opening, secret, load_identity)
    if printer.has_chosen_form:
        printer.records(SIGN_IN, [SignedIn(opening, secret, introduction)])
    else:
        print_line(f"{opening.words}. The key: {secret.key.mask} from {secret.source}.")
        print_introduction(opening.host, introduction)


@command("logout", is_online=False, examples=("", "--profile prod"))
@PROFILE
def logout(profile: str) -> None:
    """Remove the stored key of a profile, and its cached rows."""
    refuse_in_demo()
    opening = open_profile(choose_name("profile", profile))
    name = opening.profile.name
    _forget_rows(opening)
    gone, fault = _forget_key(opening)
    if gone:
        print_line(f"The key of {name} for {opening.host.origin} was removed ({', '.join(gone)}).")
    elif not fault:
        print_line(f"No key is stored for {name} at {opening.host.origin}.")
    if opening.environment.key:
        print_line("FLAGTUI_API_KEY still has a key here.")
    if opening.profile.key_command:
        print_line("The profile's key_command still returns a key.")
    if gone or opening.environment.key or opening.profile.key_command:
        print_line("The key stays valid until it is deleted in the account settings of the server.")
    if fault:
        raise Trouble(f"{fault} If it has a key of {name}, the key is still there.")


def _forget_key(opening: Opening) -> tuple[list[Source], str]:
    """Remove stored keys; return where they were, and why the keyring may still have one."""
    gone: list[Source] = []
    try:
        gone += replace(opening.keys, keyring=None).forget(opening.owner)
    except KeyFileRefused as refused:
        raise Trouble(str(refused)) from None
    try:
        gone += replace(opening.keys, folder=None).forget(opening.owner)
    except NoKeyring as missing:
        print_line(f"{missing} If a key is in one, it still is.")
    except KeyringUnusable as unusable:
        return gone, str(unusable)
    return gone, ""


def _forget_rows(opening: Opening) -> None:
    snapshots_in(opening.environment.places.cache).forget_all(opening.profile.name, opening.host.origin)
    with suppress(OSError):
        for frame in Path(frames_folder()).glob("frame-*"):
            frame.unlink(missing_ok=True)


def print_introduction(host: Host, introduction: Introduction) -> None:
    """Print the owner of the key, and what will and won't work with it."""
    print_line(f"Signed in to {host.address}{f' as {introduction.person}' if introduction.person else ''}.")
    granted = abilities(introduction.key)
    if not granted:
        print_line(
            "The server does not report the scopes of the key; a refused request names the missing one."
        )
    for ability in granted:
        if ability.works:
            print_line(f"  ✓ {ability.words}")
        else:
            print_line(f"  ✗ {lacking_scope(ability.words, ability.scope)}")


def project_line(introduction: Introduction, place: int) -> str:
    project = introduction.projects[place]
    organization = organization_name(introduction.me, project)
    return f"{f'{organization} › ' if organization else ''}{project.label}  #{project.id}"

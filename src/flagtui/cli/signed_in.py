"""Who is signed in where, and signing out."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from flagtui.api.errors import ApiError
from flagtui.api.hosts import Host
from flagtui.app.terminal.first_frame import frames_folder
from flagtui.cli.client import make_client
from flagtui.cli.errors import Trouble, in_words
from flagtui.cli.output.lines import say
from flagtui.cli.profile_choice import (
    Opening,
    ProfileRequest,
    choose_signed_in,
    read_login_environment,
)
from flagtui.config.credentials import FoundSecret, KeyringUnusable, NoCredential, Source
from flagtui.config.key_file import KeyFileRefused
from flagtui.store.key_info import Introduction, abilities, introduce

if TYPE_CHECKING:
    pass


if TYPE_CHECKING:
    from flagtui.api import Client

Answer = TypeVar("Answer")


def open_profile(profile: str, project: str = "") -> Opening:
    """The profile a command works with. Raises Trouble."""
    return choose_signed_in(
        read_login_environment(), ProfileRequest(profile=profile or None, project=project or None)
    )


def find_key(opening: Opening) -> FoundSecret:
    """The key and where it was. Raises Trouble."""
    found = opening.keys.find(opening.owner)
    if isinstance(found, NoCredential):
        raise Trouble(*no_key_words(opening, found), code="sign_in")
    return found


def no_key_words(opening: Opening, found: NoCredential) -> tuple[str, str]:
    """That there is no key, or what keeps it from being read, and what to do next."""
    is_own = opening.chosen.has_own_host
    whose = f"the profile {opening.profile.name}" if is_own else opening.host.origin
    where = f"--profile {opening.profile.name}" if is_own else f"--host {opening.host.origin} --profile NAME"
    what = " ".join(found.reasons) or f"There is no API key for {whose}."
    return what, f"Sign in with: flagtui auth login {where}"


def ask(opening: Opening, found: FoundSecret, question: "Callable[[Client], Awaitable[Answer]]") -> Answer:
    """The server's answer. Raises Trouble."""

    async def run() -> Answer:
        async with make_client(opening.profile, opening.host, found.key) as client:
            return await question(client)

    try:
        return asyncio.run(run())
    except ApiError as error:
        raise in_words(error) from None


def tell_status(profile: str) -> None:
    """Which key, whose it is, what it may do. Raises Trouble when it does not work."""

    opening = open_profile(profile)
    found = find_key(opening)
    say(f"{opening.words}. The key: {found.key.mask} from {found.source}.")
    tell_introduction(opening.host, ask(opening, found, introduce))


def sign_out(profile: str) -> None:
    """Forgets what is kept of this key and seen with it on this machine. Raises Trouble."""
    opening = open_profile(profile)
    name = opening.profile.name
    _forget_rows(opening)
    gone = _forget_key(opening)
    if gone:
        say(f"The key of {name} for {opening.host.origin} is forgotten ({', '.join(gone)}).")
    else:
        say(f"No key was kept for {name} at {opening.host.origin}.")
    if opening.environment.key:
        say("FLAGTUI_API_KEY still has one here.")
    if opening.profile.key_command:
        say("The profile still gets one from its key_command.")
    say("It stays valid until it is deleted in the account settings of the server.")


def _forget_key(opening: Opening) -> list[Source]:
    """Where one was."""
    gone: list[Source] = []
    try:
        gone += replace(opening.keys, keyring=None).forget(opening.owner)
    except KeyFileRefused as refused:
        raise Trouble(str(refused)) from None
    try:
        gone += replace(opening.keys, folder=None).forget(opening.owner)
    except KeyringUnusable as unusable:
        say(f"{unusable} If a key is in one, it still is.")
    return gone


def _forget_rows(opening: Opening) -> None:
    from flagtui.store.snapshots import Snapshots

    cache = opening.environment.places.cache
    if cache is not None:
        Snapshots(cache / "rows").forget_all(opening.profile.name, opening.host.origin)
    with suppress(OSError):
        for frame in Path(frames_folder()).glob("frame-*"):
            frame.unlink(missing_ok=True)


def tell_introduction(host: Host, found: Introduction) -> None:
    """Whose key it is, and what will and won't work with it."""
    say(f"Signed in to {host.name}{f' as {found.person}' if found.person else ''}.")
    known = abilities(found.key)
    if not known:
        say("The server does not tell what the key may do; what it refuses is said when it happens.")
    for ability in known:
        if ability.works:
            say(f"  ✓ {ability.words}")
        else:
            say(f"  ✗ {ability.words}: the key lacks {ability.scope}")


def _project_line(found: Introduction, place: int) -> str:
    project = found.projects[place]
    organization = found.organization_of(project)
    return f"{f'{organization} › ' if organization else ''}{project.label}  #{project.id}"

"""The profile a command works with, its key, and one question asked with it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeVar

from flagtui.api.errors import ApiError
from flagtui.cli.client import make_client
from flagtui.cli.errors import Trouble, in_words
from flagtui.cli.output.lines import progress
from flagtui.cli.profile_choice import (
    Opening,
    ProfileRequest,
    choose_signed_in,
    read_login_environment,
)
from flagtui.config.credentials import FoundSecret, NoCredential

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.connection_state import ConnectionState

Answer = TypeVar("Answer")
NOTICED: Final = 2.0
"""Seconds of waiting that are told."""


def waits_told(link: "ConnectionState") -> Callable[[], None]:
    """Says on standard error, once each, what keeps requests waiting."""
    until = 0.0

    def hear() -> None:
        nonlocal until
        ends = link.clock.monotonic() + link.waiting
        if link.waiting >= NOTICED and ends > until + NOTICED:
            until = ends
            progress(f"waiting {link.waiting:.0f} s {link.wait_reason}")

    return hear


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
            client.connection.link.watch(waits_told(client.connection.link))
            return await question(client)

    try:
        return asyncio.run(run())
    except ApiError as error:
        raise in_words(error) from None

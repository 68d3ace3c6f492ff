"""A client for the server of a profile, and a question to it. Imports what talks to servers."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from flagtui.api import Client
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, BadKey, NotSignedIn
from flagtui.api.hosts import Host, read_key
from flagtui.api.http_library import Application, in_process, load_library
from flagtui.api.request_log import Log, log_to
from flagtui.cli.plumbing.errors import Trouble, in_words, may_work_later
from flagtui.cli.plumbing.global_options import log_path
from flagtui.cli.plumbing.options import LOOK_EVERY, WorkPlace
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.profile_choice import Opening, how_to_replace_a_key, no_key_words
from flagtui.config.credentials import FoundSecret, KeyMalformed, NoCredential, Secret
from flagtui.config.profiles import Profile

ResultT = TypeVar("ResultT")
NOTICED: Final = 2.0
"""Seconds of waiting that are reported."""
ANYWHERE: Final = WorkPlace()
EMBEDDED: Final[dict[str, Callable[[], Application]]] = {}
"""Open services in this process, by the origins they go by; they are asked without a socket."""

_OTHER_KINDS: Final = {
    "phc_": "This is the public project token (phc_): it only sends events.",
    "phs_": "This is a project secret key (phs_): it only evaluates flags.",
}


def make_client(profile: Profile, host: Host, key: Secret, *, read_only: bool = False) -> Client:
    """Create the client.

    Raises ApiError for an invalid key, Trouble for a log that cannot be written or a missing HTTP library.
    """
    if named := os.environ.get("FLAGTUI_HTTP"):
        try:
            load_library(named)
        except ImportError as missing:
            raise Trouble(f"{missing}", code="usage") from None
    embedded = EMBEDDED.get(host.origin)
    return Client(
        host,
        key,
        profile.project,
        allow_plain_http=profile.allow_plain_http,
        log=request_log(),
        read_only=read_only,
        ca_bundle=profile.ca_bundle,
        transport=in_process(embedded()) if embedded is not None else None,
    )


def request_log() -> Log | None:
    """Return the log of requests; None without one. Raises Trouble where it cannot be written."""
    path = log_path()
    return None if path is None else log_to(path)


def find_key(opening: Opening) -> FoundSecret:
    """Return the key and where it was. Raises Trouble."""
    secret = opening.keys.find(opening.owner)
    if isinstance(secret, NoCredential):
        raise Trouble(*no_key_words(opening, secret), code="sign_in")
    return secret


def report_waits(link: ConnectionState) -> Callable[[], None]:
    """Report on standard error, once each, what requests wait for."""
    until = 0.0

    def hear() -> None:
        nonlocal until
        ends = link.clock.monotonic() + link.waiting
        if link.queued and link.waiting >= NOTICED and ends > until + NOTICED:
            until = ends
            progress(f"waiting {link.waiting:.0f} s {link.wait_reason}")
        if link.retry is not None and link.retry[0] >= NOTICED:
            pause, error = link.retry
            progress(f"{error.what.rstrip('.')}; trying again in {pause:.0f} s")

    return hear


def ask(
    opening: Opening,
    secret: FoundSecret,
    question: Callable[[Client], Awaitable[ResultT]],
    place: WorkPlace = ANYWHERE,
) -> ResultT:
    """Return the server's response; wait for it as long as `place` allows. Raises Trouble."""

    async def run() -> ResultT:
        async with make_client(opening.profile, opening.host, secret.key) as client:
            connection = client.connection
            connection.link.watch(report_waits(connection.link))
            ends = connection.clock.monotonic() + (place.wait or 0.0)
            connection.longest_wait = connection.longest_wait if place.wait is None else place.wait
            while True:
                try:
                    return await question(client)
                except ApiError as error:
                    left = ends - connection.clock.monotonic()
                    pause = error.facts.retry_after or min(left, LOOK_EVERY)
                    if not place.is_repeatable or left <= 0 or pause > left or not may_work_later(error):
                        raise
                    progress(f"{error.what.rstrip('.')}; trying again for {left:.0f} s at most")
                    await connection.clock.sleep(pause)
                    connection.longest_wait = max(left - pause, 0.0)

    try:
        return asyncio.run(run())
    except NotSignedIn as refused:
        trouble = in_words(refused)
        trouble.fix = f"{trouble.fix} {how_to_replace_a_key(opening, secret.source)}"
        raise trouble from None
    except ApiError as error:
        raise in_words(error) from None


def why_not_personal(text: str) -> str:
    """Return what a key of another kind is for; empty for a key that may be personal."""
    return _OTHER_KINDS.get(text.strip()[:4], "")


def typed_key(text: str) -> Secret:
    """Return a typed key. Raises ApiError for invalid text, and for keys of other kinds, before sending."""
    if why := why_not_personal(text):
        raise BadKey(why)
    try:
        return Secret(read_key(text))
    except KeyMalformed as malformed:
        raise BadKey(str(malformed)) from None

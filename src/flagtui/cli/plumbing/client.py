"""A client for the server of a profile. Imports what talks to servers."""

import os
from collections.abc import Callable
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import BadKey
from flagtui.api.hosts import Host, read_key
from flagtui.api.http_library import Application, in_process, load_library
from flagtui.api.request_log import Log, log_to
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.global_options import log_path
from flagtui.config.credentials import KeyMalformed, Secret
from flagtui.config.profiles import Profile

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
        host.origin,
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

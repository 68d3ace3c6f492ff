"""Where a record can be found: in the browser, by request, by command."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from flagtui.api import Client


PAGES: Final = {
    "flags": "feature_flags",
    "experiments": "experiments",
    "events": "data-management/events",
}
"""By kind of record: where its page is in the product."""
RESOURCES: Final = {
    "flags": "feature_flags",
    "experiments": "experiments",
    "events": "event_definitions",
}
"""By kind of record: its resource in the API."""


def link_to(client: Client, kind: str, id: int | str) -> str:
    """The record's page in the product."""
    return f"{client.host}/project/{client.project}/{PAGES[kind]}/{quote(str(id), safe='')}"


def request_for(client: Client, kind: str, id: int | str) -> str:
    """A request that reads the record; the key comes from the environment."""
    address = shlex.quote(f"{client.host}/api/projects/{client.project}/{RESOURCES[kind]}/{id}/")
    return f'curl -H "Authorization: Bearer $FLAGTUI_API_KEY" {address}'


def command_for(client: Client, profile: str, key: str) -> str:
    """The command that opens this flag; with the host's address where no profile is for it."""
    host = shlex.quote(f"FLAGTUI_HOST={client.host}")
    opened = f"flagtui --profile {shlex.quote(profile)}" if profile else f"env {host} flagtui"
    return f"{opened} --project {client.project} {shlex.quote(f'--flag={key}')}"


def why_not_opened(link: str, environment: Mapping[str, str] = os.environ) -> str:
    """Why the link is shown instead of opened; empty when it can be opened."""
    if not link.startswith("https://"):
        return "only https links are opened"
    if any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY")):
        return "this is another machine than the one you sit at"
    return ""

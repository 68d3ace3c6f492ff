"""Styled pieces of text, links and notices, shared by screens and the command line."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import quote

from msgspec import Struct

from flagtui.store.kinds import KINDS

if TYPE_CHECKING:
    from flagtui.api import Client

Tone = Literal["information", "warning", "error"]


class Notice(Struct, frozen=True):
    """A toast: what happened, what is true now, what to do next; `seconds` is how long it is shown."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0


Look = Literal["plain", "strong", "muted", "faint", "good", "warn", "bad", "info", "special", "track"]
"""The meaning of a piece; the style sheet has its colour."""


Piece = tuple[str, str]
"""Safe text and its style; text from a server must come from `safe_text`."""


CLOSE: Final = "\x1b]8;;\x1b\\"
"""Ends a link (OSC 8)."""
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~%-]+)+")
"""Addresses whose characters cannot end the sequence and need no quoting."""
_WITHOUT: Final = ("", "dumb", "linux", "ansi", "cons25", "sun", "vt")
"""Values of `TERM` without links: the first two exactly, the others as prefixes."""


def shows_links(environment: Mapping[str, str]) -> bool:
    """Return whether links can be sent. Terminals not listed here ignore sequences that they do not know."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or term in _WITHOUT or term.startswith(_WITHOUT[1:]):
        return False
    # GNU screen does not pass links on.
    return "STY" not in environment


def is_own(link: str, host: str) -> bool:
    """Return whether `link` is a page of `host` (https://eu.posthog.com) without control characters."""
    return bool(host) and link.startswith(f"{host}/") and _ADDRESS.fullmatch(link) is not None


def open_link(link: str) -> str:
    """Return the sequence that begins a link; the caller checked it with `is_own`."""
    return f"\x1b]8;;{link}\x1b\\"


def link_text(text: str, link: str) -> str:
    """Return safe text linked to `link`; unchanged without one."""
    return f"{open_link(link)}{text}{CLOSE}" if link and text else text


def with_link(lines: Iterable[list[Piece]], link: str) -> Iterator[list[Piece]]:
    """Yield the lines with their first bold piece, the record's name, linked to its page."""
    for line in lines:
        place = next((place for place, (_, style) in enumerate(line) if style == "bold"), -1) if link else -1
        if place >= 0:
            line = [*line[:place], (line[place][0], f"bold link='{link}'"), *line[place + 1 :]]
            link = ""
        yield line


def link_to(client: "Client", kind: str, id: int | str) -> str:
    """Return the address of the record's page in the product."""
    return f"{client.host}/project/{client.project}/{KINDS[kind].page}/{quote(str(id), safe='')}"


def request_for(client: "Client", kind: str, id: int | str) -> str:
    """Return a curl command that reads the record; the key comes from the environment."""
    address = shlex.quote(f"{client.host}/api/projects/{client.project}/{KINDS[kind].resource}/{id}/")
    return f'curl -H "Authorization: Bearer $FLAGTUI_API_KEY" {address}'


def command_for(client: "Client", profile: str, key: str, embedded_in: str = "") -> str:
    """Return the command that opens this flag, with the host's address if no profile has it.

    `embedded_in` is the command whose process runs the server, such as `demo`.
    """
    if embedded_in:
        return f"flagtui {shlex.quote(f'--flag={key}')} {embedded_in}"
    host = shlex.quote(f"FLAGTUI_HOST={client.host}")
    opened = f"flagtui --profile {shlex.quote(profile)}" if profile else f"env {host} flagtui"
    return f"{opened} --project {client.project} {shlex.quote(f'--flag={key}')}"


def why_not_opened(link: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return why the link is shown instead of opened; empty if it can be opened."""
    if not link.startswith("https://"):
        return "only https links are opened"
    if any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY")):
        return "flagtui runs on another machine"
    return ""

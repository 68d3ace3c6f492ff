"""Words with their style and links, as screens and the command line draw them; what is told in passing."""

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
    """What happened, what is true now, what to do next; shown for a few seconds."""

    text: str
    tone: Tone = "information"
    title: str = ""
    seconds: float = 6.0


Look = Literal["plain", "strong", "muted", "faint", "good", "warn", "bad", "info", "special", "track"]
"""What a piece means; the colour for it is the style sheet's business."""


Piece = tuple[str, str]
"""Safe text and its style; no text of a server may get here unless `safe_text` made it."""


CLOSE: Final = "\x1b]8;;\x1b\\"
"""Ends the link that is open."""
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~%-]+)+")
"""Characters that neither end the sequence nor mean something to what reads the address."""
_WITHOUT: Final = ("", "dumb", "linux", "ansi", "cons25", "sun", "vt")
"""How `TERM` begins where a link would be drawn or lost; the first two are meant whole."""


def shows_links(environment: Mapping[str, str]) -> bool:
    """Whether the terminal can be sent links. All but those named here leave out what they do not know."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or term in _WITHOUT or term.startswith(_WITHOUT[1:]):
        return False
    # GNU screen keeps them to itself.
    return "STY" not in environment


def is_own(link: str, host: str) -> bool:
    """Whether this is a page of `host`, such as https://eu.posthog.com, and nothing a terminal obeys."""
    return bool(host) and link.startswith(f"{host}/") and _ADDRESS.fullmatch(link) is not None


def open_link(link: str) -> str:
    """What begins a link; the caller has made sure that it is the server's own."""
    return f"\x1b]8;;{link}\x1b\\"


def linked(text: str, link: str) -> str:
    """Safe text that leads to `link`; as it is without one."""
    return f"{open_link(link)}{text}{CLOSE}" if link and text else text


def with_link(lines: Iterable[list[Piece]], link: str) -> Iterator[list[Piece]]:
    """The lines with what is called the record, their first bold piece, leading to its page."""
    for line in lines:
        place = next((place for place, (_, style) in enumerate(line) if style == "bold"), -1) if link else -1
        if place >= 0:
            line = [*line[:place], (line[place][0], f"bold link='{link}'"), *line[place + 1 :]]
            link = ""
        yield line


def link_to(client: "Client", kind: str, id: int | str) -> str:
    """The record's page in the product."""
    return f"{client.host}/project/{client.project}/{KINDS[kind].page}/{quote(str(id), safe='')}"


def request_for(client: "Client", kind: str, id: int | str) -> str:
    """A request that reads the record; the key comes from the environment."""
    address = shlex.quote(f"{client.host}/api/projects/{client.project}/{KINDS[kind].resource}/{id}/")
    return f'curl -H "Authorization: Bearer $FLAGTUI_API_KEY" {address}'


def command_for(client: "Client", profile: str, key: str, embedded_in: str = "") -> str:
    """The command that opens this flag; with the host's address where no profile is for it.

    `embedded_in` is the command that has the server in its process, such as `demo`.
    """
    if embedded_in:
        return f"flagtui {shlex.quote(f'--flag={key}')} {embedded_in}"
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

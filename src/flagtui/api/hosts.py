"""The host, the form of the key, and the only place that adds the key to a request: one for that host."""

from __future__ import annotations

import ipaddress
import re
from typing import Final, Protocol
from urllib.parse import SplitResult, urlsplit

import msgspec

from flagtui.api.errors import BadHost, BadKey, PlainHttpRefused
from flagtui.api.http_library import httpx
from flagtui.safe_text import KEY_STARTS, safe_text

REGIONS: Final = {"us": "us.posthog.com", "eu": "eu.posthog.com"}
_PORTS: Final = {"https": 443, "http": 80}
_PAGE: Final = re.compile(r"/?|/(?:api|project)(?:/.*)?")
"""Paths of the product itself, as they are copied from a browser."""
_KEY_FORM: Final = re.compile(r"[\x21-\x7e]{3,512}")


class Host(msgspec.Struct, frozen=True):
    """Scheme, name and port: the key belongs to all three."""

    scheme: str
    name: str
    port: int
    notice: str = ""
    """A sentence shown when another host is used than the one given."""

    @property
    def origin(self) -> str:
        """Return the origin, such as https://eu.posthog.com, without default port and final slash."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{name}{port}"

    @property
    def address(self) -> str:
        """Return the origin without its scheme: `eu.posthog.com`, `localhost:8000`."""
        return self.origin.partition("://")[2]

    @property
    def region(self) -> str:
        """Return `us` or `eu`; empty for a server that is not the cloud."""
        name = "us.posthog.com" if self.name == "app.posthog.com" else self.name
        return next((region for region, cloud in REGIONS.items() if cloud == name), "")

    @property
    def other_region(self) -> str:
        """Return the other cloud region; empty for other hosts."""
        return {"us": "eu", "eu": "us"}.get(self.region, "")

    def __str__(self) -> str:
        return self.origin


def read_host(text: str, *, allow_plain_http: bool = False) -> Host:
    """Return the host for `us`, `eu` or an address; paths such as /project/12 are ignored.

    Raises `BadHost`, or `PlainHttpRefused` for http to anything but this machine.
    """
    text = text.strip()
    if text.startswith(KEY_STARTS):
        # Neither a message nor a name server gets it.
        raise BadHost("This is a key, not a host.")
    name = REGIONS.get(text.lower(), text)
    scheme, parsed, name = _read_address(name)
    if scheme not in _PORTS:
        raise BadHost(f"{safe_text(scheme, 20)} is not a way to reach a server.")
    if parsed.username is not None or parsed.password is not None:
        raise BadHost("The host must not hold a name or a password.")
    notice = ""
    if name.endswith(".i.posthog.com"):
        name = f"{name.removesuffix('.i.posthog.com')}.posthog.com"
        notice = f"{parsed.hostname} only takes events in; using {name}."
    elif not _PAGE.fullmatch(parsed.path):
        path, place = safe_text(parsed.path, 80), safe_text(parsed.netloc, 80)
        notice = f"The path {path} is not used; requests go to {place}/api/."
    if scheme == "http" and not (allow_plain_http or is_loopback(name)):
        raise PlainHttpRefused(f"{safe_text(name, 80)} would be reached without encryption.")
    return Host(scheme, name, parsed.port or _PORTS[scheme], notice)


def is_loopback(name: str) -> bool:
    """Return whether the name is a literal loopback: names may resolve elsewhere tomorrow."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _read_address(text: str) -> tuple[str, SplitResult, str]:
    if not text or not text.isascii() or not text.isprintable() or any(sign in text for sign in " \\"):
        raise BadHost("The host is empty or holds characters no address has.")
    if "://" not in text:
        bare = urlsplit(f"//{text}").hostname or ""
        text = f"{'http' if is_loopback(bare) else 'https'}://{text}"
    try:
        parsed = urlsplit(text)
        name = (parsed.hostname or "").rstrip(".")
        port_is_fine = parsed.port is None or parsed.port > 0
    except ValueError:
        raise BadHost("The host is not an address.") from None
    if not name or not port_is_fine:
        raise BadHost("The host is not an address.")
    return parsed.scheme, parsed, name


class SecretKey(Protocol):
    """An object that holds a key without showing it, such as `Secret`."""

    def get_secret_value(self) -> str: ...


class KeyAuth:
    """Add the key to a request, only for the host that the user confirmed."""

    def __init__(self, host: Host, key: str | SecretKey) -> None:
        self._host = host
        self._key = read_key(key)

    def __repr__(self) -> str:
        return f"KeyAuth({self._host.origin})"

    def __call__(self, request: httpx.Request) -> httpx.Request:
        if not self.is_for(request.url):
            raise BadHost(f"A request was about to leave {self._host.origin}; it was stopped.")
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request

    def redact(self, body: bytes) -> bytes:
        """Return a response body without the key: some servers echo the request they refuse."""
        return body.replace(self._key.encode("ascii"), b"[the key]")

    def is_for(self, url: httpx.URL) -> bool:
        """Return whether the key may go to this address: same scheme, name and port as the host."""
        port = url.port or {"https": 443, "http": 80}.get(url.scheme)
        return (url.scheme, url.host, port) == (self._host.scheme, self._host.name, self._host.port)

    def for_host(self, host: Host) -> KeyAuth:
        """Return the same key for another host that the user has confirmed."""
        return KeyAuth(host, self._key)


def read_key(key: str | SecretKey) -> str:
    """Return the key without the white space that comes with pasting.

    Raises `BadKey`, which never shows the key.
    """
    text = (key if isinstance(key, str) else key.get_secret_value()).strip()
    if text.startswith("phc_"):
        raise BadKey("This is the public project token (phc_), which only sends events; it is not a key.")
    if not text:
        raise BadKey("There is no API key.")
    if not _KEY_FORM.fullmatch(text):
        raise BadKey("This cannot be an API key: a key is 3 to 512 plain characters without spaces.")
    return text

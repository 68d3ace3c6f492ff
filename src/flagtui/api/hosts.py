"""The host, and whether the key may travel there."""

import ipaddress
from typing import Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from flagtui.api.errors import BadHost, PlainHttpRefused
from flagtui.safe_text import safe_text

REGIONS: Final = {"us": "us.posthog.com", "eu": "eu.posthog.com"}
_PORTS: Final = {"https": 443, "http": 80}


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

    @property
    def is_loopback(self) -> bool:
        """Return whether the host is literally this machine."""
        return is_loopback(self.name)

    def __str__(self) -> str:
        return self.origin


def read_host(text: str, *, allow_plain_http: bool = False) -> Host:
    """Return the host for `us`, `eu` or an address; paths such as /project/12 are ignored.

    Raises `BadHost`, or `PlainHttpRefused` for http to anything but this machine.
    """
    text = text.strip()
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

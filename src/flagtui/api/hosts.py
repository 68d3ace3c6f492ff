"""Which server is meant, and whether the key may travel there."""

import ipaddress
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from flagtui.api.errors import BadHost, PlainHttpRefused
from flagtui.safe_text import safe_text

REGIONS: Final = {"us": "us.posthog.com", "eu": "eu.posthog.com"}
_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Host:
    """Scheme, name and port: what a key belongs to."""

    scheme: str
    name: str
    port: int
    notice: str = ""
    """A sentence when another host was meant than the one given."""

    @property
    def origin(self) -> str:
        """Such as https://eu.posthog.com, without the usual port and a final slash."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{name}{port}"

    @property
    def region(self) -> str:
        """`us`, `eu`, or nothing for a server that is not the cloud."""
        name = "us.posthog.com" if self.name == "app.posthog.com" else self.name
        return next((region for region, cloud in REGIONS.items() if cloud == name), "")

    @property
    def other_region(self) -> str:
        """The cloud region this is not."""
        return {"us": "eu", "eu": "us"}.get(self.region, "")

    @property
    def is_loopback(self) -> bool:
        """Whether it is literally this machine."""
        return is_loopback(self.name)

    def __str__(self) -> str:
        return self.origin


def read_host(text: str, *, allow_plain_http: bool = False) -> Host:
    """The host meant by `us`, `eu` or an address; paths such as /project/12 are left out.

    Raises `BadHost`, or `PlainHttpRefused` for http to anything but this machine.
    """
    text = text.strip()
    name = REGIONS.get(text.lower(), text)
    scheme, found, name = _read_address(name)
    if scheme not in _PORTS:
        raise BadHost(f"{safe_text(scheme, 20)} is not a way to reach a server.")
    if found.username is not None or found.password is not None:
        raise BadHost("The host must not hold a name or a password.")
    notice = ""
    if name.endswith(".i.posthog.com"):
        name = f"{name.removesuffix('.i.posthog.com')}.posthog.com"
        notice = f"{found.hostname} only takes events in; using {name}."
    if scheme == "http" and not (allow_plain_http or is_loopback(name)):
        raise PlainHttpRefused(f"{safe_text(name, 80)} would be reached without encryption.")
    return Host(scheme, name, found.port or _PORTS[scheme], notice)


def is_loopback(name: str) -> bool:
    """Literal loopback only: a name that today leads to this machine may lead elsewhere tomorrow."""
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
        found = urlsplit(text)
        name = (found.hostname or "").rstrip(".")
        port_is_fine = found.port is None or found.port > 0
    except ValueError:
        raise BadHost("The host is not an address.") from None
    if not name or not port_is_fine:
        raise BadHost("The host is not an address.")
    return found.scheme, found, name

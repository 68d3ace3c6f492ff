"""The key: its form, and the only place that adds it to a request."""

from __future__ import annotations

import re
from typing import Final, Protocol

from flagtui.api.errors import BadHost, BadKey
from flagtui.api.hosts import Host
from flagtui.api.http_library import httpx

_KEY_FORM: Final = re.compile(r"[\x21-\x7e]{3,512}")


class SecretKey(Protocol):
    """An object that holds a key without showing it, such as `config.secret`."""

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

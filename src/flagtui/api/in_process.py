"""A service in this process, asked without a socket."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from flagtui.api.http_library import httpx

Application = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]
"""An ASGI application."""


def in_process(application: Application) -> httpx.AsyncBaseTransport:
    """A transport for `Client` that hands requests to the application; its faults are answers."""
    return httpx.ASGITransport(application, raise_app_exceptions=False)

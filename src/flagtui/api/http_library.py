"""The one place that names the HTTP library: httpx, or httpx2, which continues it with the same interface.

`FLAGTUI_HTTP` names one; otherwise it is the first that is installed. The rest of the program takes it from
here, and so does who makes a transport for `Client`: the two do not know each other's classes. It takes long
to load, and is loaded when it is first used: saying what can be asked needs none of it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["LIBRARIES", "httpx", "in_process", "load_library"]

LIBRARIES: Final = ("httpx", "httpx2")


def load_library(named: str) -> ModuleType:
    """The library of this name, or any of them for an empty one. Raises ImportError in words."""
    if named not in ("", *LIBRARIES):
        raise ImportError(f"FLAGTUI_HTTP is {named!r}; it can be {' or '.join(LIBRARIES)}.")
    for name in (named,) if named else LIBRARIES:
        # Its own command line, which it loads when it can, takes half as long again with all it brings.
        sys.modules.setdefault(f"{name}._main", None)  # type: ignore[arg-type]  # not to be loaded
        try:
            return import_module(name)
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
    wanted = named or LIBRARIES[0]
    raise ImportError(f"{wanted} is not installed; pip install {wanted} puts it beside flagtui.")


class _Library:
    def __getattr__(self, name: str) -> Any:
        return getattr(load_library(os.environ.get("FLAGTUI_HTTP", "")), name)


if TYPE_CHECKING:
    import httpx
else:
    httpx = _Library()

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

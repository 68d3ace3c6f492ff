"""The only module that names the HTTP library: httpx, or httpx2, which continues its interface.

`FLAGTUI_HTTP` names one; the default is the first that is installed. All other modules import it from here,
and so does code that makes a transport for `Client`: the two libraries do not share classes. It loads on
first use because that takes long, and listing the operations does not need it.
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
    """Return the library of this name, or any installed one for an empty name. Raises ImportError."""
    if named not in ("", *LIBRARIES):
        raise ImportError(f"FLAGTUI_HTTP is {named!r}; it can be {' or '.join(LIBRARIES)}.")
    for name in (named,) if named else LIBRARIES:
        # Its own command line, which it imports when possible, adds half as much time again.
        sys.modules.setdefault(f"{name}._main", None)  # type: ignore[arg-type]  # not to be loaded
        try:
            return import_module(name)
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
    library = named or LIBRARIES[0]
    raise ImportError(f"{library} is not installed; pip install {library} puts it beside flagtui.")


class _Library:
    def __getattr__(self, name: str) -> Any:
        value = getattr(load_library(os.environ.get("FLAGTUI_HTTP", "")), name)
        # Found there from now on: every request uses a dozen of these names.
        self.__dict__[name] = value
        return value


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
    """Return a transport for `Client` that calls the application; its exceptions become responses."""
    return httpx.ASGITransport(application, raise_app_exceptions=False)

"""The client of the HTTP API. Names load on first use because httpx takes long to import."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from flagtui.api.client import Client
    from flagtui.api.connection import Deadlines

__all__ = ["Client", "Deadlines"]

_HOMES: Final = {"Client": "client", "Deadlines": "connection"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"flagtui.api.{_HOMES[name]}"), name)
    raise AttributeError(name)

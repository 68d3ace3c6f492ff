"""How to ask the server. `Client` is loaded when first named, because httpx takes long to load."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flagtui.api.client import Client
    from flagtui.api.connection import Deadlines

__all__ = ["Client", "Deadlines"]


def __getattr__(name: str) -> Any:
    if name == "Client":
        from flagtui.api.client import Client

        return Client
    if name == "Deadlines":
        from flagtui.api.connection import Deadlines

        return Deadlines
    raise AttributeError(name)

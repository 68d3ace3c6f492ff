"""Who wants to hear how a change goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flagtui.app.saving import Ended


def unheard(*_said: object) -> None:
    """For whoever does not want to hear."""


@dataclass(frozen=True)
class Listener:
    """What to call at each turn."""

    approved: Callable[[], None] = unheard
    """A person said yes."""
    ended: Callable[[Ended], None] = unheard
    """What was approved has come to an end, good or bad."""
    place: str = ""
    """Where it happens, when that is not the project on screen."""


NOBODY: Final = Listener()

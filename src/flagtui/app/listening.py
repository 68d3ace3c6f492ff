"""Who wants to hear how a change goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flagtui.app.saving import Ended
    from flagtui.changes.consequences import Consequence


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
    project: int | None = None
    """The number of that other project."""
    told: Sequence[Consequence] = ()
    """What the question about a new flag says besides."""


NOBODY: Final = Listener()

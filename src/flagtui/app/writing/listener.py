"""Who wants to hear how a change goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flagtui.store.load_progress import RecordId

if TYPE_CHECKING:
    from flagtui.app.writing.optimistic_save import FlagsEnded
    from flagtui.changes.left_out import LeftOut


Saved = Callable[[Collection[RecordId]], None]
"""Hears which records are as they were meant to be, so that their marks can go."""


def unheard(*_said: object) -> None:
    """Default callback: does nothing."""


@dataclass(frozen=True)
class Listener:
    """What to call at each turn."""

    saved: Saved = unheard
    """What was changed, as soon as that is known."""
    ended: Callable[[FlagsEnded], None] = unheard
    """What was approved has come to an end, good or bad."""
    place: str = ""
    """Where it happens, when that is not the project on screen."""
    project: int | None = None
    """The number of that other project."""
    left_out: Sequence[LeftOut] = ()
    """What was chosen as well and cannot be changed like this."""


NOBODY: Final = Listener()

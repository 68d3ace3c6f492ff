"""Who wants to hear how a change goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flagtui.store.load_progress import RecordId

if TYPE_CHECKING:
    from flagtui.changes.guard import Purpose
    from flagtui.changes.pipeline import Ended
    from flagtui.changes.proposal import LeftOut


Saved = Callable[[Collection[RecordId]], None]
"""Hears which records are as they were meant to be, so that their marks can go."""


def unheard(*_said: object) -> None:
    """Default callback: does nothing."""


@dataclass(frozen=True)
class Listener:
    """What to call at each turn."""

    saved: Saved = unheard
    """What was changed, as soon as that is known."""
    ended: Callable[[Ended[Any, Any]], None] = unheard
    """What was approved has come to an end, good or bad."""
    left_out: Sequence[LeftOut] = ()
    """What was chosen as well and cannot be changed like this."""
    purpose: Purpose | None = None
    """An undo or a redo."""


NOBODY: Final = Listener()

"""What became of changes that an earlier run left open: found out by reading, and told."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from flagtui.app.desk import Desk
from flagtui.app.explain import left_open
from flagtui.app.notices import Notice
from flagtui.changes.entries import Signature
from flagtui.changes.journal import JournalUnwritable
from flagtui.store.workspace import Workspace


class FoundOut(Protocol):
    """What the server says today about one of them."""

    @property
    def words(self) -> str: ...
    @property
    def is_known(self) -> bool: ...


Recover = Callable[[Workspace, Signature], Awaitable[Sequence[FoundOut]]]
"""Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""


async def look_back(desk: Desk, recover: Recover, tell: Callable[[Notice], None]) -> None:
    """Have it found out for the project that is open, and tell it."""
    workspace = desk.workspace
    if workspace is None:
        return
    try:
        found = await recover(workspace, desk.signature(workspace))
    except JournalUnwritable as fault:
        tell(Notice(f"The journal cannot be written: {fault}", "error"))
        return
    for one in found:
        tell(left_open(one.words, is_known=one.is_known))

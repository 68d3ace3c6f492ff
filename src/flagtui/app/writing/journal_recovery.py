"""What became of changes that an earlier run left open: found out by reading, and told."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from flagtui.app.state.app_state import AppState
from flagtui.changes.journal import JournalUnwritable
from flagtui.changes.journal_entries import Signature
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice
from flagtui.text.outcomes import left_open


class FoundOut(Protocol):
    """What the server says today about one of them."""

    @property
    def words(self) -> str: ...
    @property
    def is_known(self) -> bool: ...


Recover = Callable[[Workspace, Signature], Awaitable[Sequence[FoundOut]]]
"""Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""


async def recover_unresolved(app_state: AppState, recover: Recover, tell: Callable[[Notice], None]) -> None:
    """Have it found out for the project that is open, and tell it."""
    workspace = app_state.workspace
    if workspace is None:
        return
    try:
        found = await recover(workspace, app_state.signature(workspace))
    except JournalUnwritable as fault:
        tell(Notice(f"The journal cannot be written: {fault}", "error"))
        return
    for one in found:
        tell(left_open(one.words, is_known=one.is_known))

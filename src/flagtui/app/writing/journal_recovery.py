"""What became of changes that an earlier run left open: found out by reading, and told."""

from collections.abc import Callable

from flagtui.app.state.app_state import AppState
from flagtui.changes.journal import JournalUnwritable
from flagtui.changes.recovery import recover_all
from flagtui.text.notices import Notice
from flagtui.text.outcomes import left_open


async def recover_unresolved(app_state: AppState, tell: Callable[[Notice], None]) -> None:
    """Have it found out for the project that is open, for every kind of record, and tell it."""
    workspace = app_state.workspace
    if workspace is None:
        return
    journal, here = app_state.session.journal, app_state.signature(workspace)
    try:
        found = await recover_all(journal, workspace.client, here)
    except JournalUnwritable as fault:
        tell(Notice(f"The journal cannot be written: {fault}", "error"))
        return
    for one in found:
        tell(left_open(one.words, is_known=one.is_known))

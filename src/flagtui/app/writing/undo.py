"""Undo and redo of this person's changes, of whatever kind of record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.listener import Listener
from flagtui.app.writing.undo_planner import UndoPlanner
from flagtui.changes.guard import Purpose
from flagtui.changes.undo import SURPRISING, next_redo, next_undo, questions_of, undo_words, why_not
from flagtui.text.formats import ago
from flagtui.text.notices import Notice
from flagtui.text.outcomes import explain_blocked, explain_error

if TYPE_CHECKING:
    from flagtui.app.writing.screens import Screens
    from flagtui.changes.journal_entries import Entry


async def undo_newest(app_state: AppState, changes: Screens, *, is_redo: bool) -> None:
    """What `u` or `U` is about. Only within `Changes.run`."""
    if (workspace := changes.open_workspace()) is None:
        return
    entries = await asyncio.to_thread(app_state.session.journal.entries)
    here = app_state.signature(workspace)
    found = next_redo(entries, here) if is_redo else next_undo(entries, here, changes.passed)
    if found:
        await undo_entries(found, app_state, changes, is_newest=True, is_redo=is_redo)
        return
    nothing = "Nothing of yours is left to undo in this project."
    if is_redo:
        nothing = "There is nothing to redo: nothing was undone since your last change."
    changes.tell(Notice(nothing))


async def undo_entries(
    found: Sequence[Entry],
    app_state: AppState,
    changes: Screens,
    *,
    is_newest: bool = False,
    is_redo: bool = False,
) -> None:
    """Take back these changes; what follows is not asked about when one was not done.

    Of `is_newest` a pause of hours is said, since it may not be the change that the person has in mind.
    """
    if (workspace := changes.open_workspace()) is None:
        return
    refusal = why_not(found[0], app_state.signature(workspace))
    if refusal is not None:
        told = explain_blocked(refusal, f"{found[0].key}, {found[0].verb}")
        changes.tell(Notice(f"{told.text}\nJ, z takes back any other change.", told.tone, told.title))
        return
    entries = await asyncio.to_thread(app_state.session.journal.entries)
    now = app_state.session.clock()
    is_long_ago = is_newest and now - found[0].at > SURPRISING
    purpose = Purpose(
        "Redo" if is_redo else "Undo",
        undo_words(found, is_redo=is_redo),
        ago(found[0].at, now) if is_long_ago else "",
    )
    try:
        questions = await questions_of(found, entries, workspace.client, purpose)
    except ApiError as error:
        if await changes.signing_in.helps(error):
            await undo_entries(found, app_state, changes, is_newest=is_newest, is_redo=is_redo)
        else:
            changes.tell(explain_error(error, found[0].key))
        return
    for together, asked in questions:
        planner = UndoPlanner(app_state, workspace, entries=entries)
        ended = await changes.write(together, planner, Listener(purpose=asked))
        if ended is None or not ended.is_saved:
            return
        if not ended.outcomes:
            changes.passed |= {part.undoes.id for part in together}

"""Determine by reading what became of changes that an earlier run left open, of every kind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.entry_kind import Recovery, RecoveryVerdict
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Signature
from flagtui.changes.unanswered import WATCH_FOR
from flagtui.changes.undo import kind_of

if TYPE_CHECKING:
    from flagtui.changes.overrides.override_plan import OverrideMirror

ENDINGS: Final[Mapping[RecoveryVerdict, Ending]] = {
    "applied": "saved",
    "not applied": "failed",
    "gone": "failed",
}
"""Final verdicts; entries with another one stay open."""


async def recover_all(
    journal: Journal, client: Client, here: Signature, mirror: OverrideMirror | None = None
) -> list[Recovery]:
    """Look up the open entries of this project, or of this mirror, and close those with a final verdict.

    Within a minute of the request the server may still apply it. Raises `JournalUnwritable`.
    """
    now, place = journal.clock(), (here.host, here.project)
    recoveries: list[Recovery] = []
    for entry in await asyncio.to_thread(journal.unresolved):
        if (entry.signature.host, entry.signature.project) != place:
            continue
        # An entry of the future was written before the clock was set back.
        if_absent: RecoveryVerdict = "not applied" if abs(now - entry.at) > WATCH_FOR else "not known"
        try:
            kind = kind_of(entry.kind)
            if mirror is None:
                recovery = await kind.look(entry, client, if_absent)
            else:
                recovery = await kind.look_in_mirror(entry, mirror, if_absent)
        except ApiError:
            recovery = Recovery(entry, "not known")
        if (ending := ENDINGS.get(recovery.verdict)) is not None:
            note = f"found {recovery.verdict} at the next start"
            await asyncio.to_thread(
                journal.finish, entry.id, ending, recovery.record, note, recovery.server_values
            )
        recoveries.append(recovery)
    return recoveries

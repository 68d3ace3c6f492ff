"""Determine by reading what became of changes that an earlier run left open, of every kind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.entry_kind import Recovery, RecoveryVerdict
from flagtui.changes.journal import RECOVERY_WINDOW, Journal, JournalUnwritable, Numbered
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.changes.planner import read_each
from flagtui.changes.unanswered import FLAG_ALONE, WATCH_FOR, refusal_of
from flagtui.changes.undo import kind_of, next_undo
from flagtui.models.flag_responses import ChangeRequest

if TYPE_CHECKING:
    from flagtui.changes.overrides.override_plan import OverrideMirror

ENDINGS: Final[Mapping[RecoveryVerdict, Ending]] = {
    "applied": "saved",
    "not applied": "failed",
    "gone": "failed",
}
"""Final verdicts; entries with another one stay open."""

OTHER_VALUES: Final = "the earlier request was applied, and it was for other values"


async def recover_all(
    journal: Journal, client: Client, here: Signature, mirror: OverrideMirror | None = None
) -> list[Recovery]:
    """Look up the open entries of this project, or of this mirror, and close those with a final verdict.

    Those that waited for approval are closed when it was decided on them. Raises `JournalUnwritable`.
    """
    recent = await asyncio.to_thread(journal.entries, journal.clock() - RECOVERY_WINDOW)
    return await _settle(journal, client, here, recent, mirror)


async def read_for_undo(
    journal: Journal,
    client: Client,
    here: Signature,
    is_meant: Callable[[Entry], bool] | None = None,
    report: Callable[[Recovery], None] = lambda _recovery: None,
) -> list[Entry]:
    """Return all of the journal, newest first; changes whose outcome was open are looked up before.

    Those that waited for approval are, too. Without `is_meant`, they are those after the newest change that
    can be undone, and those confirmed together with it. `report` receives each that has its outcome now.
    """
    entries = await asyncio.to_thread(journal.entries)
    if is_meant is None:
        newest = next_undo(entries, here)
        first = max((entry.at for entry in newest), default=journal.clock() - RECOVERY_WINDOW)
        batches = {entry.batch for entry in newest} - {""}
        meant = [entry for entry in entries if entry.at > first or entry.batch in batches]
    else:
        meant = [*filter(is_meant, entries)]
    # One of this process without an ending is in flight.
    meant = [entry for entry in meant if entry.ending or entry.pid != os.getpid()]
    # Where the journal cannot be written, the outcome stays open.
    with suppress(JournalUnwritable):
        recoveries = await _settle(journal, client, here, meant)
        settled = [recovery for recovery in recoveries if recovery.verdict in ENDINGS]
        for recovery in settled:
            report(recovery)
        if settled:
            return await asyncio.to_thread(journal.entries)
    return entries


async def _settle(
    journal: Journal,
    client: Client,
    here: Signature,
    entries: Sequence[Entry],
    mirror: OverrideMirror | None = None,
) -> list[Recovery]:
    """Look up the open ones of these entries of this place, and close those with a final verdict.

    Within a minute of the request the server may still apply it. Raises `JournalUnwritable`.
    """
    now, place, ids = journal.clock(), (here.host, here.project), {entry.id for entry in entries}
    recoveries = [] if mirror is not None else await _settle_waiting(journal, client, here, entries)
    for entry in await asyncio.to_thread(journal.unresolved):
        if entry.id not in ids or (entry.signature.host, entry.signature.project) != place:
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
            await _close(journal, recovery, ending, f"looked up later: {recovery.verdict}")
        recoveries.append(recovery)
    return recoveries


async def _close(journal: Journal, recovery: Recovery, ending: Ending, note: str) -> None:
    id, record = recovery.entry.id, recovery.record
    await asyncio.to_thread(journal.finish, id, ending, record, note, recovery.server_values)


async def _settle_waiting(
    journal: Journal, client: Client, here: Signature, entries: Sequence[Entry]
) -> list[Recovery]:
    """Close the entries of this project that wait for approval no longer; return those.

    Raises `JournalUnwritable`.
    """
    place = (here.host, here.project)
    waiting = [
        entry
        for entry in entries
        if entry.ending == "awaiting approval" and (entry.signature.host, entry.signature.project) == place
    ]
    looked = await read_each(waiting, lambda entry: _what_became_of(entry, client))
    settled = [recovery for _, recovery in looked if recovery is not None]
    for recovery in settled:
        if recovery.refusal:
            await _close(journal, recovery, "refused", recovery.refusal)
        else:
            await _close(journal, recovery, "saved", "waited for approval, and was found applied later")
    return settled


async def _what_became_of(entry: Entry, client: Client) -> Recovery | None:
    """Return what became of a change that waited for approval; None while that is open or not known.

    Where its request cannot be read, the record shows whether the change was applied.
    """
    request: ChangeRequest | None = None
    is_earlier = False
    if entry.request is not None:
        is_earlier = entry.request.is_earlier
        with suppress(ApiError):
            request = await client.change_requests.get(entry.request.id)
            if request.is_open:
                return None
            if refusal := refusal_of(request, entry.request):
                return Recovery(entry, "not applied", refusal=refusal)
    is_applied = request is not None and request.is_applied
    kind = kind_of(entry.kind)
    if request is not None and is_applied and not is_earlier and kind.is_approved_whole:
        id = entry.uuid or entry.record or request.record_id
        return Recovery(entry, "applied", Numbered(id, request.version))
    with suppress(ApiError):
        recovery = await kind.look(entry, client, "not known")
        if recovery.verdict == "applied":
            return recovery
        if is_applied:
            return Recovery(entry, "not applied", refusal=OTHER_VALUES if is_earlier else FLAG_ALONE)
    return None

"""Flags as they are now, for what is asked about them: read again, or why not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.changes.proposal import LeftOut
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.text.outcomes import explain_error

AT_ONCE: Final = 8
"""Flags that are read at the same time."""


async def read_flag(row: FlagRow, app_state: AppState, changing: Changes) -> Flag | None:
    """The whole flag as it is now; None, and said, when it cannot be read. Only within a worker."""
    if app_state.workspace is None:
        return None
    try:
        with changing.reading(row.key):
            flag = await app_state.workspace.client.flags.get(row.id)
    except ApiError as error:
        if await changing.signing_in.helps(error):
            return await read_flag(row, app_state, changing)
        changing.tell(explain_error(error, row.key))
        return None
    if app_state.inspector is not None:
        app_state.inspector.cohorts.hear(flag)
    return flag


async def read_flags(
    rows: Sequence[FlagRow], app_state: AppState, changing: Changes
) -> tuple[list[Flag], list[LeftOut]]:
    """Flags as they are now, and of many those that cannot be read; of one that is said.

    Only within a worker.
    """
    if len(rows) == 1:
        flag = await read_flag(rows[0], app_state, changing)
        return ([] if flag is None else [flag]), []
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(row: FlagRow) -> Flag | LeftOut:
        async with turn:
            return await _read_or_left_out(row, app_state, changing)

    found = await asyncio.gather(*map(one, rows))
    flags = [each for each in found if not isinstance(each, LeftOut)]
    return flags, [each for each in found if isinstance(each, LeftOut)]


async def _read_or_left_out(row: FlagRow, app_state: AppState, changing: Changes) -> Flag | LeftOut:
    if app_state.workspace is None:
        return LeftOut(row.id, row.key, "there is no connection")
    try:
        flag = await app_state.workspace.client.flags.get(row.id)
    except ApiError as error:
        if await changing.signing_in.helps(error):
            return await _read_or_left_out(row, app_state, changing)
        return LeftOut(row.id, row.key, error.what.rstrip("."), error.next.rstrip("."))
    if app_state.inspector is not None:
        app_state.inspector.cohorts.hear(flag)
    return flag

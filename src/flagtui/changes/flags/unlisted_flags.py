"""Flags that a change depends on and that no loaded list has: read one by one, or many from lists."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Final

from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.api.flags import Flags
from flagtui.changes.planner import PATIENCE, read_each
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow

READ_ALONE: Final = 50
"""Flags up to which each is read on its own; a list has at least a hundred in a response."""
LISTS: Final[Sequence[Mapping[str, str]]] = ({"archived": "true"}, {})
"""The short list first: flags that are not loaded are archived, most of them."""

GetFlag = Callable[[int], Awaitable[Flag]]


async def rows_of(get: GetFlag, ids: Sequence[int]) -> list[FlagRow]:
    """Read the flags with these ids, a few at a time; those that cannot be read are missing."""

    async def read(id: int) -> FlagRow | None:
        try:
            return (await get(id)).row()
        except ApiError:
            return None

    return [row for _, row in await read_each(ids, read) if row is not None]


async def rows_in_lists(
    flags: Flags, get: GetFlag, ids: Sequence[int], patience: float = PATIENCE
) -> list[FlagRow]:
    """Return what `rows_of` returns, many flags with few requests: from lists, the others one by one.

    A question does not wait longer than `patience` seconds for many; late ones are missing.
    """
    if len(ids) <= READ_ALONE:
        return await rows_of(get, ids)
    rows: dict[int, FlagRow] = {}

    async def read(id: int) -> None:
        with suppress(ApiError):
            rows[id] = (await get(id)).row()

    with suppress(ApiError, TimeoutError):
        async with asyncio.timeout(patience):
            with suppress(ApiError):
                await _read_lists(flags, frozenset(ids), rows)
            await read_each([id for id in ids if id not in rows], read)
    return [rows[id] for id in ids if id in rows]


async def _read_lists(flags: Flags, ids: frozenset[int], rows: dict[int, FlagRow]) -> None:
    """Add the rows of these flags until all of them are there. Raises ApiError."""
    for filters in LISTS:
        async with aclosing(aiter(flags.pages(filters, urgency=Urgency.PERSON))) as pages:
            async for page in pages:
                rows.update((row.id, row) for row in page.rows if row.id in ids)
                if len(rows) == len(ids):
                    return

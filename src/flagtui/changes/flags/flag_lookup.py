"""Flags read by their numbers, or found by their keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

from flagtui.api.errors import ApiError
from flagtui.models.flag import Flag
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flagtui.api.request import Query

SEARCHABLE: Final = 200
"""Characters a server takes to search for; a key can have more."""


class FlagReader(Protocol):
    """Reads one flag, and finds one by its key: `client.flags`."""

    async def get(self, id: int) -> Flag: ...

    async def page(self, filters: Query | None = None) -> RowPage[FlagRow]: ...


async def find(key: str, flags: FlagReader) -> Flag | None:
    """The flag with exactly this key, or None when there is none. Raises `ApiError`."""
    offset = 0
    while True:
        page = await flags.page({"search": key[:SEARCHABLE], "limit": 100, "offset": offset or None})
        for row in page.rows:
            if row.key == key:
                return await flags.get(row.id)
        offset += page.size
        if not page.size or offset >= page.total:
            return None


async def rows_of(flags: FlagReader, ids: Sequence[int]) -> list[FlagRow]:
    """The flags with these ids, as far as they can be read."""

    async def one(id: int) -> FlagRow | None:
        try:
            return (await flags.get(id)).row()
        except ApiError:
            return None

    found = await asyncio.gather(*map(one, ids))
    return [row for row in found if row is not None]

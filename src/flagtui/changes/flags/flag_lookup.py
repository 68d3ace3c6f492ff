"""Flags read by their numbers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flagtui.api.flags import Flags
    from flagtui.models.rows import FlagRow


async def rows_of(flags: Flags, ids: Sequence[int]) -> list[FlagRow]:
    """The flags with these ids, as far as they can be read."""

    async def one(id: int) -> FlagRow | None:
        try:
            return (await flags.get(id)).row()
        except ApiError:
            return None

    found = await asyncio.gather(*map(one, ids))
    return [row for row in found if row is not None]

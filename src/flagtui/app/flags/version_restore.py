"""Going back: a whole older version brought back, as a guarded change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.targeting_intents import older_version

if TYPE_CHECKING:
    from flagtui.api import Client


class CannotRevert(ValueError):
    """There is no way back from this entry; the text says why."""


async def intent_to_return(record: int, version: int, client: Client) -> Intent:
    """The flag as it was at that version. Raises CannotRevert and ApiError."""
    flag = await client.flags.get(record)
    if flag.version == version:
        raise CannotRevert(f"it is at version {version} already")
    found = await client.flags.version(record, version)
    return older_version(flag, version, found.raw)

"""What a machine does to the program for a few seconds at a time: a full disk, a database held by another."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Final

from tests.doubles.full_disk import full_disk

WELL_SECONDS: Final = 4.0
ILL_SECONDS: Final = 7.0
"""Longer than SQLite waits for a lock."""


async def trouble(kind: str, database: Path) -> None:
    """Go on for ever: well for a while, then ill."""
    while True:
        await asyncio.sleep(WELL_SECONDS)
        if kind == "full":
            with full_disk():
                await asyncio.sleep(ILL_SECONDS)
        elif kind == "locked":
            await _lock(database)


async def _lock(database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None, timeout=0.0)
    try:
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(ILL_SECONDS)
        other.execute("ROLLBACK")
    except sqlite3.OperationalError:
        # The service itself is writing just now.
        pass
    finally:
        other.close()

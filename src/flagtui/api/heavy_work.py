"""Work on heavy records off the event loop, in one thread: with several, keys would wait for all of them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")
_THREAD: Final = ThreadPoolExecutor(1, "heavy-work")
"""Started by the first work. The interpreter lock lets one thread run at a time: more would save nothing."""


async def run_off_loop(work: Callable[[], T]) -> T:
    """Return the result of the work, done after earlier work while keys are handled."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, work)

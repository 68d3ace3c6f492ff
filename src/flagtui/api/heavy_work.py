"""Work on heavy records off the event loop, in one thread: with several, keys would wait for all of them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Final, TypeVar

from flagtui.models.json_value import JSON, count_parts

T = TypeVar("T")
HEAVY: Final = 1_500
"""Values within JSON from which work on it is done in a thread: 150 conditions with a property each."""
Surroundings = Callable[[], AbstractContextManager[None]]
_THREAD: Final = ThreadPoolExecutor(1, "heavy-work")
"""Started by the first work. The interpreter lock lets one thread run at a time: more would save nothing."""
_SURROUNDINGS: Final[list[Surroundings]] = [nullcontext]


def surround_work(surroundings: Surroundings) -> None:
    """Do all later work of this process within this context, in place of an earlier one."""
    _SURROUNDINGS[:] = [surroundings]


def is_heavy(*values: JSON) -> bool:
    """Return whether work on these values would keep keys waiting."""
    return count_parts([*values], HEAVY) >= HEAVY


async def off_loop(work: Callable[[], T], *values: JSON) -> T:
    """Return the result of work on these values, done in a thread if they are heavy.

    Keys are handled meanwhile. The work must read nothing that changes meanwhile.
    """
    return await run_off_loop(work) if is_heavy(*values) else work()


async def run_off_loop(work: Callable[[], T]) -> T:
    """Return the result of the work, done after earlier work while keys are handled."""

    def run() -> T:
        with _SURROUNDINGS[0]():
            return work()

    return await asyncio.get_running_loop().run_in_executor(_THREAD, run)


def end_thread() -> None:
    """End the thread after its last work; nothing may be given to it later."""
    _THREAD.shutdown()

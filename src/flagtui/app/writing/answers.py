"""What the server answers, asked again once another key was given; else why there is no answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from flagtui.api.errors import ApiError
from flagtui.app.writing.changes import Changes
from flagtui.changes.proposal import Skipped
from flagtui.text.outcomes import explain_error

AT_ONCE: Final = 8
"""Records that are read at the same time."""
T = TypeVar("T")


async def answer(changing: Changes, about: str, ask: Callable[[], Awaitable[T]]) -> T | None:
    """The answer; None, and said, when there is none. Only within a worker."""
    found = await _attempt(changing, ask)
    if isinstance(found, ApiError):
        changing.tell(explain_error(found, about))
        return None
    return found


async def answers(
    changing: Changes,
    named: Sequence[tuple[int, str]],
    ask: Callable[[int], Awaitable[T | Skipped]],
) -> tuple[list[T], list[Skipped]]:
    """The answers for records of these ids and names, and of which there is none. Only within a worker."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(id: int, name: str) -> T | Skipped:
        async with turn:
            found = await _attempt(changing, lambda: ask(id))
        if isinstance(found, ApiError):
            return Skipped(id, name, found.what.rstrip("."), found.next.rstrip("."))
        return found

    found = await asyncio.gather(*(one(id, name) for id, name in named))
    there = [each for each in found if not isinstance(each, Skipped)]
    return there, [each for each in found if isinstance(each, Skipped)]


async def _attempt(changing: Changes, ask: Callable[[], Awaitable[T]]) -> T | ApiError:
    while True:
        try:
            return await ask()
        except ApiError as error:
            if not await changing.signing_in.helps(error):
                return error

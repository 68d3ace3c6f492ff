"""Calls that may never return, in a thread that does not keep the program from ending."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

CallT = TypeVar("CallT")


def start_call(work: Callable[[], CallT]) -> "Future[CallT]":
    """Start the work in a daemon thread; the future holds its result or its exception."""
    future: Future[CallT] = Future()

    async def answer() -> CallT:
        return work()

    async def carry() -> None:
        # A task holds the exception of the work until the future is read.
        task = asyncio.ensure_future(answer())
        await asyncio.wait([task])
        if (error := task.exception()) is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def run() -> None:
        if future.set_running_or_notify_cancel():
            asyncio.run(carry())

    threading.Thread(target=run, name="flagtui-call", daemon=True).start()
    return future


async def await_call(work: Callable[[], CallT]) -> CallT:
    """Run the work in a daemon thread and await it. Cancelling leaves the thread running."""
    return await asyncio.wrap_future(start_call(work))

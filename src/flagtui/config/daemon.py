"""Calls that may never return: made in a thread that cannot keep the program from ending."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Answer = TypeVar("Answer")


def start_call(work: Callable[[], Answer]) -> "Future[Answer]":
    """Begins the work and gives what will hold its answer or its exception."""
    future: Future[Answer] = Future()

    async def answer() -> Answer:
        return work()

    async def carry() -> None:
        # A task keeps what the work raises until the future is read.
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


async def await_call(work: Callable[[], Answer]) -> Answer:
    """The same for a coroutine. Cancelling it leaves the thread to itself."""
    return await asyncio.wrap_future(start_call(work))

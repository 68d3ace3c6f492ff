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

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            answer = work()
        except Exception as error:  # Nothing is swallowed: whoever reads the future gets it.
            future.set_exception(error)
        else:
            future.set_result(answer)

    threading.Thread(target=run, name="flagtui-call", daemon=True).start()
    return future


async def await_call(work: Callable[[], Answer]) -> Answer:
    """The same for a coroutine. Cancelling it leaves the thread to itself."""
    return await asyncio.wrap_future(start_call(work))

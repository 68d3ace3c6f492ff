"""A write is answered by its outcome, also if the server cancels its request."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from flagtui.service.dispatch import await_commit


async def test_begun_write_is_awaited_and_queued_write_is_cancelled() -> None:
    has_begun, gate = threading.Event(), threading.Event()

    def commit() -> str:
        has_begun.set()
        assert gate.wait(20)
        return "committed"

    with ThreadPoolExecutor(1) as writer:
        begun = asyncio.create_task(await_commit(writer.submit(commit)))
        queued = asyncio.create_task(await_commit(writer.submit(commit)))
        await asyncio.to_thread(has_begun.wait, 20)
        for _ in range(2):
            begun.cancel()
            queued.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await queued
        assert not begun.done()
        gate.set()
        assert await begun == "committed"


async def test_fault_of_a_write_is_raised() -> None:
    def fail() -> None:
        raise ValueError("refused")

    with ThreadPoolExecutor(1) as writer, pytest.raises(ValueError, match="refused"):
        await await_commit(writer.submit(fail))

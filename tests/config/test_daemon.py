"""Calls in a separate thread: results, exceptions, and calls without a waiter."""

import asyncio
import gc
import threading

import pytest

from flagtui.config.daemon import await_call, start_call


class Odd(Exception):
    """What no keyring says it would raise."""


def refuse() -> str:
    raise Odd("no")


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "flagtui-call"]


async def test_whatever_the_work_raises_reaches_whoever_asked() -> None:
    with pytest.raises(Odd, match="no"):
        await await_call(refuse)
    assert isinstance(start_call(refuse).exception(10), Odd)
    assert start_call(lambda: "yes").result(10) == await await_call(lambda: "yes") == "yes"


async def test_abandoned_call_ends_silently_in_a_daemon_thread(caplog: pytest.LogCaptureFixture) -> None:
    gc.freeze()  # What other tests left is no matter.
    goes_on, has_begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> str:
        loop.call_soon_threadsafe(has_begun.set)
        goes_on.wait(10)
        return refuse()

    before = ours()
    waiting = asyncio.create_task(await_call(work))
    await has_begun.wait()
    (thread,) = (thread for thread in ours() if thread not in before)
    assert thread.daemon
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert thread.is_alive()
    goes_on.set()
    thread.join(10)
    assert not thread.is_alive()
    gc.collect()
    assert caplog.records == []

"""Heavy work is done in one thread, beside the event loop, one piece after the other."""

import asyncio
import threading

from flagtui.api.heavy_work import run_off_loop


async def test_heavy_work_is_done_in_one_thread() -> None:
    is_first_done = threading.Event()

    def first() -> threading.Thread:
        is_first_done.set()
        return threading.current_thread()

    def second() -> threading.Thread:
        assert is_first_done.is_set()
        return threading.current_thread()

    threads = await asyncio.gather(run_off_loop(first), run_off_loop(second))
    assert threads[0] is threads[1] is not threading.current_thread()

"""A record of megabytes is read, and written, beside the event loop."""

import threading
from typing import Any

import httpx
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.servers import MakeClient

CALLS = 3_000
"""Of the loop's thread, whatever the size of the record."""


async def test_heavy_record_is_read_in_a_thread(make_client: MakeClient) -> None:
    for count in (1, 5_000):
        raw = heavy.with_conditions(count)
        answer = httpx.Response(200, json=raw)
        client = make_client(lambda request, answer=answer: answer)
        await client.flags.get(901)
        with counting_calls() as calls:
            flag = await client.flags.get(901)
            assert flag.targeting.rollout == min(count - 1, 100)
            assert len(flag.targeting.conditions) == count
        assert calls.count < CALLS


class Watched(dict[str, Any]):
    """An object that knows in which threads it was written as JSON."""

    threads: list[threading.Thread]

    def items(self) -> Any:
        self.threads.append(threading.current_thread())
        return super().items()


async def test_heavy_body_is_encoded_in_a_thread(make_client: MakeClient) -> None:
    for count, is_beside in ((1, False), (5_000, True)):
        raw = heavy.with_conditions(count)
        client = make_client(lambda _request, raw=raw: httpx.Response(201, json=raw))
        filters = Watched(raw["filters"])
        filters.threads = []
        await client.flags.create({"key": raw["key"], "filters": filters})
        assert (filters.threads[-1] is not threading.main_thread()) is is_beside

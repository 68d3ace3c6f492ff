"""Bodies: packed, endless, odd, and megabytes read beside the event loop.

test_fault_matrix.py has those that are no answer.
"""

import asyncio
import gzip
import json
import threading
import zlib
from typing import Any

import httpx
import pytest
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.servers import Answering, Dripping, MakeClient, always

from flagtui.api import errors
from flagtui.api.heavy_work import run_off_loop
from flagtui.api.request import RESPONSE_LIMIT

FLAG = {"id": 5, "key": "a"}


def bomb(size: int) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * 2**20
    return b"".join(engine.compress(block) for _ in range(size // len(block))) + engine.flush()


def packed_as(encoding: str, body: Dripping) -> Answering:
    return lambda request: httpx.Response(200, stream=body, headers={"Content-Encoding": encoding})


async def test_body_is_cut_at_its_limit_packed_or_endless(make_client: MakeClient) -> None:
    body = Dripping(bomb(RESPONSE_LIMIT + 64 * 2**20))
    client = make_client(packed_as("gzip", body))
    with pytest.raises(errors.ResponseTooLarge) as caught:
        await client.flags.get(5)
    assert "64 MB" in caught.value.what
    assert body.is_closed
    body = Dripping(*[b" " * 2**20] * 70)
    client = make_client(lambda request: httpx.Response(200, stream=body))
    with pytest.raises(errors.TooLarge):
        await client.flags.get(5)


WHOLE = json.dumps(FLAG).encode()


@pytest.mark.parametrize(("encoding", "packed"), [
    ("deflate", zlib.compress(WHOLE)), ("identity", WHOLE),
    ("GZIP", gzip.compress(WHOLE, mtime=0) + b"\0\0"),
    ("gzip", gzip.compress(WHOLE[:9], mtime=0) + gzip.compress(WHOLE[9:], mtime=0)),
])  # fmt: skip
async def test_a_packed_answer_is_unpacked(make_client: MakeClient, encoding: str, packed: bytes) -> None:
    client = make_client(packed_as(encoding, Dripping(packed[:7], packed[7:])))
    assert (await client.flags.get(5)).raw == FLAG


async def test_odd_but_valid_json_is_an_answer(make_client: MakeClient) -> None:
    big, deep = b"9" * 30, b"[" * 50 + b"]" * 50
    body = b'{"id": 4, "id": 5, "key": "\\ud800x", "big": %b, "deep": %b}' % (big, deep)
    flag = await make_client(always(200, body)).flags.get(5)
    assert (flag.id, flag.key, flag.raw["big"]) == (5, "�x", int("9" * 30))


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


async def test_values_of_many_flags_are_read_in_a_thread(make_client: MakeClient) -> None:
    values = {f"flag-{place}": {"value": True} for place in range(5_000)}
    evaluation = make_client(always(200, values)).evaluation
    await evaluation.evaluation_reasons("ada")
    with counting_calls() as calls:
        assert len(await evaluation.evaluation_reasons("ada")) == len(values)
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

"""Many flags in no loaded list: the rows of lists equal those of the flags, with few requests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from flagtui.api import Client, errors
from flagtui.api.http_library import in_process
from flagtui.changes.flags.current_flag import as_linked
from flagtui.changes.flags.unlisted_flags import READ_ALONE, rows_in_lists, rows_of
from flagtui.changes.planner import AT_ONCE
from flagtui.models.flag import Flag
from flagtui.service import close_service, create_service

KEY: Final = "phx_everything"
FLAGS: Final = 150


class Counting(httpx.AsyncBaseTransport):
    """Counts requests; responds after a pause while it is slow."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.count = 0
        self.is_slow = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.count += 1
        if self.is_slow:
            await asyncio.Event().wait()
        return await self.inner.handle_async_request(request)


@pytest.fixture(params=[{}, {"legacy": True}], ids=["default", "legacy"])
async def served(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Client, Counting]]:
    """A project with flags that are on, off, archived and deleted."""
    service = create_service(tmp_path / "service.db", key=KEY, **request.param)
    wire = Counting(in_process(service))
    async with Client("http://127.0.0.1:1", KEY, 1, transport=wire, allow_plain_http=True) as client:
        for number in range(FLAGS):
            flag = await client.flags.create({"key": f"flag-{number}", "active": number % 3 > 0})
            if number % 10 == 0:
                await client.flags.update(flag.id, {"active": False, "archived": True})
            if number % 25 == 7:
                await client.flags.update(flag.id, {"deleted": True})
        yield client, wire
    close_service(service)


async def test_rows_of_lists_equal_those_of_each_flag(served: tuple[Client, Counting]) -> None:
    client, wire = served
    ids = [*range(FLAGS + 1, 0, -1)]
    before = wire.count
    alone = await rows_of(client.flags.get, ids)
    between = wire.count
    listed = await rows_in_lists(client.flags, client.flags.get, ids)
    assert as_linked(listed) == as_linked(alone)
    assert {row.id for row in alone} == {*range(1, FLAGS + 1)}
    assert between - before >= len(ids)
    assert wire.count - between <= 4 + sum(row.deleted for row in alone) + 1


async def test_few_flags_are_read_alone_and_many_not_waited_for(served: tuple[Client, Counting]) -> None:
    client, wire = served
    before = wire.count
    rows = await rows_in_lists(client.flags, client.flags.get, [*range(1, READ_ALONE + 1)])
    assert (len(rows), wire.count - before) == (READ_ALONE, READ_ALONE)
    wire.is_slow = True
    async with asyncio.timeout(10):
        assert await rows_in_lists(client.flags, client.flags.get, [*range(1, FLAGS)], patience=0.01) == []


async def test_unlisted_flags_are_read_a_few_at_a_time() -> None:
    reading, most = 0, 0

    async def get(id: int) -> Flag:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        await asyncio.sleep(0)
        reading -= 1
        if id == 7:
            raise errors.NotFound("No flag.")
        return Flag.of({"id": id, "key": f"flag-{id}"})

    rows = await rows_of(get, range(1, 1_001))
    assert [row.id for row in rows] == [id for id in range(1, 1_001) if id != 7]
    assert most == AT_ONCE


async def test_reads_that_never_wait_leave_turns_to_keys() -> None:
    read: list[int] = []

    async def get(id: int) -> Flag:
        read.append(id)
        return Flag.of({"id": id, "key": f"flag-{id}"})

    reading = asyncio.create_task(rows_of(get, range(1, 1_001)))
    read_by_turn = []
    while not reading.done():
        before = len(read)
        await asyncio.sleep(0)
        read_by_turn.append(len(read) - before)
    assert sum(read_by_turn) == 1_000
    assert max(read_by_turn) <= AT_ONCE

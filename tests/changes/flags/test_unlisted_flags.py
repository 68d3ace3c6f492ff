"""Many flags in no loaded list: the rows of lists equal those of the flags, with few requests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from tests.changes.bench import Bench, working

from flagtui.api import errors
from flagtui.changes.flags.current_flag import as_linked
from flagtui.changes.flags.unlisted_flags import READ_ALONE, rows_in_lists, rows_of
from flagtui.changes.planner import AT_ONCE
from flagtui.models.flag import Flag

FLAGS: Final = 150


@pytest.fixture(params=[{}, {"legacy": True}], ids=["default", "legacy"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """A project with flags that are on, off, archived and deleted."""
    async with working(tmp_path, **request.param) as bench:
        flags = bench.client.flags
        for number in range(FLAGS):
            id = await bench.new_flag(f"flag-{number}", active=number % 3 > 0)
            if number % 10 == 0:
                await flags.update(id, {"active": False, "archived": True})
            if number % 25 == 7:
                await flags.update(id, {"deleted": True})
        bench.wire.passed.clear()
        yield bench


async def test_rows_of_lists_equal_those_of_each_flag(bench: Bench) -> None:
    flags, ids, passed = bench.client.flags, [*range(FLAGS + 1, 0, -1)], bench.wire.passed
    alone = await rows_of(flags.get, ids)
    assert {row.id for row in alone} == {*range(1, FLAGS + 1)}
    assert len(passed) >= len(ids)
    passed.clear()
    assert as_linked(await rows_in_lists(flags, flags.get, ids)) == as_linked(alone)
    assert len(passed) <= 4 + sum(row.deleted for row in alone) + 1


async def test_few_flags_are_read_alone_and_many_not_waited_for(bench: Bench) -> None:
    flags = bench.client.flags
    rows = await rows_in_lists(flags, flags.get, [*range(1, READ_ALONE + 1)])
    assert len(rows) == len(bench.wire.passed) == READ_ALONE
    bench.wire.held = lambda _request: True
    async with asyncio.timeout(10):
        assert await rows_in_lists(flags, flags.get, [*range(1, FLAGS)], patience=0.01) == []


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

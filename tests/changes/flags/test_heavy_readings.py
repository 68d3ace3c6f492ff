"""Flags read for a question, thousands of them or heavy ones: a few at a time, planned in a thread."""

import asyncio
from typing import cast

from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.expected import expect
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client, errors
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.flags.unlisted_flags import rows_of
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import AT_ONCE, Planned
from flagtui.models.flag import Flag


class OneFlag:
    """A client of one flag, whose context cannot be read."""

    def __init__(self, flag: Flag) -> None:
        self._flag = flag

    async def get(self, _id: int) -> Flag:
        return self._flag

    @property
    def flags(self) -> "OneFlag":
        return self

    async def dependents(self, _id: int) -> None:
        raise errors.Forbidden("No access.")

    async def blast_radius(self, *_condition: object) -> None:
        raise errors.Forbidden("No access.")

    async def activity(self, _id: int, **_terms: object) -> None:
        raise errors.Forbidden("No access.")


async def test_undo_of_heavy_flag_is_planned_in_a_thread() -> None:
    fresh = Flag.of(heavy.with_conditions(1_000))
    assert fresh.row().id == fresh.id
    groups = [{**group, "rollout_percentage": 7.5} for group in fresh.filters["groups"]]
    before = {**fresh.filters, "groups": groups}
    entry = Entry(
        key=fresh.key, record=fresh.id, before={"filters": before}, after={"filters": fresh.filters}
    )
    client = cast(Client, OneFlag(fresh))
    context = UndoContext(client, SteadyClock(), rows=())
    with counting_calls() as calls:
        prepared = await FlagEntries().prepare_undo(entry, context)
    assert expect(prepared, Planned).plans[0].lines
    assert calls.count < 5_000


async def test_unlisted_dependencies_are_read_a_few_at_a_time() -> None:
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

"""A list is compared with the server's newest page: what that proves, and when the whole is loaded again."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from tests.doubles.steady_clock import StoppedClock
from tests.store.conftest import NOW

from flagtui.api.clock import Urgency
from flagtui.api.errors import ListTooLong
from flagtui.api.pagination import ListRepeats
from flagtui.models.rows import FlagRow, RowPage
from flagtui.store.record_list import CUT_AGAIN, FIRST_PAGE, SMALL, WHOLE_AGAIN, Query, RecordList


@dataclass
class Server:
    """Flags by number, newest first."""

    flags: list[FlagRow]
    is_capped: bool = False
    queries: list[Query] = field(default_factory=list)
    cut_by: ListTooLong | None = None

    async def pages(self, filters: Query | None = None) -> AsyncGenerator[RowPage[FlagRow], None]:
        yield RowPage(tuple(self.flags), len(self.flags))
        if self.cut_by is not None:
            raise self.cut_by

    async def page(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON
    ) -> RowPage[FlagRow]:
        self.queries.append(filters or {})
        rows, total = tuple(self.flags[:FIRST_PAGE]), len(self.flags)
        return RowPage(rows, total, is_capped=self.is_capped, has_more=total > FIRST_PAGE)


def flags(count: int) -> list[FlagRow]:
    return [FlagRow(id=number, key=f"flag-{number}") for number in range(count)]


async def load_list(server: Server, clock: StoppedClock) -> RecordList[FlagRow]:
    """The list, loaded a minute ago."""
    records: RecordList[FlagRow] = RecordList(lambda: server, {"order": "-updated_at"}, clock.time)
    await records.loading.run()
    clock.now += 60
    return records


async def test_single_page_list_proves_itself_current_and_drops_deleted() -> None:
    server, clock = Server(flags(3)), StoppedClock(NOW)
    records = await load_list(server, clock)
    server.flags = [FlagRow(id=2, key="renamed", version=1), FlagRow(id=7, key="new")]
    assert await records.compare() is False
    assert [(row.id, row.key) for row in records.collection.rows] == [(2, "renamed"), (7, "new")]
    assert records.loading.age == 0
    assert server.queries == [{"order": "-updated_at", "limit": FIRST_PAGE}]


async def test_archived_and_deleted_records_are_not_counted_as_listed() -> None:
    records = await load_list(Server(flags(150)), StoppedClock(NOW))
    archived, deleted = FlagRow(id=997, key="x", archived=True), FlagRow(id=998, key="y", deleted=True)
    records.collection.put(archived)
    assert await records.compare() is False
    records.collection.put(deleted)
    assert (len(records.collection), records.listed) == (152, 150)


async def test_newest_page_of_a_longer_list_keeps_its_age() -> None:
    server, clock = Server(flags(200)), StoppedClock(NOW)
    records = await load_list(server, clock)
    server.flags[0] = FlagRow(id=0, key="renamed")
    assert await records.compare() is False
    assert records.collection.rows[0].key == "renamed"
    assert records.loading.age == 60


@pytest.mark.parametrize(("count", "made", "later", "is_capped", "again"), [
    (200, 1, 60, False, True), (200, -1, 60, False, True), (200, 0, WHOLE_AGAIN, False, True),
    (SMALL + 1, 0, WHOLE_AGAIN, False, False), (SMALL + 1, 1, 60, True, False),
])  # fmt: skip
async def test_list_reloads_when_counts_differ_or_a_small_one_ages(
    count: int, made: int, later: float, is_capped: bool, again: bool
) -> None:
    server, clock = Server(flags(count)), StoppedClock(NOW)
    records = await load_list(server, clock)
    clock.now += later
    server.flags, server.is_capped = flags(count + made), is_capped
    assert await records.compare() is again


async def test_list_that_is_short_again_is_cut_no_more() -> None:
    server, clock = Server(flags(150), cut_by=ListTooLong("long")), StoppedClock(NOW)
    records = await load_list(server, clock)
    assert (records.loading.too_long, records.loading.age) == (server.cut_by, None)
    server.flags = flags(3)
    assert await records.compare() is False
    assert records.collection.is_complete
    assert (records.loading.too_long, records.loading.age) == (None, 0)


@pytest.mark.parametrize(
    ("cause", "interval"), [(ListRepeats("again"), WHOLE_AGAIN), (ListTooLong("long"), CUT_AGAIN)]
)
async def test_cut_list_is_loaded_again_after_an_interval(cause: ListTooLong, interval: float) -> None:
    server, clock = Server(flags(150), cut_by=cause), StoppedClock(NOW)
    records = await load_list(server, clock)
    clock.now = NOW + interval - 1
    assert await records.compare() is False
    clock.now += 1
    assert await records.compare() is True
    server.cut_by = None
    await records.loading.run()
    assert (records.loading.too_long, records.loading.age) == (None, 0)


async def test_cut_list_is_never_dated_as_current() -> None:
    server, clock = Server(flags(150), cut_by=None), StoppedClock(NOW)
    records = await load_list(server, clock)
    server.cut_by = ListTooLong("long")
    await records.loading.run()
    records.loading.confirm()
    assert records.loading.loaded_at == NOW

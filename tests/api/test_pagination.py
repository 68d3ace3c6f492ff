"""All of a list, whatever happens to it while it is read, and no more than the limits of an endless one."""

import asyncio
from collections.abc import Callable
from itertools import count

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles.servers import MakeClient

from flagtui.api.errors import ListTooLong
from flagtui.api.pagination import BYTE_LIMIT, PAGE_LIMIT, ROW_LIMIT, Pages
from flagtui.api.resource import OBJECT_LIMIT
from flagtui.models.rows import RowPage

Serve = Callable[[int, int], RowPage[int]]


def serve(rows: list[int], *, cap: int = 10**9, stated: int | None = None, is_capped: bool = False) -> Serve:
    """Pages of at most `cap` of the rows, with another count than theirs where one is stated."""

    def page(offset: int, limit: int) -> RowPage[int]:
        page = tuple(rows[offset : offset + min(limit, cap)])
        total = max(len(rows) if stated is None else stated, len(page))
        return RowPage(page, total, is_capped=is_capped, has_more=offset + len(page) < len(rows))

    return page


class Broken(Exception):
    pass


class Source:
    """A list on a server that may break from a row on, and what was asked of it."""

    def __init__(self, page: Serve, broken: range = range(0)) -> None:
        self.page = page
        self.broken = broken
        self.asked: list[tuple[int, int]] = []
        self.running: set[int] = set()
        self.most_at_once = 0

    async def __call__(self, offset: int, limit: int) -> RowPage[int]:
        self.asked.append((offset, limit))
        self.running.add(offset)
        self.most_at_once = max(self.most_at_once, len(self.running))
        await asyncio.sleep(0)
        self.running.discard(offset)
        if offset in self.broken:
            raise Broken
        return self.page(offset, limit)

    @property
    def offsets(self) -> list[int]:
        return sorted(offset for offset, _ in self.asked)


async def read_on(pages: Pages[int], ids: list[int]) -> None:
    async for page in pages:
        ids.extend(page.rows)


def read(source: Source) -> list[int]:
    ids: list[int] = []
    asyncio.run(read_on(Pages(source, lambda row: row), ids))
    return ids


@settings(max_examples=60)
@given(count=st.integers(0, 12_000), cap=st.sampled_from([1, 7, 20, 100, 1_000]))
def test_every_row_arrives_once_even_from_short_pages(count: int, cap: int) -> None:
    rows = list(range(min(count, cap * 300)))
    assert sorted(read(Source(serve(rows, cap=cap)))) == rows


@settings(max_examples=60)
@given(count=st.integers(0, 3_000), stated=st.integers(0, 1_000), is_capped=st.booleans())
def test_a_count_that_is_too_low_ends_nothing(count: int, stated: int, is_capped: bool) -> None:
    rows = list(range(count))
    assert sorted(read(Source(serve(rows, stated=stated, is_capped=is_capped)))) == rows


@settings(max_examples=60)
@given(
    before=st.integers(0, 900),
    moves=st.lists(st.tuples(st.integers(1, 12), st.sampled_from(["insert", "delete"])), max_size=3),
)
def test_rows_that_stay_are_read_despite_inserts_and_deletions(
    before: int, moves: list[tuple[int, str]]
) -> None:
    rows = list(range(before))
    due = dict(moves)
    gone: set[int] = set()
    requests = count(1)

    def page(offset: int, limit: int) -> RowPage[int]:
        request = next(requests)
        move = due.pop(request, "")
        if move == "insert":
            rows.insert(0, 10_000 + request)
        elif move == "delete" and rows:
            gone.add(rows.pop(0))
        return serve(rows)(offset, limit)

    ids = read(Source(page))
    assert len(ids) == len(set(ids))
    assert set(range(before)) - gone <= set(ids)


@given(st.integers(101, 5_000))
def test_list_with_ignored_offsets_is_reported_partial(stated: int) -> None:
    source = Source(lambda offset, limit: RowPage(tuple(range(100)), stated))
    with pytest.raises(ListTooLong, match="repeats rows"):
        read(source)
    assert len(source.asked) <= 65


def test_list_ends_at_its_rows_whatever_its_count_says() -> None:
    def counted(offset: int, limit: int) -> RowPage[int]:
        rows = tuple(range(offset, min(offset + limit, 250)))
        # The first page alone counts otherwise, as if the list had grown.
        return RowPage(rows, 1_000 if offset else 999)

    assert sorted(read(Source(counted))) == list(range(250))
    empty = Source(lambda offset, limit: RowPage((), 1_000_000))
    assert (read(empty), empty.asked) == ([], [(0, 100)])


async def test_first_page_comes_alone_then_eight_larger_ones_at_once() -> None:
    source = Source(serve(list(range(6_000))))
    pages = aiter(Pages(source, lambda row: row))
    await anext(pages)
    assert source.asked == [(0, 100)]
    async for _ in pages:
        pass
    assert {limit for _, limit in source.asked[1:]} == {200}
    assert (len(source.asked), source.most_at_once) == (31, 8)


async def test_failing_page_ends_the_list_after_earlier_pages() -> None:
    source = Source(serve(list(range(2_000))), broken=range(300, 301))
    ids: list[int] = []
    with pytest.raises(Broken):
        await read_on(Pages(source, lambda row: row), ids)
    assert len(ids) >= 700
    assert len(ids) == len(set(ids))
    assert not source.running


async def test_leaving_early_stops_what_was_asked_for() -> None:
    cancelled: list[int] = []

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        try:
            if offset > 100:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(offset)
            raise
        return serve(list(range(2_000)))(offset, limit)

    pages = aiter(Pages(fetch, lambda row: row))
    await anext(pages)
    await anext(pages)
    await pages.aclose()
    assert len(cancelled) >= 7


@pytest.mark.parametrize("first_missing", [0, 500])
async def test_after_a_failure_only_the_missing_pages_are_asked_for(first_missing: int) -> None:
    source = Source(serve(list(range(1_000))), broken=range(first_missing, 1_000))
    pages = Pages(source, lambda row: row)
    ids: list[int] = []
    for _ in range(2):
        with pytest.raises(Broken):
            await read_on(pages, ids)
    assert sorted(ids) == list(range(first_missing))
    source.broken = range(0)
    source.asked.clear()
    await read_on(pages, ids)
    assert source.offsets == list(range(first_missing, 1_000, 100))
    assert sorted(ids) == list(range(1_000))


def endless(
    offset: int, limit: int, stated: int = 1_000_000, *, is_capped: bool = False, size: int = 0
) -> RowPage[int]:
    rows = tuple(range(offset, offset + limit))
    return RowPage(rows, stated, is_capped=is_capped, has_more=True, body_size=size)


ENDLESS: dict[str, tuple[Serve, str]] = {
    "a million rows": (endless, "200,000 rows"),
    "no count": (lambda offset, limit: endless(offset, limit, limit, is_capped=True), "200,000 rows"),
    "a growing count": (lambda offset, limit: endless(offset, limit, offset + 10_000), "200,000 rows"),
    "a row on each page": (lambda offset, _limit: endless(offset, 1), "4,000 pages"),
    "rows that cannot be read": (
        lambda offset, limit: RowPage((), 1_000_000, tuple(range(offset, offset + limit)), has_more=True),
        "200,000 rows",
    ),
    "huge pages": (lambda offset, limit: endless(offset, limit, 100_000, size=16 * 1024**2), "512 MiB"),
    "the same rows": (lambda _offset, limit: endless(0, limit), "repeats"),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_reading_an_endless_list_stops_at_a_limit(what: str) -> None:
    page, limit = ENDLESS[what]
    source, ids = Source(page), list[int]()
    with pytest.raises(ListTooLong, match=limit):
        asyncio.run(read_on(Pages(source, lambda row: row), ids))
    assert len(source.asked) <= PAGE_LIMIT + 8
    if what in ("a million rows", "no count", "a growing count"):
        assert (len(set(ids)), len(source.asked) <= ROW_LIMIT / 100 + 1) == (ROW_LIMIT, True)


def test_largest_projects_are_read_whole() -> None:
    assert len(read(Source(serve(list(range(ROW_LIMIT)))))) == ROW_LIMIT
    assert ROW_LIMIT >= 2 * 100_000
    assert BYTE_LIMIT >= 100_000 * 2_500


@pytest.mark.parametrize(
    ("size", "stated", "repeats", "why"),
    [(1_000, 10**18, False, f"{OBJECT_LIMIT:,} records"), (100, 250, True, "repeats rows")],
)
async def test_small_records_end_at_their_limit_or_when_they_repeat(
    make_client: MakeClient, size: int, stated: int, repeats: bool, why: str
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        start = 0 if repeats else int(request.url.params.get("offset", "0"))
        records = [{"id": start + place + 1, "name": "n"} for place in range(size)]
        return httpx.Response(200, json={"results": records, "next": "https://x", "count": stated})

    with pytest.raises(ListTooLong, match=why):
        await make_client(answer).cohorts.all()

"""All of a list, whatever happens to it while it is read."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagtui.api.errors import ListTooLong
from flagtui.api.pagination import Pages
from flagtui.models.rows import RowPage

Server = Callable[[int, int], RowPage[int]]


def serve(
    rows: list[int], *, cap: int = 10**9, capped_count: int | None = None, is_capped: bool = True
) -> Server:
    def page(offset: int, limit: int) -> RowPage[int]:
        page = tuple(rows[offset : offset + min(limit, cap)])
        more = offset + len(page) < len(rows)
        if capped_count is not None:
            return RowPage(page, max(capped_count, len(page)), is_capped=is_capped, has_more=more)
        return RowPage(page, max(len(rows), len(page)), has_more=more)

    return page


async def read(server: Server, pages_asked: list[tuple[int, int]] | None = None) -> list[int]:
    async def fetch(offset: int, limit: int) -> RowPage[int]:
        await asyncio.sleep(0)
        if pages_asked is not None:
            pages_asked.append((offset, limit))
        return server(offset, limit)

    return [row async for page in Pages(fetch, lambda row: row) for row in page.rows]


@settings(max_examples=60)
@given(count=st.integers(0, 12_000), cap=st.sampled_from([1, 7, 20, 100, 1_000]))
def test_every_row_arrives_once_even_from_short_pages(count: int, cap: int) -> None:
    rows = list(range(min(count, cap * 300)))
    assert sorted(asyncio.run(read(serve(rows, cap=cap)))) == rows


@settings(max_examples=60)
@given(count=st.integers(0, 3_000), stated=st.integers(0, 1_000), is_capped=st.booleans())
def test_a_count_that_is_too_low_ends_nothing(count: int, stated: int, is_capped: bool) -> None:
    rows = list(range(count))
    assert sorted(asyncio.run(read(serve(rows, capped_count=stated, is_capped=is_capped)))) == rows


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
    requests = 0
    gone: set[int] = set()

    def page(offset: int, limit: int) -> RowPage[int]:
        nonlocal requests
        requests += 1
        move = due.pop(requests, "")
        if move == "insert":
            rows.insert(0, 10_000 + requests)
        elif move == "delete" and rows:
            gone.add(rows.pop(0))
        return serve(rows)(offset, limit)

    ids = asyncio.run(read(page))
    assert len(ids) == len(set(ids))
    assert set(range(before)) - gone <= set(ids)


@given(st.integers(101, 5_000))
def test_list_with_ignored_offsets_is_reported_partial(stated: int) -> None:
    pages_asked: list[tuple[int, int]] = []
    same = RowPage(tuple(range(100)), stated)
    with pytest.raises(ListTooLong, match="repeats rows"):
        asyncio.run(read(lambda offset, limit: same, pages_asked))
    assert len(pages_asked) <= 65


def test_list_ends_at_its_rows_whatever_its_count_says() -> None:
    def counted(offset: int, limit: int) -> RowPage[int]:
        rows = tuple(range(offset, min(offset + limit, 250)))
        # The first page alone counts otherwise, as if the list had grown.
        return RowPage(rows, 1_000 if offset else 999)

    assert sorted(asyncio.run(read(counted))) == list(range(250))
    pages_asked: list[tuple[int, int]] = []
    empty: RowPage[int] = RowPage((), 1_000_000)
    assert asyncio.run(read(lambda offset, limit: empty, pages_asked)) == []
    assert pages_asked == [(0, 100)]


def test_a_long_list_comes_in_larger_pages_after_the_first() -> None:
    pages_asked: list[tuple[int, int]] = []
    asyncio.run(read(serve(list(range(6_000))), pages_asked))
    assert pages_asked[0] == (0, 100)
    assert {limit for _, limit in pages_asked[1:]} == {200}
    assert len(pages_asked) == 31


async def test_at_most_eight_pages_load_at_once_after_the_first() -> None:
    now = most = 0
    started: list[int] = []

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        nonlocal now, most
        started.append(offset)
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return serve(list(range(2_000)))(offset, limit)

    pages = aiter(Pages(fetch, lambda row: row))
    await anext(pages)
    assert started == [0]
    async for _ in pages:
        pass
    assert most == 8


class Broken(Exception):
    pass


async def read_on(pages: Pages[int], ids: list[int]) -> None:
    async for page in pages:
        ids.extend(page.rows)


async def test_failing_page_ends_the_list_after_earlier_pages() -> None:
    running: set[int] = set()

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        running.add(offset)
        await asyncio.sleep(0)
        running.discard(offset)
        if offset == 300:
            raise Broken
        return serve(list(range(2_000)))(offset, limit)

    ids: list[int] = []
    with pytest.raises(Broken):
        await read_on(Pages(fetch, lambda row: row), ids)
    assert len(ids) >= 700
    assert len(ids) == len(set(ids))
    assert not running


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


async def test_after_a_failure_only_the_missing_pages_are_asked_for() -> None:
    offsets: list[int] = []
    is_down = True

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        offsets.append(offset)
        await asyncio.sleep(0)
        if is_down and offset >= 500:
            raise Broken
        return serve(list(range(1_000)))(offset, limit)

    pages = Pages(fetch, lambda row: row)
    ids: list[int] = []
    for _ in range(2):
        with pytest.raises(Broken):
            await read_on(pages, ids)
    assert sorted(ids) == list(range(500))
    is_down = False
    offsets.clear()
    await read_on(pages, ids)
    assert sorted(offsets) == [500, 600, 700, 800, 900]
    assert sorted(ids) == list(range(1_000))


async def test_a_first_page_that_failed_is_asked_for_again() -> None:
    answers: list[RowPage[int] | Broken] = [Broken(), RowPage((1, 2), 2)]

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        answer = answers.pop(0)
        if isinstance(answer, Broken):
            raise answer
        return answer

    pages = Pages(fetch, lambda row: row)
    with pytest.raises(Broken):
        [page async for page in pages]
    assert [page.rows async for page in pages] == [(1, 2)]

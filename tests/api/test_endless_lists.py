"""A list without an end is read up to a limit, and the rows before it are kept."""

from collections.abc import Callable

import httpx
import pytest
from tests.doubles.servers import MakeClient

from flagtui.api.errors import ListTooLong
from flagtui.api.pagination import BYTE_LIMIT, PAGE_LIMIT, ROW_LIMIT, Pages
from flagtui.api.resource import OBJECT_LIMIT
from flagtui.models.rows import RowPage

Serve = Callable[[int, int], RowPage[int]]


def million(offset: int, limit: int) -> RowPage[int]:
    return RowPage(tuple(range(offset, offset + limit)), 1_000_000, has_more=True)


def read_uncounted(offset: int, limit: int) -> RowPage[int]:
    return RowPage(tuple(range(offset, offset + limit)), limit, is_capped=True, has_more=True)


def growing(offset: int, limit: int) -> RowPage[int]:
    return RowPage(tuple(range(offset, offset + limit)), offset + 10_000, has_more=True)


def one_by_one(offset: int, limit: int) -> RowPage[int]:
    return RowPage((offset,), 1_000_000, has_more=True)


def unreadable(offset: int, limit: int) -> RowPage[int]:
    return RowPage((), 1_000_000, tuple(range(offset, offset + limit)), has_more=True)


def huge(offset: int, limit: int) -> RowPage[int]:
    return RowPage(tuple(range(offset, offset + limit)), 100_000, has_more=True, body_size=16 * 1024**2)


def repeating(offset: int, limit: int) -> RowPage[int]:
    return RowPage(tuple(range(limit)), 1_000_000, has_more=True)


async def read(serve: Serve) -> tuple[int, int, str]:
    """Rows and pages until the list was given up, and why."""
    pages = 0
    rows: set[int] = set()

    async def fetch(offset: int, limit: int) -> RowPage[int]:
        nonlocal pages
        pages += 1
        return serve(offset, limit)

    try:
        async for page in Pages(fetch, lambda row: row):
            rows.update(page.rows)
    except ListTooLong as error:
        return len(rows), pages, error.what
    return len(rows), pages, "read to its end"


@pytest.mark.parametrize("serve", [million, read_uncounted, growing])
async def test_reading_stops_at_the_limit_of_rows(serve: Serve) -> None:
    rows, pages, why = await read(serve)
    assert rows == ROW_LIMIT
    assert pages <= ROW_LIMIT / 100 + 1
    assert "200,000 rows" in why


@pytest.mark.parametrize(
    ("serve", "limit"),
    [(one_by_one, "4,000 pages"), (unreadable, "200,000 rows"), (huge, "512 MiB"), (repeating, "repeats")],
)
async def test_reading_stops_where_rows_are_not_what_is_too_many(serve: Serve, limit: str) -> None:
    _rows, pages, why = await read(serve)
    assert limit in why
    assert pages <= PAGE_LIMIT + 8


async def test_largest_projects_are_read_whole() -> None:
    async def fetch(offset: int, limit: int) -> RowPage[int]:
        return RowPage(tuple(range(offset, min(offset + limit, ROW_LIMIT))), ROW_LIMIT)

    assert sum([len(page.rows) async for page in Pages(fetch, lambda row: row)]) == ROW_LIMIT
    assert ROW_LIMIT >= 2 * 100_000
    assert BYTE_LIMIT >= 100_000 * 2_500


async def test_small_records_end_at_their_limit_or_when_they_repeat(make_client: MakeClient) -> None:
    def endless(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params.get("offset", "0"))
        records = [{"id": start + place + 1, "name": "n"} for place in range(1_000)]
        return httpx.Response(200, json={"results": records, "next": "https://x", "count": 10**18})

    async with make_client(endless) as client:
        with pytest.raises(ListTooLong, match=f"{OBJECT_LIMIT:,} records"):
            await client.cohorts.all()

    def repeating(request: httpx.Request) -> httpx.Response:
        records = [{"id": place + 1, "name": "n"} for place in range(100)]
        return httpx.Response(200, json={"results": records, "next": "https://x", "count": 250})

    async with make_client(repeating) as client:
        with pytest.raises(ListTooLong, match="repeats rows"):
            await client.cohorts.all()

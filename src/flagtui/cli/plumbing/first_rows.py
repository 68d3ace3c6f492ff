"""The first rows of a list in the server's own order, without reading the rest of the list."""

import math
from collections.abc import AsyncIterator, Callable, Sequence
from operator import le, lt
from typing import TYPE_CHECKING, Any, Final

from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.store.kinds import RecordKind

if TYPE_CHECKING:
    from flagtui.store.sort_orders import Order

PAGE: Final = 100
"""Rows of one page, which every server sends at once."""
MORE_PAGES: Final = 2
"""Pages read beyond those that `--limit` needs, before the whole list is read in parallel instead."""


async def first_rows(
    kind: RecordKind,
    session: ProjectSession,
    search: Callable[[Sequence[Any]], list[Any]],
    sort: str,
    limit: int,
) -> list[Any] | None:
    """Return the first `limit` rows that `search` selects; None where the whole list has to be read.

    A server that ignores the order, or a list that changes meanwhile, can have other rows further down.
    Raises ApiError.
    """
    name, order = next(iter(kind.listing.orders.items()))
    if sort not in ("", name):
        return None
    is_known = le if kind.has_equal_moments else lt
    async for rows, last, is_whole_list in _growing_list(kind, session, order, limit):
        matches = search(rows)
        if is_whole_list:
            session.keep_rows(kind, rows)
            return matches[:limit]
        # Unread rows can equal the last one read; of many equal rows, which come first means nothing.
        complete = [row for row in matches if is_known(order.rank(row, is_reversed=False), last)]
        if len(complete) >= limit:
            return complete[:limit]
    return None


async def _growing_list(
    kind: RecordKind, session: ProjectSession, order: "Order[Any]", limit: int
) -> AsyncIterator[tuple[list[Any], float, bool]]:
    """Yield the rows read so far, the rank of the last one, and whether the list has no more.

    Ends before a page that does not follow the ones before it in the order. Raises ApiError.
    """
    parameters = dict([kind.first])
    rows: dict[Any, Any] = {}
    total = 0
    for number in range(math.ceil((limit + 1) / PAGE) + MORE_PAGES):
        window = {"limit": PAGE, "offset": number * PAGE or None, **parameters}
        page = await getattr(session.client, kind.operations).page(window)
        is_last = page.size < PAGE and not page.has_more and not page.is_capped
        is_whole = page.size == PAGE or (is_last and number * PAGE + page.size >= page.total)
        has_changed = number > 0 and page.total != total
        if has_changed or page.unreadable or not is_whole:
            return
        total = page.total
        rows |= {row.id: row for row in page.rows}
        # Databases differ in where they put rows without a value.
        ranks = [rank for row in rows.values() if (rank := order.rank(row, is_reversed=False)) < math.inf]
        if ranks != sorted(ranks):
            return
        yield [*rows.values()], ranks[-1] if ranks else -math.inf, is_last
        if is_last:
            return

"""All records of one kind: loaded, compared with the server's, searched there while pages are missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from typing import Final, Generic, Protocol, TypeVar

from flagtui.api.errors import ApiError
from flagtui.api.urgency import Urgency
from flagtui.models.rows import RowPage
from flagtui.store.collection import Collection, Identified
from flagtui.store.load import Loading

Row = TypeVar("Row", bound=Identified)
ListedRow = TypeVar("ListedRow", bound=Identified)
Query = Mapping[str, str | int]

FIRST_PAGE: Final = 100
"""Records of a page that is asked for alone."""
SMALL: Final = 1_000
"""Records up to which a list that cannot be proven current is now and then loaded again as a whole."""
WHOLE_AGAIN: Final = 600.0
"""Seconds after which that happens."""
SEARCHED: Final = 3
"""Letters from which the server is asked; fewer find too much."""
SEARCH_LIMIT: Final = 200


class Listed(Protocol[ListedRow]):
    """Operations on the records of one kind."""

    def pages(self, filters: Query | None = None) -> AsyncIterable[RowPage[ListedRow]]: ...
    async def page(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON
    ) -> RowPage[ListedRow]: ...


class RecordList(Generic[Row]):
    """All records of one kind, and how they are loaded. `newest` brings those changed last first."""

    def __init__(self, listed: Callable[[], Listed[Row]], newest: Query, clock: Callable[[], float]) -> None:
        self.collection: Collection[Row] = Collection()
        self._listed = listed
        self._newest = newest
        self._counted: tuple[Sequence[Row], int] = ((), 0)
        turn = asyncio.Lock()
        self.loading = Loading(
            self.collection,
            lambda: listed().pages({}),
            covers=lambda row: not _is_archived(row),
            turn=turn,
            clock=clock,
        )
        self.archived = Loading(
            self.collection,
            lambda: listed().pages({"archived": "true"}),
            covers=_is_archived,
            is_whole=False,
            turn=turn,
            clock=clock,
        )

    @property
    def listed(self) -> int:
        """How many records are here that the server's own list has: neither archived nor deleted."""
        rows = self.collection.rows
        if rows is not self._counted[0]:
            self._counted = (rows, sum(1 for row in rows if not _is_apart(row)))
        return self._counted[1]

    async def compare(self) -> bool:
        """Compares a complete list with the server's newest page; true when it has to be loaded again.

        A page that is the whole list proves it current. Other pages only bring their rows up to date, so
        that the age of the list goes on. Raises ApiError.
        """
        collection, loading = self.collection, self.loading
        asked = collection.moment
        filters = {**self._newest, "limit": FIRST_PAGE}
        page = await self._listed().page(filters, urgency=Urgency.BACKGROUND)
        if page.size >= page.total and not page.is_capped:
            loading.take_whole(page)
            return False
        collection.put_all(page.rows, asked)
        loading.set_trouble(None)
        known = sum(1 for row in collection.said_rows if not _is_archived(row))
        is_due = page.total <= SMALL and (loading.age or 0.0) >= WHOLE_AGAIN
        return is_due or (page.total != known and not page.is_capped)

    async def search(self, word: str) -> int:
        """While pages are missing, adds what the server finds for a word; how many rows are new.

        A failure is left to the load that is running.
        """
        collection = self.collection
        if len(word) < SEARCHED or collection.is_complete:
            return 0
        asked, before = collection.moment, len(collection)
        try:
            page = await self._listed().page({"search": word[:SEARCH_LIMIT], "limit": FIRST_PAGE})
        except ApiError:
            return 0
        collection.put_all(page.rows, asked)
        return len(collection) - before


def _is_apart(row: Identified) -> bool:
    return _is_archived(row) or bool(getattr(row, "deleted", False))


def _is_archived(row: Identified) -> bool:
    """Event definitions are never archived."""
    return bool(getattr(row, "archived", False))

"""The base of every group of operations: a connection, a project, and one way to send requests."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Final, Generic, TypeVar

from msgspec.structs import replace

from flagtui.api.clock import Urgency
from flagtui.api.connection import Connection
from flagtui.api.errors import EndpointNotFound, ListTooLong, NotFound, ServerFault
from flagtui.api.heavy_work import run_off_loop
from flagtui.api.operations import OPERATIONS
from flagtui.api.pagination import REPEATS, ListRepeats, Pages
from flagtui.api.request import Query, Request, Response
from flagtui.models.json_value import JSON, NotJson, as_list, as_whole
from flagtui.models.rows import Row, RowPage

DecodedT = TypeVar("DecodedT")

HEAVY: Final = 32 * 1024
"""Bytes from which a response is read in a thread, so that the screen keeps responding."""
HEAVY_ROWS: Final = 1024 * 1024
"""The same of a page of rows, which are read without the parts that make records heavy."""
OBJECT_LIMIT: Final = 20_000
"""Whole records read of one list, page after page: projects have hundreds of cohorts or holdouts."""


@dataclass(frozen=True, eq=False)
class Resource:
    """A group of operations of one project."""

    connection: Connection
    project: int | str

    async def _ask(
        self,
        name: str,
        ids: Mapping[str, int | str] | None = None,
        *,
        query: Query | None = None,
        body: JSON = None,
        urgency: Urgency = Urgency.PERSON,
        etag: str = "",
    ) -> Response:
        operation = OPERATIONS[name]
        path = operation.at(project=self.project, **(ids or {}))
        return await self.connection.ask(Request(operation, path, pairs(query or {}), body, urgency, etag))

    async def _objects(
        self, name: str, filters: Query | None = None, ask: Callable[..., Awaitable[Response]] | None = None
    ) -> AsyncIterator[dict[str, JSON]]:
        """Yield the objects of a list page after page, each id once, to the end or an empty page.

        In lists without `next`, `count` shows whether there is more. Raises ListTooLong, also where the
        server repeats what it sent, and ApiError.
        """
        seen: set[str] = set()
        while True:
            query = {"limit": 100, "offset": len(seen) or None, **(filters or {})}
            page = await read_off_loop(
                await (ask or self._ask)(name, query=query), lambda response: response.record("results")
            )
            count_before = len(seen)
            items = [item for item in as_list(page["results"]) if isinstance(item, dict)]
            for item in items:
                if str(item.get("id")) not in seen:
                    seen.add(str(item.get("id")))
                    yield item
            more = page["next"] if "next" in page else len(seen) < (as_whole(page.get("count")) or 0)
            if not more or not items:
                return
            if len(seen) == count_before:
                raise ListRepeats(REPEATS)
            if len(seen) >= OBJECT_LIMIT:
                raise ListTooLong(
                    f"Reading stopped at {len(seen):,} records; the server has more of the list."
                )

    async def _ask_word(
        self, name: str, ids: Mapping[str, int | str] | None = None, *, query: Query | None = None
    ) -> Response:
        """Request a path with a word in the position of an id, which old servers try to read as an id.

        They respond with 404, or 500 where ids are not numbers; neither concerns a record, so
        `EndpointNotFound` is raised.
        """
        try:
            return await self._ask(name, ids, query=query)
        except (NotFound, ServerFault) as fault:
            was_sought = (fault.status == 404 and fault.detail in {"", "Not found."}) or (
                fault.status == 500 and name.startswith("event_definitions.")
            )
            if not was_sought:
                raise
            lack = EndpointNotFound("This server does not know this operation.", facts=fault.facts)
            if fault.status == 404:
                self.connection.capabilities.remember(OPERATIONS[name], lack)
            raise lack from None


class PagedRecords(Resource, Generic[Row]):
    """Records listed page by page as rows, which have an `id`. Filter names are the server's."""

    family: ClassVar[str]
    """The first half of the operations' names."""

    def read_page(self, body: bytes) -> RowPage[Any]:
        """Return the rows in the bytes of a response. Raises NotJson."""
        raise NotImplementedError

    def pages(self, filters: Query | None = None, *, urgency: Urgency = Urgency.LOADING) -> Pages[Row]:
        """Return the whole list: the first page alone, the rest in parallel."""

        async def fetch(offset: int, limit: int) -> RowPage[Row]:
            # Opening a list waits for its first page only.
            waits = urgency is Urgency.LOADING and not offset
            window = {"limit": limit, "offset": offset or None, **(filters or {})}
            return await self.page(window, urgency=Urgency.PERSON if waits else urgency)

        return Pages(fetch, attrgetter("id"))

    async def page(self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON) -> RowPage[Row]:
        """Return one page of rows; `limit` and `offset` are filters here."""
        response = await self._ask(f"{self.family}.list", query=filters, urgency=urgency)
        try:
            page = await read_off_loop(response, lambda response: self.read_page(response.body), HEAVY_ROWS)
            return replace(page, server_time=response.server_time, body_size=len(response.body))
        except NotJson as fault:
            raise response.unreadable(str(fault)) from None


async def read_off_loop(
    response: Response, read: Callable[[Response], DecodedT], heavy: int = HEAVY
) -> DecodedT:
    """Return what is read of a response; of one with more than `heavy` bytes in a thread."""
    return read(response) if len(response.body) <= heavy else await run_off_loop(lambda: read(response))


def pairs(query: Query) -> tuple[tuple[str, str], ...]:
    """Return the parameters as name and text, for the address."""
    parameters: list[tuple[str, str]] = []
    for name, value in query.items():
        for item in value if isinstance(value, tuple) else (value,):
            if item is not None:
                parameters.append((name, _text(item)))
    return tuple(parameters)


def _text(value: JSON) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, list | dict) else str(value)

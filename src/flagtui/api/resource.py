"""What every group of operations has: a connection, a project, and one way to ask."""

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from flagtui.api.connection import Connection
from flagtui.api.errors import EndpointNotFound, NotFound, ServerFault
from flagtui.api.operations import operation
from flagtui.api.pagination import Pages
from flagtui.api.request import Answer, Query, Question
from flagtui.api.urgency import Urgency
from flagtui.models.json_value import JSON, NotJson
from flagtui.models.rows import RowPage

Row = TypeVar("Row")


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
    ) -> Answer:
        asked = operation(name)
        path = asked.at(project=self.project, **(ids or {}))
        return await self.connection.ask(Question(asked, path, pairs(query or {}), body, urgency))

    async def _ask_word(
        self, name: str, ids: Mapping[str, int | str] | None = None, *, query: Query | None = None
    ) -> Answer:
        """Requests a path with a word in the position of an id, which old servers try to read as an id.

        They answer 404, or 500 where ids are not numbers; neither is about any record, and
        `EndpointNotFound` is what it means.
        """
        try:
            return await self._ask(name, ids, query=query)
        except (NotFound, ServerFault) as fault:
            was_sought = (fault.status == 404 and fault.detail in {"", "Not found."}) or (
                fault.status == 500 and name.startswith("event_definitions.")
            )
            if isinstance(fault, EndpointNotFound) or not was_sought:
                raise
            lack = EndpointNotFound("This server does not know this operation.", facts=fault.facts)
            if fault.status == 404:
                self.connection.capabilities.learn(operation(name), lack)
            raise lack from None

    def _pages(self, listing: "Listable[Row]", filters: Query | None, urgency: Urgency) -> Pages[Row]:
        """The whole list: the first page at once, the rest several at a time."""

        async def fetch(offset: int, limit: int) -> RowPage[Row]:
            # Opening a list waits for its first page only.
            waits = urgency is Urgency.LOADING and not offset
            window = {"limit": limit, "offset": offset or None, **(filters or {})}
            return await self._page(listing, window, Urgency.PERSON if waits else urgency)

        return Pages(fetch, listing.identity)

    async def _page(self, listing: "Listable[Row]", query: Query, urgency: Urgency) -> RowPage[Row]:
        answer = await self._ask(listing.operation, query=query, urgency=urgency)
        try:
            return replace(listing.read(answer.body), server_time=answer.server_time)
        except NotJson as fault:
            raise answer.unreadable(str(fault)) from None


@dataclass(frozen=True, slots=True)
class Listable(Generic[Row]):
    """A paged list and how its bytes become rows."""

    operation: str
    read: Callable[[bytes], RowPage[Row]]
    identity: Callable[[Row], Hashable]


def pairs(query: Query) -> tuple[tuple[str, str], ...]:
    """The parameters as they go into the address."""
    found: list[tuple[str, str]] = []
    for name, value in query.items():
        for item in value if isinstance(value, tuple) else (value,):
            if item is not None:
                found.append((name, _text(item)))
    return tuple(found)


def _text(value: JSON) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, list | dict) else str(value)

"""What every group of operations has: a connection, a project, and one way to ask."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Generic, TypeVar

from flagtui.api.capabilities import NOT_HERE, one_by_one, retagged
from flagtui.api.clock import Urgency
from flagtui.api.connection import Connection
from flagtui.api.errors import EndpointNotFound, NotFound, ServerFault
from flagtui.api.operations import operation
from flagtui.api.pagination import Pages
from flagtui.api.request import Answer, Query, Question
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment, Holdout, SavedMetric
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BulkTags, Cohort, ScheduledChange
from flagtui.models.json_value import JSON, NotJson, as_id, as_list, as_whole
from flagtui.models.record import Record
from flagtui.models.rows import RowPage

Row = TypeVar("Row")


Kind = TypeVar("Kind", Flag, Experiment, EventDefinition, Holdout, SavedMetric, ScheduledChange, Cohort)
Number = TypeVar("Number", int, str)

_KNOWN_BY: Final[Mapping[type[Record], tuple[str, str]]] = {
    Flag: ("flag", "key"),
    Experiment: ("experiment", "name"),
    EventDefinition: ("event definition", "name"),
}
"""What a record is called, and what it always has beside its id."""


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
    ) -> Answer:
        asked = operation(name)
        path = asked.at(project=self.project, **(ids or {}))
        return await self.connection.ask(Question(asked, path, pairs(query or {}), body, urgency, etag))

    async def _objects(
        self, name: str, filters: Query | None = None, ask: Callable[..., Awaitable[Answer]] | None = None
    ) -> AsyncIterator[dict[str, JSON]]:
        """The objects of a list page after page, each id once, to the end or a page that brings nothing new.

        Lists without `next` tell by their `count` whether there is more.
        """
        seen: set[str] = set()
        while True:
            query = {"limit": 100, "offset": len(seen) or None, **(filters or {})}
            page = (await (ask or self._ask)(name, query=query)).record("results")
            known = len(seen)
            for item in as_list(page.get("results")):
                if isinstance(item, dict) and str(item.get("id")) not in seen:
                    seen.add(str(item.get("id")))
                    yield item
            more = page["next"] if "next" in page else len(seen) < (as_whole(page.get("count")) or 0)
            if not more or len(seen) == known:
                return

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


@dataclass(frozen=True, slots=True)
class Listable(Generic[Row]):
    """A paged list and how its bytes become rows."""

    operation: str
    read: Callable[[bytes], RowPage[Row]]
    identity: Callable[[Row], Hashable]


@dataclass(frozen=True, eq=False)
class PagedRecords(Resource, Generic[Row]):
    """Records listed page by page as rows. Filter names are the server's."""

    listing: ClassVar[Listable[Any]]

    def pages(self, filters: Query | None = None, *, urgency: Urgency = Urgency.LOADING) -> Pages[Row]:
        """The whole list: the first page at once, the rest several at a time."""

        async def fetch(offset: int, limit: int) -> RowPage[Row]:
            # Opening a list waits for its first page only.
            waits = urgency is Urgency.LOADING and not offset
            window = {"limit": limit, "offset": offset or None, **(filters or {})}
            return await self.page(window, urgency=Urgency.PERSON if waits else urgency)

        return Pages(fetch, self.listing.identity)

    async def page(self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON) -> RowPage[Row]:
        """One page of rows; `limit` and `offset` are filters here."""
        answer = await self._ask(self.listing.operation, query=filters, urgency=urgency)
        try:
            return replace(self.listing.read(answer.body), server_time=answer.server_time)
        except NotJson as fault:
            raise answer.unreadable(str(fault)) from None


@dataclass(frozen=True, eq=False)
class WholeRecords(Resource, Generic[Kind]):
    """Records read and written one at a time; each write is sent once."""

    family: ClassVar[str]
    """The first half of the operations' names."""
    kind: ClassVar[type[Any]]

    async def get(self, id: int | str, *, urgency: Urgency = Urgency.PERSON) -> Kind:
        """The whole record, also one that is archived or deleted."""
        return await self._whole("get", id, urgency=urgency)

    async def _whole(
        self, word: str, id: int | str, body: JSON = None, *, urgency: Urgency = Urgency.PERSON
    ) -> Kind:
        """An operation on one record, which answers with the whole of it."""
        answer = await self._ask(f"{self.family}.{word}", {"id": id}, body=body, urgency=urgency)
        record: Kind = read_record(answer, self.kind, id)
        return record

    async def _patch(self, id: int | str, changes: Mapping[str, JSON]) -> Kind:
        return await self._whole("update", id, dict(changes))

    async def _retag_together(self, ids: Sequence[Number], action: str, tags: Sequence[str]) -> BulkTags:
        """`action` is add, remove or set. One by one on servers that cannot do it together."""

        async def retag(id: Number) -> Any:
            record: Any = await self.get(id)
            return await self._patch(id, {"tags": retagged(record.tags, action, tags)})

        body = {"ids": list(ids), "action": action, "tags": list(tags)}
        try:
            answer = await self._ask(f"{self.family}.bulk_update_tags", body=body)
            return BulkTags.of(answer.record("updated"))
        except NOT_HERE:
            changed, errors = await one_by_one(ids, retag)
            found = [{"id": record.id, "tags": list(record.tags)} for record in changed]
            return BulkTags.of({"updated": found, "skipped": errors})


@dataclass(frozen=True, eq=False)
class ListedRecords(Resource, Generic[Kind]):
    """Small records that are looked at as a whole: cohorts."""

    family: str
    """The first half of the operations' names."""
    kind: type[Kind]

    async def all(self, filters: Query | None = None) -> tuple[Kind, ...]:
        """Every one of them."""
        found = [self.kind.of(item) async for item in self._objects(f"{self.family}.list", filters)]
        return tuple({record.id: record for record in found}.values())


@dataclass(frozen=True, eq=False)
class KeptRecords(ListedRecords[Kind]):
    """The same to make, read, change and really delete, such as holdouts; each write is sent once."""

    async def get(self, id: int) -> Kind:
        """One of them."""
        return read_record(await self._ask(f"{self.family}.get", {"id": id}), self.kind, id)

    async def create(self, body: Mapping[str, JSON]) -> Kind:
        """A new one."""
        return read_record(await self._ask(f"{self.family}.create", body=dict(body)), self.kind)

    async def update(self, id: int, changes: Mapping[str, JSON]) -> Kind:
        """Changes just these fields."""
        answer = await self._ask(f"{self.family}.update", {"id": id}, body=dict(changes))
        return read_record(answer, self.kind, id)

    async def delete(self, id: int) -> None:
        """Deletes it for good."""
        (await self._ask(f"{self.family}.delete", {"id": id})).expect_nothing()


def read_record(answer: Answer, kind: type[Kind], id: int | str | None = None) -> Kind:
    """The record in an answer. Raises Unreadable when there is none, or another one than was asked for."""
    noun, *needed = _KNOWN_BY.get(kind, ("record",))
    record = kind.of(answer.record("id", *needed))
    known = record.id if isinstance(record.id, str) else as_id(record.id)
    if not known or (id is not None and known != id):
        raise answer.unreadable(f"it is not the {noun} that was asked for")
    return record


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

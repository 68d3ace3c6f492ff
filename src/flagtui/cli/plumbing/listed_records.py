"""Whole records from pages of a list, where requests for single records would be more."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from functools import partial
from math import ceil
from typing import Any, Final, Generic

import msgspec

from flagtui.api.errors import ListTooLong, NotFound
from flagtui.api.listed_objects import ListedDefinitions, ListedFlags, ListedObjects
from flagtui.api.pagination import size_of_pages
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import (
    EVENTS,
    FLAGS,
    MatchT,
    RowSource,
    Word,
    every_row,
    number_in,
    several,
)
from flagtui.models.json_value import JSON
from flagtui.models.listed_objects import ListedObject
from flagtui.store.kinds import Kind

LISTS: Final[Mapping[Kind, type[ListedObjects[Any]]]] = {
    FLAGS.kind.plural: ListedFlags,
    EVENTS.kind.plural: ListedDefinitions,
}
READS_PER_PAGE: Final = 10
"""Requests for single records that cost a server as much as one page of the list."""
JsonObject = dict[str, JSON]


async def list_matches(
    session: ProjectSession, source: RowSource, lines: Sequence[str], sort: str = ""
) -> tuple[list[ListedObject[Any]], list[Any]]:
    """Return the records that the queries find, each once, whole and in order, and the rows of the list.

    The list is read once; its rows are saved for completion. Raises Trouble for half a query, ApiError.
    """
    checked = [await source.read_checked(session, line, sort) for line in lines]
    searches = [
        partial(source.search, line=line, sort=sort, facts=facts)
        for line, (_query, facts) in zip(lines, checked, strict=True)
    ]

    def choose(rows: Sequence[Any]) -> list[Any]:
        return [row for search in searches for row in search(rows)]

    resource = LISTS[source.kind.plural](session.client.connection, session.client.project, choose)
    has_archived = any("archived" in query.shows for query, _facts in checked)
    listed = await source.every(session, has_archived=has_archived, resource=resource)
    by_id, rows = {record.id: record for record in listed}, [record.row for record in listed]
    session.keep_rows(source.kind, rows)
    return [by_id[id] for id in dict.fromkeys(row.id for row in choose(rows))], rows


class RecordIndex(msgspec.Struct):
    """Whole records of a list by name and by id; empty where the list was not worth reading."""

    by_name: dict[str, JsonObject] = {}
    by_id: dict[int | str, JsonObject] = {}
    names: Set[str] = frozenset()
    """Names in the list, also of records that it has in part only."""
    is_read: bool = False


class ListReader(Generic[Word, MatchT]):
    """Reads the records of words, by single requests or from the list, whichever needs fewer requests.

    A word is an id, or a name as a user wrote it.
    """

    def __init__(
        self,
        session: ProjectSession,
        source: RowSource,
        words: Sequence[Word],
        read_single: Callable[[Word], Awaitable[MatchT]],
        *,
        read: Callable[[JsonObject], MatchT],
        id_in: Callable[[Word], int | str | None],
    ) -> None:
        """`id_in` returns the id that a word is, or names by an address; it raises Trouble."""
        self._session, self._source = session, source
        self._words, self._left = words, len(words)
        self._read_single, self._read, self._id_in = read_single, read, id_in
        self._index: RecordIndex | None = None
        self._has_missing = False
        """Whether a single request confirmed that a name is missing which the list lacks."""

    async def read(self, block: Sequence[Word]) -> list[MatchT]:
        """Return the records of the next words, None for a missing one. Raises Trouble, ApiError.

        The first of several blocks is read by single requests: the others may not be needed.
        """
        is_first_of_many = self._left == len(self._words) > len(block)
        if self._index is None and not is_first_of_many:
            self._index = await self._read_index(self._words[len(self._words) - self._left :])
        self._left -= len(block)
        return await several(block, self._find)

    async def _find(self, word: Word) -> MatchT:
        index = self._index or RecordIndex()
        if (record := self._find_listed(index, word)) is not None:
            return self._read(record)
        is_name = self._id_in(word) is None
        if is_name and self._has_missing and word not in index.names:
            return None  # type: ignore[return-value]
        match = await self._read_single(word)
        self._has_missing |= is_name and match is None and index.is_read
        return match

    def _find_listed(self, index: RecordIndex, word: Word) -> JsonObject | None:
        """Return the record in the list; None for a word that has to be looked up alone."""
        if (id := self._id_in(word)) is None:
            return index.by_name.get(str(word))
        # The name of one record may be the id of another, even of a deleted one.
        return None if word in index.names else index.by_id.get(id)

    async def _read_index(self, words: Sequence[Word]) -> RecordIndex:
        """Return the records from the list, unless that takes more requests. Raises Trouble, ApiError."""
        kind, client = self._source.kind, self._session.client
        first = await getattr(client, kind.operations).page({"limit": 1})
        if len(words) < ceil(first.total / size_of_pages(first.total)) * READS_PER_PAGE:
            return RecordIndex()
        names = {str(word) for word in words}
        ids = {id for word in words if (id := self._id_in(word)) is not None}

        def choose(rows: Sequence[Any]) -> list[Any]:
            return [row for row in rows if row.id in ids or not names.isdisjoint(self._source.names(row))]

        index = RecordIndex(is_read=True)
        resource = LISTS[kind.plural](client.connection, client.project, choose)
        try:
            await self._add_listed(index, resource, {})
            if kind.has_archive and any(
                _is_number(word) or self._find_listed(index, word) is None for word in words
            ):
                await self._add_listed(index, resource, {"archived": "true"})
        except ListTooLong:
            return RecordIndex()
        return await self._without_partial(index)

    async def _add_listed(
        self, index: RecordIndex, resource: ListedObjects[Any], filters: Mapping[str, str]
    ) -> None:
        """Add the chosen records of a list. Raises ApiError."""
        for record in await every_row(lambda _none: resource.pages(filters)):
            if record.raw:
                index.by_id.setdefault(record.id, record.raw)
                for name in self._source.names(record.row):
                    index.by_name.setdefault(name, record.raw)

    async def _without_partial(self, index: RecordIndex) -> RecordIndex:
        """Return the records that the list has as a single request has them. Raises ApiError.

        Older servers omit fields from lists, and encrypted payloads are masked there.
        """
        sample = next(iter(index.by_id), None)
        operations = getattr(self._session.client, self._source.kind.operations)
        try:
            fields = set() if sample is None else (await operations.get(sample)).raw.keys()
        except NotFound:
            return RecordIndex()

        def is_whole(raw: JsonObject) -> bool:
            return raw.keys() >= fields and not raw.get("has_encrypted_payloads")

        by_name = {name: raw for name, raw in index.by_name.items() if is_whole(raw)}
        by_id = {id: raw for id, raw in index.by_id.items() if is_whole(raw)}
        return RecordIndex(by_name, by_id, index.by_name.keys(), is_read=True)


def _is_number(word: object) -> bool:
    return isinstance(word, str) and number_in(word) is not None

"""Feature flags: list, read, change, and what the server knows around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flagtui.api.bodies import FlagBody
from flagtui.api.capabilities import NOT_HERE
from flagtui.api.flag_evaluation import FlagEvaluation
from flagtui.api.original_values import comparable
from flagtui.api.pagination import Pages
from flagtui.api.rate_limiter import Urgency
from flagtui.api.request import Query
from flagtui.api.resource import Listable
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import FlagKey, FlagStatus, FlagVersion, keys_by_id
from flagtui.models.flag_history import rebuilt_version
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id, as_list
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import FlagRow

_LISTING: Final = Listable("flags.list", read_flag_page, lambda row: row.id)


@dataclass(frozen=True, eq=False)
class Flags(FlagEvaluation):
    """The flags of one project."""

    def pages(self, filters: Query | None = None, *, urgency: Urgency = Urgency.LOADING) -> Pages[FlagRow]:
        """All flags as rows: the first page at once, the rest eight at a time. Archived ones if asked for.

        Filter names are the server's: active, archived, created_by_id, search, type, evaluation_runtime,
        excluded_properties, tags, order.
        """
        return self._pages(_LISTING, filters, urgency)

    async def page(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON
    ) -> RowPage[FlagRow]:
        """One page of rows; `limit` and `offset` are filters here."""
        return await self._page(_LISTING, filters or {}, urgency)

    async def get(self, id: int, *, urgency: Urgency = Urgency.PERSON) -> Flag:
        """The whole flag, also when it is archived or deleted."""
        return self._flag(await self._ask("flags.get", {"id": id}, urgency=urgency), id)

    async def create(self, body: FlagBody | Mapping[str, JSON]) -> Flag:
        """A new flag. Never sent twice: see `Unanswered`."""
        return self._flag(await self._ask("flags.create", body=dict(body)))

    async def update(
        self,
        id: int,
        changes: FlagBody | Mapping[str, JSON],
        *,
        version: int | None = None,
        original: FlagBody | Mapping[str, JSON] | None = None,
    ) -> Flag:
        """Changes just these fields, once.

        `original` holds the values they had when read; with it and `version` the server refuses to
        overwrite a change made to the same field meanwhile. `version` alone protects nothing.
        """
        body = dict(changes)
        if version is not None:
            body["version"] = version
        if original:
            body["original_flag"] = comparable(original)
        return self._flag(await self._ask("flags.update", {"id": id}, body=body), id)

    async def activity(
        self, id: int | None = None, *, limit: int = 10, page: int = 1, urgency: Urgency = Urgency.PERSON
    ) -> ActivityPage:
        """Who changed this flag, or any flag, newest first. Pages count from 1, while there `has_more`."""
        query = {"limit": limit, "page": page}
        if id is None:
            answer = await self._ask("flags.activity", query=query, urgency=urgency)
        else:
            answer = await self._ask("flags.activity_of", {"id": id}, query=query, urgency=urgency)
        return ActivityPage.of(answer.record("results"))

    async def status(self, id: int) -> FlagStatus:
        """Whether the flag is used, and why the server thinks so."""
        return FlagStatus.of((await self._ask("flags.status", {"id": id})).record("status"))

    async def dependents(self, id: int) -> tuple[FlagKey, ...]:
        """The active flags that ask for this one. On servers that cannot say, the whole list is searched."""
        try:
            found = (await self._ask("flags.dependents", {"id": id})).items()
        except NOT_HERE:
            return tuple(
                [
                    FlagKey(id=row.id, key=row.key, name=row.name or row.key)
                    async for page in self.pages({"active": True}, urgency=Urgency.PERSON)
                    for row in page.rows
                    if id in row.depends_on and row.active
                ]
            )
        return tuple(FlagKey.of(item) for item in found)

    async def bulk_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """The keys of these flags by id; unknown ids are left out."""
        return keys_by_id((await self._ask("flags.bulk_keys", body={"ids": list(ids)})).record("keys"))

    async def matching_ids(self, filters: Query) -> tuple[int, ...]:
        """Ids of the flags the person may edit among those the filters find."""
        try:
            found = (await self._ask_word("flags.matching_ids", query=filters)).record("ids").get("ids")
            return tuple(id for item in as_list(found) if (id := as_id(item)) is not None)
        except NOT_HERE:
            return tuple([row.id async for page in self.pages(filters) for row in page.rows if row.can_edit])

    async def version(self, id: int, number: int) -> FlagVersion:
        """The flag as it was at one version; put together from the activity on servers without a history."""
        try:
            answer = await self._ask("flags.version", {"id": id, "number": number})
            return FlagVersion.of(answer.record("version"))
        except NOT_HERE as refused:
            flag = await self.get(id)
            found = rebuilt_version(flag, await self._history(id), number)
            if found is None:
                raise refused from None
            return found

    async def _history(self, id: int, most: int = 500) -> tuple[Activity, ...]:
        entries: list[Activity] = []
        page = 1
        while len(entries) < most:
            found = await self.activity(id, limit=100, page=page)
            entries += found.entries
            if not found.has_more or not found.entries:
                break
            page += 1
        return tuple(entries)

"""Event definitions: what is known about the events of each name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flagtui.api.capabilities import NOT_HERE, one_by_one
from flagtui.api.clock import Urgency
from flagtui.api.errors import NotFound, ServerFault
from flagtui.api.resource import PagedRecords
from flagtui.api.whole_records import WholeRecords, read_record
from flagtui.models.event_definition import BulkVerified, EventDefinition, GeneratedCode
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.flag_answers import BulkTags
from flagtui.models.json_value import JSON, as_dict, as_text, as_whole
from flagtui.models.rows import EventDefinitionRow


@dataclass(frozen=True, eq=False)
class EventDefinitions(PagedRecords[EventDefinitionRow], WholeRecords[EventDefinition]):
    """The event definitions of one project. A name cannot be changed, and a deletion cannot be taken back.

    Of a page with `is_capped` the total is a lower bound. Filters: search, event_type, ordering, verified,
    tags, exclude_hidden, exclude_stale, names.
    """

    read_page = staticmethod(read_event_definition_page)
    family = "event_definitions"
    kind = EventDefinition

    async def get(self, id: int | str, *, urgency: Urgency = Urgency.PERSON) -> EventDefinition:
        """One definition; `NotFound` also where the server fails on an id it does not have."""
        try:
            return await super().get(id, urgency=urgency)
        except ServerFault as fault:
            if fault.status != 500:
                raise
            raise NotFound("It may have been deleted: the server fails on it.", facts=fault.facts) from None

    async def by_name(self, name: str) -> EventDefinition:
        """The definition of exactly this name; searched for in the list on servers that cannot say."""
        try:
            answer = await self._ask_word("event_definitions.by_name", query={"name": name})
            return read_record(answer, EventDefinition)
        except NOT_HERE:
            async for page in self.pages({"search": name}, urgency=Urgency.PERSON):
                for row in page.rows:
                    if row.name == name:
                        return await self.get(row.id)
            raise NotFound("There is no event of this name.") from None

    async def create(self, name: str, more: Mapping[str, JSON] | None = None) -> EventDefinition:
        """A definition for an event not seen yet. Never sent twice."""
        answer = await self._ask("event_definitions.create", body={"name": name, **(more or {})})
        return read_record(answer, EventDefinition)

    async def update(self, id: str, changes: Mapping[str, JSON]) -> EventDefinition:
        """Changes just these fields, once. `owner` is a user's number; hiding takes `verified` away."""
        return await self._patch(id, changes)

    async def delete(self, id: str) -> None:
        """Deletes it for good; it comes back bare with the next such event."""
        (await self._ask("event_definitions.delete", {"id": id})).expect_nothing()

    async def metrics(self, id: str) -> int | None:
        """How often it was used in queries in 30 days. The product never tells this to a key."""
        answer = await self._ask("event_definitions.metrics", {"id": id})
        return as_whole(answer.record("query_usage_30_day").get("query_usage_30_day"))

    async def primary_properties(self, names: Sequence[str] = ()) -> dict[str, str]:
        """Event name to its most telling property, where one is set."""
        query = {"names": tuple(names)}
        found = (await self._ask_word("event_definitions.primary_properties", query=query)).record()
        named = as_dict(found.get("primary_properties") or found.get("promoted_properties"))
        return {name: as_text(value) for name, value in named.items() if isinstance(value, str)}

    async def bulk_update_tags(
        self, ids: Sequence[str], action: Literal["add", "remove", "set"], tags: Sequence[str]
    ) -> BulkTags:
        """Changes the tags of up to 500 definitions. One by one on servers that cannot do it together."""
        return await self._retag_together(ids, action, tags)

    async def bulk_update_verified(self, ids: Sequence[str], verified: bool) -> BulkVerified:
        """Verifies or unverifies up to 500 definitions: all or none, except where it goes one by one."""

        async def verify(id: str) -> EventDefinition:
            return await self.update(id, {"verified": verified})

        body = {"ids": list(ids), "verified": verified}
        try:
            answer = await self._ask("event_definitions.bulk_update_verified", body=body)
            return BulkVerified.of(answer.record("updated"))
        except NOT_HERE:
            changed, errors = await one_by_one(ids, verify)
            found = [{"id": definition.id, "verified": definition.verified} for definition in changed]
            return BulkVerified.of({"updated": found, "skipped": errors})

    async def code(self, language: Literal["typescript", "golang", "python"]) -> GeneratedCode:
        """Types for all events in a programming language."""
        answer = await self._ask_word("event_definitions.code", {"language": language})
        return GeneratedCode.of(answer.record("content"))

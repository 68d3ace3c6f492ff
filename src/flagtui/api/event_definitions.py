"""Event definitions: list, read, change."""

from collections.abc import Mapping, Sequence
from typing import Literal

from flagtui.api.clock import Urgency
from flagtui.api.errors import NotFound, ServerFault
from flagtui.api.operations import NOT_HERE, one_by_one
from flagtui.api.resource import PagedRecords
from flagtui.api.whole_records import TaggedRecords
from flagtui.models.event_definition import BulkVerified, EventDefinition, GeneratedCode
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.json_value import JSON, as_dict, as_text, as_whole
from flagtui.models.rows import EventDefinitionRow


class EventDefinitions(PagedRecords[EventDefinitionRow], TaggedRecords[EventDefinition]):
    """The event definitions of one project. A name cannot be changed, and a deletion is permanent.

    The total of a page with `is_capped` is a lower bound. Filters: search, event_type, ordering, verified,
    tags, exclude_hidden, exclude_stale, names.
    """

    read_page = staticmethod(read_event_definition_page)
    family = "event_definitions"
    kind = EventDefinition

    async def get(self, id: int | str, *, urgency: Urgency = Urgency.PERSON) -> EventDefinition:
        """Return one definition; raises `NotFound` also where the server fails on an unknown id."""
        try:
            return await super().get(id, urgency=urgency)
        except ServerFault as fault:
            # A proxy's page has no code.
            if fault.status != 500 or not fault.code:
                raise
            raise NotFound("The server failed on this event (500).", facts=fault.facts) from None

    async def by_name(self, name: str) -> EventDefinition:
        """Return the definition of exactly this name; servers without the endpoint are searched."""
        try:
            response = await self._ask_word("event_definitions.by_name", query={"name": name})
            return self._read(response)
        except NOT_HERE:
            async for page in self.pages({"search": name}, urgency=Urgency.PERSON):
                for row in page.rows:
                    if row.name == name:
                        return await self.get(row.id)
            raise NotFound("There is no event of this name.") from None

    async def create(self, name: str, more: Mapping[str, JSON] | None = None) -> EventDefinition:
        """Create a definition for an event without data so far. Never sent twice."""
        response = await self._ask("event_definitions.create", body={"name": name, **(more or {})})
        return self._read(response)

    async def update(self, id: str, changes: Mapping[str, JSON]) -> EventDefinition:
        """Change only these fields, in one request. `owner` is a user's id; hiding removes `verified`."""
        return await self._whole("update", id, dict(changes))

    async def delete(self, id: str) -> None:
        """Delete the definition permanently; the next event with its name creates an empty one."""
        (await self._ask("event_definitions.delete", {"id": id})).expect_nothing()

    async def metrics(self, id: str) -> int | None:
        """Return the number of queries that used it in 30 days; None where keys may not read it."""
        response = await self._ask("event_definitions.metrics", {"id": id})
        return as_whole(response.record("query_usage_30_day").get("query_usage_30_day"))

    async def primary_properties(self, names: Sequence[str] = ()) -> dict[str, str]:
        """Return the primary property of each event that has one, by event name."""
        query = {"names": tuple(names)}
        body = (await self._ask_word("event_definitions.primary_properties", query=query)).record()
        named = as_dict(body.get("primary_properties") or body.get("promoted_properties"))
        return {name: as_text(value) for name, value in named.items() if isinstance(value, str)}

    async def bulk_update_verified(self, ids: Sequence[str], verified: bool) -> BulkVerified:
        """Set `verified` of up to 500 definitions: all or none where there is a bulk endpoint."""

        async def verify(id: str) -> EventDefinition:
            return await self.update(id, {"verified": verified})

        body = {"ids": list(ids), "verified": verified}
        try:
            response = await self._ask("event_definitions.bulk_update_verified", body=body)
            return BulkVerified.of(response.record("updated"))
        except NOT_HERE:
            changed, errors = await one_by_one(ids, verify)
            updated = [{"id": definition.id, "verified": definition.verified} for definition in changed]
            return BulkVerified.of({"updated": updated, "skipped": errors})

    async def code(self, language: Literal["typescript", "golang", "python"]) -> GeneratedCode:
        """Return types for all events in a programming language."""
        response = await self._ask_word("event_definitions.code", {"language": language})
        return GeneratedCode.of(response.record("content"))

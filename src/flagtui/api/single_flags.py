"""Feature flags as the JSON objects that the server sent: one by its id or exactly its key, or all.

Separate from `Flags`, whose typed records take longer to load than a flag takes to read.
"""

from flagtui.api.clock import Urgency
from flagtui.api.resource import Resource
from flagtui.models.json_value import JSON, as_id, as_text


class SingleFlags(Resource):
    """The flags of one project."""

    async def get(self, id: int, *, urgency: Urgency = Urgency.PERSON) -> dict[str, JSON]:
        """Return the whole flag, also an archived or deleted one."""
        response = await self._ask("flags.get", {"id": id}, urgency=urgency)
        record = response.record("id", "key")
        if as_id(record.get("id")) != id:
            raise response.unreadable("it is not the flag that was asked for")
        if not as_text(record.get("key")):
            raise response.unreadable("the flag has no key")
        return record

    async def all(self) -> list[dict[str, JSON]]:
        """Return every flag of the list, which has no archived ones."""
        # Rows and their typed readers, which single flags need nothing of.
        from flagtui.api.listed_objects import ListedFlags

        pages = ListedFlags(self.connection, self.project).pages(urgency=Urgency.PERSON)
        return [flag.raw async for page in pages for flag in page.rows]

    async def find(self, key: str) -> dict[str, JSON] | None:
        """Return the whole flag with exactly this key, archived or not; None if there is none."""
        # Servers without the filter search for the key.
        sought: dict[str, JSON] = {"key": key, "search": key[:200]}
        for archived in (None, True):
            async for item in self._objects("flags.list", {**sought, "archived": archived}):
                if item.get("key") == key:
                    return item
        return None

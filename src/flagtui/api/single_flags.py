"""One feature flag as the JSON object the server sent: by its id, or by exactly its key.

Apart from `Flags`, whose typed records take longer to load than a flag takes to read.
"""

from dataclasses import dataclass

from flagtui.api.clock import Urgency
from flagtui.api.request import Answer
from flagtui.api.resource import Resource
from flagtui.models.json_value import JSON, as_id, as_list


@dataclass(frozen=True, eq=False)
class SingleFlags(Resource):
    """The flags of one project, one at a time."""

    async def get(self, id: int, *, urgency: Urgency = Urgency.PERSON) -> dict[str, JSON]:
        """The whole flag, also when it is archived or deleted."""
        return flag_object(await self._ask("flags.get", {"id": id}, urgency=urgency), id)

    async def find(self, key: str) -> dict[str, JSON] | None:
        """The whole flag with exactly this key, archived or not; one request for one in the list."""
        # Servers that do not know the filter search for the key.
        sought: dict[str, JSON] = {"key": key, "search": key[:200], "limit": 100}
        for archived in (None, True):
            read, has_more = 0, True
            while has_more:
                query = {**sought, "offset": read or None, "archived": archived}
                page = (await self._ask("flags.list", query=query)).record("results")
                found = [item for item in as_list(page.get("results")) if isinstance(item, dict)]
                if match := next((item for item in found if item.get("key") == key), None):
                    return match
                read += len(found)
                has_more = bool(found and page.get("next"))
        return None


def flag_object(answer: Answer, id: int | None = None) -> dict[str, JSON]:
    """The flag in an answer. Raises BadAnswer when there is none, or another one than was asked for."""
    found = answer.record("id", "key")
    known = as_id(found.get("id"))
    if known is None or (id is not None and known != id):
        raise answer.unreadable("it is not the flag that was asked for")
    return found

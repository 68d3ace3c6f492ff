"""Properties of users, groups and events: names and stored values, for completion."""

from collections.abc import Iterator
from typing import Final, Literal

from flagtui.api.clock import Urgency
from flagtui.api.request import Query
from flagtui.api.resource import Resource
from flagtui.models.json_value import JSON, as_dict, as_list, as_text, as_whole
from flagtui.models.property_responses import PropertyName, PropertyNames, StoredValue

Owner = Literal["person", "group", "event"]
NAMES: Final = 300
"""Names in one response; a search finds the others."""


class Properties(Resource):
    """Names of properties that conditions and metrics can use, and stored values."""

    async def names(
        self, owner: Owner, search: str = "", *, group_type: int | None = None, event: str = ""
    ) -> PropertyNames:
        """Return names that contain the search; of events, only those seen with one event if it is named."""
        query: Query = {
            "type": owner,
            "limit": NAMES,
            "search": search or None,
            "group_type_index": group_type,
            "event_names": [event] if event else None,
            "filter_by_event_names": True if event else None,
        }
        page = (await self._ask("properties.list", query=query, urgency=Urgency.LOADING)).record("results")
        names = tuple(_names(as_list(page["results"])))
        has_more = bool(page["next"]) if "next" in page else (as_whole(page.get("count")) or 0) > len(names)
        return PropertyNames(names, not has_more)

    async def values(
        self, key: str, search: str = "", *, group_type: int | None = None
    ) -> tuple[StoredValue, ...]:
        """Return the most frequent values that contain the search, of users or of groups of one type."""
        query: Query = {"key": key, "value": search or None, "group_type_index": group_type}
        name = "properties.person_values" if group_type is None else "properties.group_values"
        response = await self._ask(name, query=query, urgency=Urgency.LOADING)
        # Newer servers put the list into an object, with whether they are still collecting.
        body = response.json()
        items = as_list(as_dict(body).get("results")) if isinstance(body, dict) else response.items()
        return tuple(
            StoredValue(item["name"], as_whole(item.get("count")))
            for item in items
            if isinstance(item, dict) and isinstance(item.get("name"), str | int | float)
        )


def _names(items: list[JSON]) -> Iterator[PropertyName]:
    for item in items:
        name = as_text(as_dict(item).get("name"))
        if name:
            yield PropertyName(name, as_text(as_dict(item).get("property_type")))

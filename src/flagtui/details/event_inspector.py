"""Everything about one event definition, and which experiments use it: each part as far as it can be had."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from flagtui.api import Client
from flagtui.api.errors import ApiError, ClosedToKeys
from flagtui.changes.event_definitions.event_uses import EventUses, Use
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import EventDefinitionRow


@dataclass(frozen=True)
class EventDetails:
    """What is known beyond the row; a part that is None is still on its way unless there is a reason."""

    row: EventDefinitionRow
    definition: EventDefinition | None = None
    usage: int | None = None
    why_no_usage: str = ""
    uses: tuple[Use, ...] | None = None
    why_no_uses: str = ""
    trouble: str = ""


class EventInspector:
    """Asks the server about single event definitions."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def look(self, row: EventDefinitionRow) -> AsyncIterator[EventDetails]:
        """The definition as more and more of it arrives. Errors become words."""
        details = EventDetails(row)
        try:
            definition = await self._client.event_definitions.get(row.id)
        except ApiError as error:
            yield replace(details, trouble=f"{error.what} {error.next}".strip())
            return
        details = replace(details, definition=definition, row=definition.row())
        yield details
        counted, measured = await asyncio.gather(self._usage(row.id), EventUses(self._client).find(row.name))
        details = replace(details, usage=counted[0], why_no_usage=counted[1])
        yield replace(details, uses=measured[0], why_no_uses=measured[1])

    async def _usage(self, id: str) -> tuple[int | None, str]:
        try:
            found = await self._client.event_definitions.metrics(id)
        except ClosedToKeys:
            return None, "not available with an API key: the server keeps it from every key"
        except ApiError as error:
            return None, error.what
        return found, "" if found is not None else "the server did not say"

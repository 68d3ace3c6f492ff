"""Load one event definition and the experiments that use it."""

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
    """The details loaded so far; a part that is None is pending unless its reason is set."""

    row: EventDefinitionRow
    definition: EventDefinition | None = None
    usage: int | None = None
    why_no_usage: str = ""
    uses: tuple[Use, ...] | None = None
    why_no_uses: str = ""
    trouble: str = ""


class EventInspector:
    """Loads the details of event definitions."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def load(self, row: EventDefinitionRow) -> AsyncIterator[EventDetails]:
        """Yield the details as they arrive. Errors become `trouble`."""
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
            usage = await self._client.event_definitions.metrics(id)
        except ClosedToKeys:
            return None, "not available to API keys"
        except ApiError as error:
            return None, error.what
        return usage, "" if usage is not None else "not reported by the server"

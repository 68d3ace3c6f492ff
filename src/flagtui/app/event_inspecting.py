"""Everything about one event definition: asked for when it is opened, each part as far as it can be had."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import ApiError, ClosedToKeys
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow

if TYPE_CHECKING:
    from flagtui.api import Client

LOOKED_AT: Final = 30
"""Experiments read to find those that use an event: servers may ignore the filter and give all."""
AT_ONCE: Final = 6


@dataclass(frozen=True)
class Use:
    """An experiment that measures the event."""

    id: int
    name: str
    status: str = ""


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
        counted, measured = await asyncio.gather(self._usage(row.id), self.uses(row.name))
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

    async def uses(self, name: str) -> tuple[tuple[Use, ...] | None, str]:
        """Experiments whose metrics or exposure name the event; servers that cannot filter are read."""
        try:
            page = await self._client.experiments.page({"event": name, "limit": 100})
        except ApiError as error:
            return None, error.what
        turn = asyncio.Semaphore(AT_ONCE)

        async def read(id: int) -> Experiment | None:
            async with turn:
                try:
                    return await self._client.experiments.get(id)
                except ApiError:
                    return None

        rows = [row for row in page.rows if not row.deleted][:LOOKED_AT]
        found = await asyncio.gather(*(read(row.id) for row in rows))
        status = {row.id: row.status for row in rows}
        uses = tuple(
            Use(one.id, one.name, status.get(one.id, "")) for one in found if one and uses_event(one, name)
        )
        more = page.total - len(rows)
        why = f"looked at {len(rows)} of {page.total} experiments" if more > 0 else ""
        return uses, why


def uses_event(experiment: Experiment, name: str) -> bool:
    """Whether the event is in what the experiment measures, or in who is counted as exposed."""
    parts: list[JSON] = [
        *experiment.metrics,
        *experiment.metrics_secondary,
        *experiment.secondary_metrics,
        dict(experiment.exposure_criteria),
        dict(experiment.filters),
        *(dict(link.query) for link in experiment.saved_metrics),
    ]
    return any(_names(part, name) for part in parts)


def _names(value: JSON, event: str) -> bool:
    if isinstance(value, dict):
        named = value.get("event") == event or (value.get("type") == "events" and value.get("id") == event)
        return named or any(_names(item, event) for item in value.values())
    return isinstance(value, list) and any(_names(item, event) for item in value)

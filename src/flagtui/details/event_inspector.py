"""Everything about one event definition, and which experiments use it: each part as far as it can be had."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import ApiError, ClosedToKeys
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.rows import EventDefinitionRow

LOOKED_AT: Final = 30
"""Experiments read to find those that use an event: servers may ignore the filter and give all."""
AT_ONCE: Final = 6


@dataclass(frozen=True)
class Use:
    """An experiment that measures the event."""

    id: int
    name: str
    status: str = ""


Found = tuple[tuple[Use, ...] | None, str]
"""The experiments, and why they may not be all; None when they cannot be known."""


class EventUses:
    """Asks the server. An experiment is read once, whichever event it is looked at for."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._found: dict[str, Found] = {}
        self._read: dict[int, Experiment] = {}

    def known(self, name: str) -> Found | None:
        """What was found before; None when nobody looked yet."""
        return self._found.get(name)

    async def find(self, name: str) -> Found:
        """Experiments whose metrics or exposure name the event; servers that cannot filter are read."""
        if (found := self._found.get(name)) is not None:
            return found
        try:
            page = await self._client.experiments.page({"event": name, "limit": 100})
        except ApiError as error:
            return None, error.what
        rows = [row for row in page.rows if not row.deleted][:LOOKED_AT]
        turn = asyncio.Semaphore(AT_ONCE)
        read = await asyncio.gather(*(self._get(row.id, turn) for row in rows))
        status = {row.id: row.status for row in rows}
        uses = tuple(
            Use(one.id, one.name, status.get(one.id, "")) for one in read if one and uses_event(one, name)
        )
        more = page.total - len(rows)
        why = f"looked at {len(rows)} of {page.total} experiments" if more > 0 else ""
        self._found[name] = uses, why
        return uses, why

    async def _get(self, id: int, turn: asyncio.Semaphore) -> Experiment | None:
        if id in self._read:
            return self._read[id]
        async with turn:
            try:
                self._read[id] = await self._client.experiments.get(id)
            except ApiError:
                return None
        return self._read[id]


def uses_event(experiment: Experiment, name: str) -> bool:
    """Whether the event is in what the experiment measures, or in who is counted as exposed."""
    return name in events_measured(experiment)


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

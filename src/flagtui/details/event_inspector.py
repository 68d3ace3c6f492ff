"""Load one event definition and the experiments that use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import ApiError, ClosedToKeys
from flagtui.changes.event_definitions.event_uses import EventUse, EventUses
from flagtui.models.event_definition import EventDefinition
from flagtui.models.rows import EventDefinitionRow
from flagtui.models.staged_words import StagedWords

if TYPE_CHECKING:
    from flagtui.changes.sets.change_set import StagedChange


class EventDetails(msgspec.Struct, frozen=True):
    """The details loaded so far; a part that is None is pending unless its reason is set."""

    row: EventDefinitionRow
    definition: EventDefinition | None = None
    usage: int | None = None
    why_no_usage: str = ""
    uses: tuple[EventUse, ...] | None = None
    why_no_uses: str = ""
    trouble: str = ""
    staged: StagedWords | None = None
    """The staged change of the definition, while keys stage; `definition` has its values."""


class EventInspector:
    """Loads the details of event definitions."""

    def __init__(
        self,
        client: Client,
        change: StagedChange | None = None,
        learn_row: Callable[[EventDefinitionRow], object] = lambda _row: None,
    ) -> None:
        """`change` is the staged change of the definition, with which its details are shown.

        `learn_row` is called with the row that was read.
        """
        self._client = client
        self._change = change
        self._learn_row = learn_row

    async def load(self, row: EventDefinitionRow) -> AsyncIterator[EventDetails]:
        """Yield the details as they arrive. Errors become `trouble`."""
        details = EventDetails(row)
        try:
            definition = await self._client.event_definitions.get(row.id)
        except ApiError as error:
            yield replace(details, trouble=f"{error.what} {error.next}".strip())
            return
        read = definition.row()
        if self._change is not None:
            # Loaded here: without staged changes, no page needs it.
            from flagtui.details.staged_details import as_if_applied, staged_words

            details = replace(details, staged=staged_words(definition, self._change))
            definition = as_if_applied(definition, self._change)
        details = replace(details, definition=definition, row=definition.row())
        yield details
        self._learn_row(read)
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

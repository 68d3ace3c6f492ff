"""Find the experiments that use an event, as far as the server reports them."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.experiments.metric_nodes import all_metrics, events_measured, nodes_of
from flagtui.models.experiment import Experiment

LOOKED_AT: Final = 30
"""Experiments read to find those that use an event: servers may ignore the filter and give all."""
AT_ONCE: Final = 6


class EventUse(msgspec.Struct, frozen=True):
    """An experiment that measures the event."""

    id: int
    name: str
    status: str = ""
    is_by_action: bool = False
    """Whether it measures an action that contains the event."""

    @property
    def words(self) -> str:
        """Its state, and how it measures the event: `running, through an action`."""
        return ", ".join(filter(None, (self.status, "through an action" if self.is_by_action else "")))


KnownUses = tuple[tuple[EventUse, ...] | None, str]
"""The experiments, and why they may not be all; None when they cannot be known."""


class EventUses:
    """Finds the experiments that use events; each experiment is read once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._uses: dict[str, KnownUses] = {}
        self._read: dict[int, Experiment] = {}

    async def find(self, name: str) -> KnownUses:
        """Find experiments whose metrics or exposure name the event; read all if the server cannot filter."""
        if (cached := self._uses.get(name)) is not None:
            return cached
        try:
            page = await self._client.experiments.page({"event": name, "limit": 100})
        except ApiError as error:
            return None, error.what
        rows = [row for row in page.rows if not row.deleted][:LOOKED_AT]
        turn = asyncio.Semaphore(AT_ONCE)
        read = await asyncio.gather(*(self._get(row.id, turn) for row in rows))
        status = {row.id: row.status for row in rows}
        uses = tuple(
            EventUse(each.id, each.name, status.get(each.id, ""), is_by_action=not uses_event(each, name))
            for each in filter(None, read)
            if uses_event(each, name) or _may_use_by_action(each)
        )
        looked_at = sum(experiment is not None for experiment in read)
        is_all = looked_at >= page.total
        why = "" if is_all else f"looked at {looked_at:,} of {page.total:,} experiments"
        self._uses[name] = uses, why
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


def _may_use_by_action(experiment: Experiment) -> bool:
    """Return whether an action can be why the server named the experiment; older servers name all."""
    nodes = (node for metric in all_metrics(experiment) for node in nodes_of(metric))
    return experiment.is_legacy is not None and any(node.get("kind") == "ActionsNode" for node in nodes)


def uses_event(experiment: Experiment, name: str) -> bool:
    """Return whether the experiment measures the event or uses it as exposure."""
    return name in events_measured(experiment)

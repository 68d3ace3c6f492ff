"""A service with a handful of event definitions, and the pipeline of changes for them."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.changes.writing import Writing, approve, run_all
from tests.doubles.new_database import copy_tables
from tests.doubles.steady_clock import Timing
from tests.doubles.whole_program import HOST, KEY
from tests.doubles.wire import Wire

from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter, DefinitionOutcome
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.models.event_definition import EventDefinition
from flagtui.service import close_service, create_service

NOW = 1_780_000_000.0
HERE = Signature("alice", "test", HOST, "1")


def definition(**fields: Any) -> EventDefinition:
    """A definition as the server would send it."""
    return EventDefinition.of({"id": "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f", "name": "signed up", **fields})


@dataclass
class World:
    """The client, what passes between it and the service, and the journal."""

    client: Client
    wire: Wire
    timing: Timing
    save_context: Writing
    ids: dict[str, str] = field(default_factory=dict)

    async def fresh(self, name: str) -> EventDefinition:
        return await self.client.event_definitions.get(self.ids[name])

    async def save(
        self, *plans: EventPlan, undoes: dict[str, str] | None = None
    ) -> Sequence[DefinitionOutcome]:
        return await run_all(self.save_context.batch(approve(*plans), undoes))

    def entries(self) -> list[Entry]:
        return self.save_context.journal.entries()


Opened = Callable[..., Any]
AROUND = DefinitionContext(NOW, {1: "alice@acme.com"})


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """Opens a world whose service has these events; options are the service's."""

    @asynccontextmanager
    async def open_world(*names: str, **options: Any) -> AsyncIterator[World]:
        timing = Timing(NOW)
        database = copy_tables(tmp_path / "service.db")
        plain = create_service(database, key=KEY, clock=lambda: datetime.fromtimestamp(timing.now, UTC))
        ids: dict[str, str] = {}
        async with Client(HOST, KEY, 1, transport=in_process(plain), clock=timing) as maker:
            for name in names:
                ids[name] = (await maker.event_definitions.create(name)).id
        close_service(plain)
        service = create_service(database, clock=lambda: datetime.fromtimestamp(timing.now, UTC), **options)
        wire = Wire(in_process(service))
        try:
            async with Client(HOST, KEY, 1, transport=wire, clock=timing) as client:
                journal = Journal(tmp_path / "journal", clock=timing.time)
                yield World(
                    client,
                    wire,
                    timing,
                    Writing(DefinitionAdapter(client.event_definitions), journal, HERE, timing),
                    ids,
                )
        finally:
            close_service(service)

    return open_world

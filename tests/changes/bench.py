"""A service and a person who changes every kind of record."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import httpx
from msgspec.structs import replace
from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect, require
from tests.doubles.new_database import copy_tables
from tests.doubles.service_world import Clock, World
from tests.doubles.steady_clock import SteadyClock
from tests.doubles.wire import Wire

from flagtui.api.client import Client
from flagtui.api.errors import NotFound
from flagtui.api.http_library import in_process
from flagtui.changes.adapter import Adapter
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan, plan_event
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Question
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned
from flagtui.changes.related.related_entries import RelatedAdapter
from flagtui.changes.undo import kind_of, parts_left, undoable
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.service import Settings, create_service
from flagtui.service.application import close_service

HERE: Final = Signature("ada@acme.test", "demo", "http://127.0.0.1:8010", "1")
GENERATIONS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    "strict": {"strict": True, "strict_filters": True, "strict_versions": True},
    "legacy": {"legacy": True},
}
KEY: Final = "phx_everything"
EVENT: Final = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
RUN: Final = ("evaluation_runtime", "ensure_experience_continuity")
State = Callable[[], Awaitable[object]]
"""What the server has of the record now."""


class ChangeCount(httpx.AsyncBaseTransport):
    """The way to the service, which counts the requests that changed something."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.done = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        self.done += request.method != "GET" and response.is_success
        return response


class Bench:
    """A service in this process and a person who changes all kinds of records."""

    def __init__(self, client: Client, folder: Path, world: World, wire: Wire, clock: SteadyClock) -> None:
        self.client = client
        self.world = world
        self.wire = wire
        self.service = wire.inner = ChangeCount(wire.inner)
        self.clock = clock
        self.journal = Journal(folder / "journal", clock=self.clock.time)
        self.questions: list[Question[Any]] = []
        self.undo_context = UndoContext(client, self.clock)

    def writing(self, adapter: Adapter[Any, Any], signature: Signature = HERE) -> Writing:
        """What writes one kind of record."""
        return Writing(adapter, self.journal, signature, self.clock, questions=self.questions)

    async def plan_flag(self, intent: Intent) -> Plan:
        fresh, context = await self.client.flags.get(intent.id), Context(now=self.now, dependents=())
        return expect(plan_flag(intent, fresh, context), Plan)

    def plan_step(self, name: StepName, fresh: Experiment, /, **chosen: Any) -> ExperimentPlan:
        intent = ExperimentIntent(fresh.id, STEPS[name], Choices(**chosen))
        return expect(plan_step(intent, fresh, StepContext(self.now)), ExperimentPlan)

    async def plan_event(self, intent: EventIntent) -> EventPlan:
        fresh = await self.client.event_definitions.get(intent.id)
        return expect(plan_event(intent, fresh, DefinitionContext(self.now)), EventPlan)

    def adapter_of(self, plan: Any) -> Adapter[Any, Any]:
        """The adapter of its kind of record."""
        client = self.client
        match plan:
            case Plan():
                return FlagAdapter(client.flags)
            case ExperimentPlan():
                return StepAdapter(client.experiments, lambda id: client.for_project(id).experiments)
            case EventPlan():
                return DefinitionAdapter(client.event_definitions)
        return RelatedAdapter(client)

    async def save(self, plan: Any) -> None:
        ended = await self.writing(self.adapter_of(plan)).save(approve(plan))
        assert (ended.ending, ended.remarks) == ("saved", ()), ended

    @cached_property
    def colleague(self) -> World:
        """The same service, with the key of another user."""
        return self.world.with_key("*", user=self.world.add_user("bob@acme.test"))

    @property
    def now(self) -> float:
        self.clock.now += 1
        return self.clock.time()

    def flag_state(self, id: int, project: int = 1) -> State:
        names = ("key", "name", "active", "archived", "deleted", "filters", "tags", *RUN)

        async def state() -> object:
            flag = await self.client.for_project(project).flags.get(id)
            values = {name: flag.raw.get(name) for name in names}
            # Deleting may rename.
            return "gone" if flag.deleted else values

        return state

    def new_state(self, state: Callable[[int, int], State], project: int = 1) -> State:
        """Reads what the first change of the journal made."""

        async def read() -> object:
            record = [entry.record for entry in self.journal.entries()][-1:]
            return await state(record[0], project)() if any(record) else "gone"

        return read

    def experiment_state(self, id: int, project: int = 1) -> State:
        names = ["name", "description", "start_date", "end_date", "archived", "conclusion", "metrics"]
        names += ["conclusion_comment"]

        async def state() -> object:
            try:
                experiment = await self.client.for_project(project).experiments.get(id)
            except NotFound:
                return "gone"
            flag = require(experiment.feature_flag)
            values = {name: experiment.raw[name] for name in names}
            return values, experiment.state, flag.active, flag.filters

        return state

    def event_state(self, name: str) -> State:
        names = ("description", "tags", "verified", "hidden", "owner", "enforcement_mode", "primary_property")

        async def state() -> object:
            try:
                definition = await self.client.event_definitions.by_name(name)
            except NotFound:
                return "gone"
            return {name: definition.raw.get(name) or None for name in names}

        return state

    async def new_flag(self, key: str = "checkout", **fields: JSON) -> int:
        filters: JSON = {"groups": [{"properties": [], "rollout_percentage": 25}]}
        return (await self.client.flags.create({"key": key, "active": True, "filters": filters, **fields})).id

    def new_event(self, **columns: Any) -> str:
        """The id of an event definition; its name alone makes another id."""
        id = str(uuid5(NAMESPACE_URL, columns["name"])) if "name" in columns else EVENT
        self.world.insert("event_definitions", **{"id": id, "project_id": 1, "name": "signed up", **columns})
        return id

    async def in_state(self, state: str) -> Experiment:
        """A new experiment, brought that far."""

        def pass_days() -> None:
            # Older servers take the end from the client's clock.
            self.world.clock.pass_(days=9)
            self.clock.now = self.world.clock().timestamp()

        return await bring(self.client, state, ("Blue button", "blue"), pass_days)

    async def take_back(self, entry: Entry, overwrite: bool = False) -> list[str]:
        """Every part of it; the words of each."""
        assert entry in undoable(self.journal.entries(), HERE)
        lines = []
        client = self.client.for_project(entry.signature.project)
        for part in await parts_left(entry, (), client):
            context = replace(self.undo_context, client=client)
            prepared = await kind_of(part.entry.kind).prepare_undo(part.entry, context)
            if prepared is None:
                # The server did it together with the part before.
                continue
            assert isinstance(prepared, Planned), prepared
            (plan,) = prepared.plans
            approved = approve(plan, overwrite=overwrite)
            self.clock.now += 1
            signature = (prepared.signature or entry.signature).made_from(HERE)
            writing = self.writing(require(prepared.adapter), signature)
            (ended,) = await writing.send(approved, {(plan.id, plan.key): part.undoes})
            assert ended.is_saved, ended
            lines.append(f"{ended.plan.key} {ended.plan.verb.done}")
        return lines


async def bring(
    client: Client, state: str, names: tuple[str, str], before_end: Callable[[], None] = lambda: None
) -> Experiment:
    """A new experiment with this name and flag key, in this state."""
    ours = client.experiments
    made = await ours.create(*names)
    if state == "deleted":
        # A deleted one cannot be read.
        return Experiment.of({**(await ours.delete(made.id)).raw, "deleted": True})
    if state != "draft":
        made = await ours.launch(made.id)
    if state == "paused":
        made = await ours.pause(made.id)
    if state == "concluded":
        made = await ours.update(made.id, {"conclusion": "lost", "conclusion_comment": "so far"})
    if state in ("stopped", "archived"):
        before_end()
        made = await ours.end(made.id, conclusion="lost", comment="so far")
    return await ours.archive(made.id) if state == "archived" else made


@asynccontextmanager
async def working(folder: Path, **choices: Any) -> AsyncIterator[Bench]:
    clock = Clock()
    service = create_service(copy_tables(folder / "service.db"), Settings(clock=clock, **choices), key=KEY)
    unheard = httpx.AsyncClient(transport=in_process(service), base_url=HERE.host)
    world = World(unheard, folder, clock, service)
    world.add_project()
    try:
        # All scopes at once are not enough for copies.
        key = world.with_key("*", "feature_flag:write").headers["Authorization"].removeprefix("Bearer ")
        wire, steady = Wire(in_process(service)), SteadyClock(now=world.clock().timestamp())
        async with Client(HERE.host, key, 1, transport=wire, clock=steady) as client:
            yield Bench(client, folder, world, wire, steady)
    finally:
        close_service(service)

"""Every kind of change the journal knows, made on the real service and taken back, or kept with a reason."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.changes.test_with_the_service import GENERATIONS, HERE
from tests.doubles.service_world import Clock, World
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.client import Client
from flagtui.api.errors import NotFound
from flagtui.api.in_process import in_process
from flagtui.changes.aside import AsideDesk, AsidePlan, Send, send_aside
from flagtui.changes.aside_recovery import recover_asides
from flagtui.changes.beside import VERBS
from flagtui.changes.blocking import Blocked
from flagtui.changes.context import Context
from flagtui.changes.copying import Target, plan_copy, send_copy
from flagtui.changes.creating import Taken, plan_create
from flagtui.changes.entries import Entry
from flagtui.changes.event_definitions import intent as event
from flagtui.changes.event_definitions.intent import EventIntent
from flagtui.changes.event_definitions.plan import Around as EventAround
from flagtui.changes.event_definitions.plan import EventPlan, plan_event
from flagtui.changes.event_definitions.saving import Desk as EventDesk
from flagtui.changes.event_definitions.saving import save_all
from flagtui.changes.experiments.following import Around
from flagtui.changes.experiments.plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.saving import StepDesk, save_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.guard import Answer, Approved, NotYet, Question, Rules, guard
from flagtui.changes.intent import Intent
from flagtui.changes.journal import Journal
from flagtui.changes.plan import Plan, plan_flag
from flagtui.changes.proposal import Proposal
from flagtui.changes.saving import Desk, save
from flagtui.changes.scheduling import Later, plan_later, send_later
from flagtui.changes.taking_back import as_left, undoable, why_not
from flagtui.changes.way_back import Office, WayBack, find_way_back, parts_left
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_id
from flagtui.service import create_service
from flagtui.service.application import close_service

KEY: Final = "phx_everything"
EVENT: Final = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
State = Callable[[], Awaitable[object]]
"""What the server has of the record now."""


class Bench:
    """A service in this process and somebody who changes all kinds of records."""

    def __init__(self, client: Client, folder: Path, world: World) -> None:
        self.client = client
        self.world = world
        self.clock = SteadyClock(now=world.clock().timestamp())
        self.journal = Journal(folder / "journal", clock=self.clock.time)
        self.office = Office(client, self.journal, HERE, self.clock)

    async def flag(self, wanted: Intent) -> State:
        fresh = await self.client.flags.get(wanted.id)
        plan = plan_flag(wanted, fresh, Context(now=self.clock.time(), dependents=()))
        assert isinstance(plan, Plan), plan
        state = self.flag_state(wanted.id)
        before = await state()
        await save(agree(plan), Desk(self.client.flags, self.journal, HERE, self.clock))
        assert await state() != before
        return state

    async def step(self, name: StepName, fresh: Experiment, /, **chosen: Any) -> State:
        plan = plan_step(ExperimentIntent(fresh.id, STEPS[name], Choices(**chosen)), fresh, Around(self.now))
        assert isinstance(plan, ExperimentPlan), plan
        desk = StepDesk(self.client.experiments, self.journal, HERE, self.clock)
        ended = await save_step(agree(plan), desk)
        assert ended.ending == "saved", ended
        return self.experiment_state(fresh.id)

    async def event(self, wanted: EventIntent) -> State:
        fresh = await self.client.event_definitions.get(wanted.id)
        plan = plan_event(wanted, fresh, EventAround(self.now))
        assert isinstance(plan, EventPlan), plan
        desk = EventDesk(self.client.event_definitions, self.journal, HERE, self.clock)
        (ended,) = [one async for one in save_all(agree(plan), desk)]
        assert ended.is_saved, ended
        return self.event_state(fresh.name)

    async def aside(self, plan: AsidePlan | Blocked, send: Send) -> None:
        assert isinstance(plan, AsidePlan), plan
        ended = await send_aside(agree(plan), send, AsideDesk(self.journal, HERE, self.clock))
        assert ended.ending == "saved", ended

    @property
    def now(self) -> float:
        self.clock.now += 1
        return self.clock.time()

    def flag_state(self, id: int, project: int = 1) -> State:
        async def state() -> object:
            flag = await self.client.for_project(project).flags.get(id)
            names = ("key", "name", "active", "archived", "deleted", "filters", "tags")
            # Deleting may rename.
            return "gone" if flag.deleted else {name: flag.raw.get(name) for name in names}

        return state

    def experiment_state(self, id: int, project: int = 1) -> State:
        names = ("name", "description", "start_date", "end_date", "archived", "conclusion", "metrics")

        async def state() -> object:
            try:
                found = await self.client.for_project(project).experiments.get(id)
            except NotFound:
                return "gone"
            assert found.feature_flag is not None
            flag = (found.feature_flag.active, found.feature_flag.filters)
            return {name: found.raw[name] for name in names}, found.state, flag

        return state

    def event_state(self, name: str) -> State:
        names = ("description", "tags", "verified", "hidden", "owner", "enforcement_mode", "primary_property")

        async def state() -> object:
            try:
                found = await self.client.event_definitions.by_name(name)
            except NotFound:
                return "gone"
            return {name: found.raw.get(name) or None for name in names}

        return state

    async def new_flag(self, key: str = "checkout", **fields: JSON) -> int:
        filters: JSON = {"groups": [{"properties": [], "rollout_percentage": 25}]}
        return (await self.client.flags.create({"key": key, "active": True, "filters": filters, **fields})).id

    def new_event(self, **columns: Any) -> str:
        values = {"id": EVENT, "project_id": 1, "name": "signed up", **columns}
        places = ", ".join("?" for _ in values)
        self.world.write(
            f"INSERT INTO event_definitions ({', '.join(values)}) VALUES ({places})", *values.values()
        )
        return EVENT

    async def in_state(self, state: str) -> Experiment:
        """A new experiment, brought that far."""
        ours = self.client.experiments
        made = await ours.create("Blue button", "blue")
        if state != "draft":
            made = await ours.launch(made.id)
        if state == "paused":
            made = await ours.pause(made.id)
        if state in ("stopped", "archived"):
            self.world.clock.pass_(days=9)
            made = await ours.end(made.id, conclusion="lost", comment="so far")
        return await ours.archive(made.id) if state == "archived" else made

    async def take_back(self, entry: Entry, overwrite: bool = False) -> list[str]:
        """Every part of it; the words of each."""
        assert entry in undoable(self.journal.entries(), HERE)
        said = []
        parts = await parts_left(entry, self.client)
        for part in parts:
            way = await find_way_back(part, self.office, entry.id if part == parts[-1] else "")
            assert isinstance(way, WayBack), way
            question = way.ask(Rules())
            assert isinstance(question, Question)
            approved = question.settle(Answer(yes=True, typed=way.plan.type_to_confirm, overwrite=overwrite))
            assert isinstance(approved, Approved), approved
            self.clock.now += 1
            ended = await way.send(approved)
            assert ended.ending == "saved", ended
            said.append(f"{ended.key} {ended.words}")
        return said


def agree(plan: Any) -> Approved[Any]:
    question = guard([plan], Rules())
    assert isinstance(question, Question)
    typed: Proposal = plan
    approved = question.settle(Answer(yes=True, typed=typed.type_to_confirm))
    assert isinstance(approved, Approved), approved
    return approved


@asynccontextmanager
async def working(folder: Path, **choices: Any) -> AsyncIterator[Bench]:
    clock = Clock()
    service = create_service(folder / "service.db", key=KEY, clock=clock, **choices)
    world = World(httpx.AsyncClient(), folder, clock, service.state.dispatcher.database)
    world.add_project()
    try:
        # All scopes at once are not enough for copies.
        key = world.with_key("*", "feature_flag:write").headers["Authorization"].removeprefix("Bearer ")
        async with Client(HERE.host, key, 1, transport=in_process(service)) as client:
            yield Bench(client, folder, world)
    finally:
        close_service(service)


Case = Callable[[Bench], Awaitable[tuple[State, object]]]
"""Makes the change; what reads the record, and how it was before."""


def of_flag(changes: Mapping[str, JSON], verb: str, **before: JSON) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        id = await bench.new_flag(**before)
        was = await bench.flag_state(id)()
        return await bench.flag(Intent(id, changes, verb)), was

    return case


def of_event(wanted: Callable[[str], EventIntent], **before: Any) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        id = bench.new_event(**before)
        was = await bench.event_state("signed up")()
        return await bench.event(wanted(id)), was

    return case


def of_step(name: StepName, state: str, /, **chosen: Any) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        fresh = await bench.in_state(state)
        was = await bench.experiment_state(fresh.id)()
        if name == "restore":
            # Deleted ones cannot be read.
            fresh = Experiment.of({**(await bench.client.experiments.delete(fresh.id)).raw, "deleted": True})
            was = "gone"
        return await bench.step(name, fresh, **chosen), was

    return case


def of_new_experiment(name: StepName, /, **chosen: Any) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        bare = Experiment.of({"id": 0, "name": "Green button"})
        fresh = bare if name == "create" else await bench.in_state("running")
        await bench.step(name, fresh, **chosen)
        made = bench.journal.entries()[0].record
        assert made not in (0, fresh.id)
        return bench.experiment_state(made, chosen.get("project", 1)), "gone"

    return case


async def create_flag(bench: Bench) -> tuple[State, object]:
    plan = plan_create({"key": "new-one", "name": "New"}, Taken(()), Context(now=bench.now, dependents=()))
    assert isinstance(plan, Plan)
    await save(agree(plan), Desk(bench.client.flags, bench.journal, HERE, bench.clock))
    return bench.flag_state(bench.journal.entries()[0].record), "gone"


async def copy_flag(bench: Bench) -> tuple[State, object]:
    flag = await bench.client.flags.get(await bench.new_flag())
    target = Target(2, "Mobile", (await bench.client.projects.get(2)).organization)
    await bench.aside(plan_copy(flag, target, ()), send_copy(flag, target, bench.client.flags))
    entry = bench.journal.entries()[0]
    assert (entry.record, entry.after["project"], entry.after["key"]) == (entry.record, 2, "checkout")
    return bench.flag_state(entry.record, 2), "gone"


TURNED_OFF: Final = {"operation": "update_status", "value": False}


async def schedule(bench: Bench) -> tuple[State, object]:
    id = await bench.new_flag()
    later = Later("turned off", TURNED_OFF, datetime.fromtimestamp(bench.now, UTC) + timedelta(days=1))
    await bench.aside(
        plan_later(later, await bench.client.flags.get(id)), send_later(later, id, bench.client.schedule)
    )
    return waiting(bench, id), []


async def unschedule(bench: Bench) -> tuple[State, object]:
    state, _was = await schedule(bench)
    id = bench.journal.entries()[0].record
    (due,) = await bench.client.schedule.all()
    assert due.scheduled_at is not None
    later = Later("turned off", due.payload, due.scheduled_at, due.id)
    await bench.aside(
        plan_later(later, await bench.client.flags.get(id)), send_later(later, id, bench.client.schedule)
    )
    return state, [(str(id), TURNED_OFF, due.scheduled_at)]


def waiting(bench: Bench, id: int) -> State:
    async def state() -> object:
        due = await bench.client.schedule.all({"record_id": id})
        return [(one.record_id, one.payload, one.scheduled_at) for one in due]

    return state


HALF: Final[JSON] = {"groups": [{"properties": [], "rollout_percentage": 50}]}
BACK: Final[dict[str, Case]] = {
    "flag: create": create_flag,
    "flag: turn off": of_flag({"active": False}, "turn off"),
    "flag: turn on": of_flag({"active": True}, "turn on", active=False),
    "flag: archive": of_flag({"active": False, "archived": True}, "archive"),
    "flag: delete": of_flag({"deleted": True}, "delete"),
    "flag: rename": of_flag({"key": "other"}, "rename"),
    "flag: set rollout": of_flag({"filters": HALF}, "set rollout"),
    "flag: edit": of_flag({"name": "Other", "filters": HALF}, "edit"),
    "flag: retag": of_flag({"tags": ["a", "b"]}, "change tags", tags=["b", "c"]),
    "flag: restore version": of_flag({"name": "As it was"}, "restore version"),
    "event: verify": of_event(event.verify),
    "event: unverify": of_event(lambda id: event.verify(id, False), verified=1),
    "event: hide": of_event(event.hide),
    "event: unhide": of_event(lambda id: event.hide(id, False), hidden=1),
    "event: describe": of_event(lambda id: event.describe(id, "who came", "")),
    "event: retag": of_event(lambda id: event.retag(id, "add", ["b"], [])),
    "event: set owner": of_event(lambda id: event.set_owner(id, 1, None)),
    "event: set property": of_event(lambda id: event.set_property(id, "plan", "")),
    "event: merge": of_event(lambda id: EventIntent(id, {"hidden": True, "description": "see x"}, "merge")),
    "event: tidy up": of_event(lambda id: EventIntent(id, {"description": "tidy"}, "tidy up")),
    "event: edit": of_event(lambda id: EventIntent(id, {"description": "other"}, "edit")),
    "event: delete": of_event(event.delete, description="who came"),
    "experiment: launch": of_step("launch", "draft"),
    "experiment: pause": of_step("pause", "running"),
    "experiment: resume": of_step("resume", "paused"),
    "experiment: end": of_step("end", "running", conclusion="won"),
    "experiment: ship": of_step("ship", "running", variant="test", conclusion="won"),
    "experiment: ship (ended, to everyone)": of_step("ship", "stopped", variant="test", everyone=True),
    "experiment: archive": of_step("archive", "stopped"),
    "experiment: archive (with its flag)": of_step("archive", "stopped", disable_flag=True),
    "experiment: unarchive": of_step("unarchive", "archived"),
    "experiment: reset": of_step("reset", "stopped"),
    "experiment: edit": of_step("edit", "running", fields={"name": "Red button"}),
    "experiment: delete": of_step("delete", "draft"),
    "experiment: restore": of_step("restore", "draft"),
    "experiment: create": of_new_experiment("create", name="Green button", flag_key="green"),
    "experiment: duplicate": of_new_experiment("duplicate", flag_key="blue-2"),
    "experiment: copy": of_new_experiment("copy", project=2, flag_key="blue"),
    "copy": copy_flag,
    "scheduled_change: schedule": schedule,
    "scheduled_change: unschedule": unschedule,
}
"""By kind and verb. An undo of an undo is one of these again."""
NOT_ON_OLDER: Final = {
    "copy": "the server's own copy came later",
    "experiment: copy": "so did this one",
    "flag: archive": "there was no archive",
    "event: set property": "it was not there",
    "event: delete": "definitions came from events alone",
}


@pytest.mark.parametrize("generation", GENERATIONS if os.environ.get("FLAGTUI_ALL_MODES") else ["default"])
@pytest.mark.parametrize("what", BACK)
async def test_a_change_is_taken_back_and_everything_is_as_it_was(
    what: str, generation: str, tmp_path: Path
) -> None:
    if generation == "legacy" and what in NOT_ON_OLDER:
        pytest.skip(NOT_ON_OLDER[what])
    async with working(tmp_path, **GENERATIONS[generation]) as bench:
        state, was = await BACK[what](bench)
        assert await state() != was
        entry = bench.journal.entries()[0]
        assert await bench.take_back(entry)
        assert await state() == was
        assert entry not in undoable(bench.journal.entries(), HERE)
        assert [one.ending for one in bench.journal.entries()] == ["saved"] * len(bench.journal.entries())


KEPT: Final = {
    "cohort": "no server takes a cohort away",
    "dashboard": "no server takes a dashboard away",
    "enrich": "nobody can tell what was added",
    "experiment: cohort": "no server takes a cohort away",
}
REJECTING: Final = "set enforcement"
"""The service knows one mode only."""


def test_every_kind_of_change_has_a_way_back_or_a_reason() -> None:
    known = {f"event: {name}" for name in event._BY_NAME if name not in (REJECTING, "recreate")}
    known |= {f"experiment: {name}" for name in STEPS if name != "reopen"}
    known |= {*VERBS, "copy", "scheduled_change: schedule", "scheduled_change: unschedule"}
    assert known <= {*BACK, *KEPT}


@pytest.mark.parametrize("what", KEPT)
def test_what_no_server_takes_back_says_why_and_what_to_do(what: str) -> None:
    kind, _, verb = what.partition(": ")
    told = STEPS[verb].verb.name if verb else VERBS[kind].name  # type: ignore[index]  # one of the three
    entry = Entry("e", 1.0, 7, "k", told, HERE, kind, ending="saved")
    refusal = why_not(entry, HERE)
    assert refusal is not None
    assert KEPT[what] in refusal.reason
    assert "in the browser" in refusal.next
    assert undoable([entry], HERE) == []


async def colleague_changes(bench: Bench, what: str, entry: Entry) -> None:
    """Somebody goes on with what was made."""
    client = bench.client.for_project(as_id(entry.after.get("project")) or 1)
    if entry.kind == "experiment":
        await client.experiments.update(entry.record, {"description": "theirs"})
        await client.experiments.launch(entry.record)
    elif what == "scheduled_change: schedule":
        await client.schedule.update(as_id(entry.after["scheduled"]) or 0, {"payload": {"operation": "x"}})
    else:
        await client.flags.update(entry.record, {"active": True, "name": "theirs"})


async def test_what_the_same_person_did_with_it_since_is_nobody_elses(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        state, was = await BACK["flag: create"](bench)
        (entry,) = bench.journal.entries()
        await bench.flag(Intent(entry.record, {"name": "Mine", "tags": ["ops"]}, "edit"))
        for changes, clashes in ({}, []), ({"tags": ["ops", "theirs"]}, ["tags"]):
            if changes:
                await bench.client.flags.update(entry.record, changes)
            left = as_left(entry, bench.journal.entries())
            way = await find_way_back(left, bench.office, entry.id)
            assert isinstance(way, WayBack)
            assert [clash.where for clash in way.plan.clashes] == clashes
        assert await state() != was


MADE: Final = {
    "flag: create": ("name",),
    "copy": ("active", "name"),
    "experiment: create": ("status",),
    "experiment: duplicate": ("status",),
    "experiment: copy": ("status",),
    "scheduled_change: schedule": ("payload",),
}


@pytest.mark.parametrize("what", MADE)
async def test_what_somebody_made_of_it_since_is_shown_before_it_is_taken_away(
    what: str, tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        state, was = await BACK[what](bench)
        (entry,) = bench.journal.entries()
        await colleague_changes(bench, what, entry)
        way = await find_way_back(entry, bench.office, entry.id)
        assert isinstance(way, WayBack)
        assert tuple(sorted(clash.where for clash in way.plan.clashes)) == MADE[what]
        question = way.ask(Rules())
        assert isinstance(question, Question)
        assert isinstance(question.settle(Answer(yes=True, typed=way.plan.type_to_confirm)), NotYet)
        assert await state() != was
        await bench.take_back(entry, overwrite=True)
        assert await state() == was


@pytest.mark.parametrize(
    ("what", "is_done"),
    [
        ("copy", True),
        ("copy", False),
        ("scheduled_change: schedule", True),
        ("scheduled_change: schedule", False),
        ("scheduled_change: unschedule", True),
    ],
)
async def test_what_was_left_open_is_known_at_the_next_start_and_can_be_taken_back(
    what: str, is_done: bool, tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        state, was = await BACK[what](bench)
        (*_, entry), after = reversed(bench.journal.entries()), {}
        if entry.kind == "copy":
            after = {name: entry.after[name] for name in ("project", "project_name")}
        elif entry.after:
            after = {name: value for name, value in entry.after.items() if name != "scheduled"}
        if not is_done:
            await bench.take_back(entry)
        record = 0 if entry.kind == "copy" else entry.record
        left = Journal(tmp_path / "left", clock=lambda: bench.clock.now + 600)
        left.begin(replace(entry, record=record, after=after, ending=""))
        (found,) = await recover_asides(left, bench.client, HERE)
        (told,) = left.entries()
        assert told.ending == ("saved" if is_done else "failed"), found
        if is_done:
            assert (told.record, told.after) == (entry.record, entry.after)
            bench.journal = left
            bench.office = replace(bench.office, journal=left)
            await bench.take_back(told)
            assert await state() == was

"""Changes of every kind of record, each planned at the bench and not sent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec.structs import replace
from tests.changes.bench import Bench, State
from tests.changes.writing import edit_draft
from tests.doubles.expected import expect
from tests.doubles.targeting import asks, group, variants

from flagtui.changes.event_definitions import definition_intent as event
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, plan_creation
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_intent import Intent, set_field, set_rollout
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create
from flagtui.changes.related.creation import RelatedPlan, What, made_beside
from flagtui.changes.related.project_copies import CopyTarget, plan_copy
from flagtui.changes.related.schedules import Later, plan_later
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


@dataclass(frozen=True)
class Prepared:
    """One change that was planned and not sent."""

    plan: Any
    state: State
    """Reads the record."""
    interfere: Callable[[], Awaitable[object]] | None = None
    """Another person changes the same thing; None where there is nothing yet that could be changed."""


Make = Callable[[Bench], Awaitable[Prepared]]
RICH: Final[dict[str, JSON]] = {
    "groups": [
        group(25, asks("email", "icontains", "@acme.test"), variant="test", sort_key="a"),
        group(10, description="everyone else"),
        group(1.5),
    ],
    "multivariate": variants(control=50, test=50),
    "payloads": {"test": '{"copy": "Buy  now"}'},
    "holdout": {"id": 4, "exclusion_percentage": 5},
    "mystery": {"kept": [1, {"two": 2}]},
}


def of_flag(
    changes: Mapping[str, JSON], verb: str, theirs: Mapping[str, JSON] | None = None, **before: JSON
) -> Make:
    async def make(bench: Bench) -> Prepared:
        id = await bench.new_flag(**before)
        plan = await bench.plan_flag(Intent(id, changes, verb))
        return Prepared(plan, bench.flag_state(id), lambda: bench.client.flags.update(id, theirs or {}))

    return make


async def retag_flag(bench: Bench) -> Prepared:
    id, update = await bench.new_flag(tags=["ours"]), bench.client.flags.update
    plan = await bench.plan_flag(set_field(id, "tags", ["ours"], ["ours", "more"]))
    return Prepared(plan, bench.flag_state(id), lambda: update(id, {"tags": ["theirs"]}))


def of_targeting(make_intent: Callable[[Flag], Intent], **before: JSON) -> Make:
    async def make(bench: Bench) -> Prepared:
        flags = bench.client.flags
        made = await flags.get(await bench.new_flag(**{"filters": RICH, **before}))
        # The first edit by anyone lets the server put its own keys in; they are no part of the comparison.
        await bench.save(await bench.plan_flag(set_rollout(made, 0, 11)))
        plan = await bench.plan_flag(make_intent(await flags.get(made.id)))
        return Prepared(plan, bench.flag_state(made.id))

    return make


def of_edit(change: Callable[[WorkingCopy], object]) -> Make:
    return of_targeting(lambda flag: edit_draft(flag, change))


async def new_flag(bench: Bench) -> Prepared:
    plan = plan_create(boolean_flag("fresh"), Taken(()), Context(now=bench.now, dependents=()))
    return Prepared(plan, bench.new_state(bench.flag_state))


def of_event(make_intent: Callable[[str], EventIntent], **before: Any) -> Make:
    async def make(bench: Bench) -> Prepared:
        id, update = bench.new_event(**before), bench.client.event_definitions.update
        plan, theirs = await bench.plan_event(make_intent(id)), {"description": "theirs", "verified": True}
        interfere = None if plan.is_deletion else lambda: update(id, theirs)
        return Prepared(plan, bench.event_state(plan.fresh.name), interfere)

    return make


async def new_event(bench: Bench) -> Prepared:
    plan = plan_creation(event.create("paid", {"tags": ["ops"]}), DefinitionContext(bench.now))
    return Prepared(plan, bench.event_state("paid"))


def of_experiment(name: StepName, state: str, /, **chosen: Any) -> Make:
    async def make(bench: Bench) -> Prepared:
        client = bench.client.experiments
        fresh = await bench.in_state(state) if state else Experiment.of({"id": 0, "name": "Green button"})
        if name in ("create", "duplicate", "copy"):
            record = bench.new_state(bench.experiment_state, chosen.get("project", 1))
        else:
            record = bench.experiment_state(fresh.id)

        async def interfere() -> object:
            if name == "edit":
                return await client.update(fresh.id, {"description": "theirs"})
            return await client.end(fresh.id)

        return Prepared(bench.plan_step(name, fresh, **chosen), record, interfere)

    return make


def of_related(send: Callable[[Bench, Flag], Awaitable[Any]], state: Callable[[Bench, int], State]) -> Make:
    async def make(bench: Bench) -> Prepared:
        flag = await bench.client.flags.get(await bench.new_flag())
        plan = replace(expect(await send(bench, flag), RelatedPlan), read_at=bench.now)
        return Prepared(
            plan, state(bench, flag.id), lambda: bench.client.flags.update(flag.id, {"active": False})
        )

    return make


TURNED_OFF: Final = {"operation": "update_status", "value": False}


async def copy_flag(bench: Bench, flag: Flag) -> Any:
    return plan_copy(flag, CopyTarget(2, "Mobile", (await bench.client.projects.get(2)).organization), ())


async def schedule_switch(bench: Bench, flag: Flag) -> Any:
    later = Later("turned off", TURNED_OFF, datetime.fromtimestamp(bench.now, UTC) + timedelta(days=1))
    return plan_later(later, flag)


async def drop_switch(bench: Bench, flag: Flag) -> Any:
    plan = await schedule_switch(bench, flag)
    await bench.adapter_of(plan).send(plan)
    (due,) = await bench.client.schedule.all()
    assert due.scheduled_at is not None
    return plan_later(Later("turned off", due.payload, due.scheduled_at, due.id), flag)


def waiting(bench: Bench, id: int) -> State:
    async def state() -> object:
        due = await bench.client.schedule.all({"record_id": id})
        return [(change.record_id, change.payload, change.scheduled_at) for change in due]

    return state


def beside(what: What) -> Make:
    """What is made beside a flag; no server deletes it again."""

    async def send(bench: Bench, flag: Flag) -> Any:
        return await made_beside(what, flag, bench.client)

    return of_related(send, Bench.flag_state)


HALF: Final[JSON] = {"groups": [{"properties": [], "rollout_percentage": 50}]}
COPY: Final = of_related(copy_flag, lambda bench, _id: bench.new_state(bench.flag_state, 2))
SCHEDULE: Final = of_related(schedule_switch, waiting)
DROPPED: Final = of_related(drop_switch, waiting)
KINDS: Final[dict[str, Make]] = {
    "flag": of_flag({"active": False}, "turn off", {"active": False, "name": "theirs"}),
    "tags of a flag": retag_flag,
    "new flag": new_flag,
    "step of an experiment": of_experiment("pause", "running"),
    "fields of an experiment": of_experiment("edit", "draft", fields={"description": "ours"}),
    "new experiment": of_experiment("create", "", name="Green button", flag_key="green"),
    "event definition": of_event(lambda id: event.set_field(id, "description", "ours", "")),
    "verified event": of_event(event.verify),
    "deleted event": of_event(event.delete),
    "copy": COPY,
    "schedule": SCHEDULE,
    "dropped schedule": DROPPED,
    "dashboard": beside("dashboard"),
    "cohort": beside("cohort"),
}
"""One change of each kind of record."""
BACK: Final[dict[str, Make]] = {
    "flag: create": new_flag,
    "flag: turn off": of_flag({"active": False}, "turn off"),
    "flag: turn on": of_flag({"active": True}, "turn on", active=False),
    "flag: archive": of_flag({"active": False, "archived": True}, "archive"),
    "flag: delete": of_flag({"deleted": True}, "delete"),
    "flag: rename": of_flag({"key": "other"}, "rename"),
    "flag: set rollout": of_targeting(lambda flag: set_rollout(flag, 0, 60)),
    "flag: set rollout (encrypted)": of_targeting(
        lambda flag: set_rollout(flag, 0, 40),
        filters={"groups": [{"rollout_percentage": 100}], "payloads": {"true": '"hunter2"'}},
        is_remote_configuration=True,
        has_encrypted_payloads=True,
    ),
    "flag: add a condition": of_edit(lambda copy: copy.add_condition()),
    "flag: remove a condition": of_edit(lambda copy: copy.remove_condition(0)),
    "flag: move a condition": of_edit(lambda copy: copy.move_condition(2, 0)),
    "flag: set a payload": of_edit(lambda copy: copy.set_payload("control", "[1, 2]")),
    "flag: remove a payload": of_edit(lambda copy: copy.set_payload("test", None)),
    "flag: set runtime": of_edit(lambda copy: copy.set("evaluation_runtime", "server")),
    "flag: set continuity": of_edit(lambda copy: copy.set("ensure_experience_continuity", True)),
    "flag: edit": of_flag({"name": "Other", "filters": HALF}, "edit"),
    "flag: retag": of_flag({"tags": ["a", "b"]}, "change tags", tags=["b", "c"]),
    "flag: restore version": of_flag({"name": "As it was"}, "restore version"),
    "event: verify": of_event(event.verify),
    "event: unverify": of_event(lambda id: event.verify(id, False), verified=1),
    "event: hide": of_event(event.hide, verified=1),
    "event: unhide": of_event(lambda id: event.hide(id, False), hidden=1),
    "event: describe": of_event(lambda id: event.set_field(id, "description", "who came", "")),
    "event: retag": of_event(lambda id: event.retag(id, "add", ["b"], [])),
    "event: set owner": of_event(lambda id: event.set_field(id, "owner", 1, None)),
    "event: set property": of_event(lambda id: event.set_field(id, "primary_property", "plan", "")),
    "event: merge": of_event(lambda id: EventIntent(id, {"hidden": True, "description": "see x"}, "merge")),
    "event: tidy up": of_event(lambda id: EventIntent(id, {"description": "tidy"}, "tidy up")),
    "event: edit": of_event(lambda id: EventIntent(id, {"description": "other"}, "edit")),
    "event: delete": of_event(event.delete, description="who came", tags=["a", "b"], owner_id=1),
    "event: create": new_event,
    "experiment: launch": of_experiment("launch", "draft"),
    "experiment: pause": of_experiment("pause", "running"),
    "experiment: resume": of_experiment("resume", "paused"),
    "experiment: end": of_experiment("end", "running", conclusion="won"),
    "experiment: end (concluded)": of_experiment("end", "concluded"),
    "experiment: ship": of_experiment("ship", "running", variant="test", conclusion="won"),
    "experiment: ship (ended)": of_experiment("ship", "stopped", variant="test", everyone=True),
    "experiment: archive": of_experiment("archive", "stopped"),
    "experiment: archive (with its flag)": of_experiment("archive", "stopped", disable_flag=True),
    "experiment: unarchive": of_experiment("unarchive", "archived"),
    "experiment: reset": of_experiment("reset", "stopped"),
    "experiment: edit": of_experiment("edit", "running", fields={"name": "Red button"}),
    "experiment: delete": of_experiment("delete", "draft"),
    "experiment: restore": of_experiment("restore", "deleted"),
    "experiment: create": KINDS["new experiment"],
    "experiment: duplicate": of_experiment("duplicate", "running", flag_key="blue-2"),
    "experiment: copy": of_experiment("copy", "running", project=2, flag_key="blue"),
    "copy": COPY,
    "scheduled_change: schedule": SCHEDULE,
    "scheduled_change: unschedule": DROPPED,
}
"""By kind and verb, each that can be undone. An undo of an undo is one of these again."""

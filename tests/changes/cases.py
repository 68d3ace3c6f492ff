"""Changes of every kind, each made at the bench, with what reads the record afterwards."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from tests.changes.bench import Bench, State
from tests.changes.kinds import TURNED_OFF, a_copy, a_schedule, new_flag
from tests.changes.writing import edit_draft
from tests.doubles.expected import expect
from tests.doubles.targeting import asks, group, variants

from flagtui.changes.event_definitions import definition_intent as event
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan, plan_creation
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_intent import Intent, set_rollout
from flagtui.changes.related.schedules import Later, plan_later
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

Case = Callable[[Bench], Awaitable[tuple[State, object]]]
"""Makes the change; what reads the record, and how it was before."""
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


def of_flag(changes: Mapping[str, JSON], verb: str, **before: JSON) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        id = await bench.new_flag(**before)
        was = await bench.flag_state(id)()
        return await bench.flag(Intent(id, changes, verb)), was

    return case


def of_targeting(make_intent: Callable[[Flag], Intent], **before: JSON) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        flags = bench.client.flags
        made = await flags.get(await bench.new_flag(**{"filters": RICH, **before}))
        # The first edit by anyone lets the server put its own keys in; they are no part of the comparison.
        await bench.flag(set_rollout(made, 0, 11))
        was = await bench.flag_state(made.id)()
        return await bench.flag(make_intent(await flags.get(made.id))), was

    return case


def of_edit(change: Callable[[WorkingCopy], object]) -> Case:
    return of_targeting(lambda flag: edit_draft(flag, change))


def of_event(make_intent: Callable[[str], EventIntent], **before: Any) -> Case:
    async def case(bench: Bench) -> tuple[State, object]:
        id = bench.new_event(**before)
        was = await bench.event_state("signed up")()
        return await bench.event(make_intent(id)), was

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
    new = await new_flag(bench)
    await bench.save(new.plan, new.adapter)
    return bench.flag_state(bench.journal.entries()[0].record), "gone"


async def create_event(bench: Bench) -> tuple[State, object]:
    plan = expect(
        plan_creation(event.create("paid", {"tags": ["ops"]}), DefinitionContext(bench.now)), EventPlan
    )
    await bench.save(plan, DefinitionAdapter(bench.client.event_definitions))
    return bench.event_state("paid"), "gone"


async def copy_flag(bench: Bench) -> tuple[State, object]:
    flag = await bench.client.flags.get(await bench.new_flag())
    await bench.save_related(await a_copy(bench, flag))
    entry = bench.journal.entries()[0]
    assert (entry.record, entry.after["project"], entry.after["key"]) == (entry.record, 2, "checkout")
    return bench.flag_state(entry.record, 2), "gone"


async def schedule(bench: Bench) -> tuple[State, object]:
    id = await bench.new_flag()
    await bench.save_related(await a_schedule(bench, await bench.client.flags.get(id)))
    return waiting(bench, id), []


async def unschedule(bench: Bench) -> tuple[State, object]:
    state, _was = await schedule(bench)
    id = bench.journal.entries()[0].record
    (due,) = await bench.client.schedule.all()
    assert due.scheduled_at is not None
    later = Later("turned off", due.payload, due.scheduled_at, due.id)
    await bench.save_related(plan_later(later, await bench.client.flags.get(id)))
    return state, [(str(id), TURNED_OFF, due.scheduled_at)]


def waiting(bench: Bench, id: int) -> State:
    async def state() -> object:
        due = await bench.client.schedule.all({"record_id": id})
        return [(change.record_id, change.payload, change.scheduled_at) for change in due]

    return state


HALF: Final[JSON] = {"groups": [{"properties": [], "rollout_percentage": 50}]}
BACK: Final[dict[str, Case]] = {
    "flag: create": create_flag,
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
    "event: delete": of_event(event.delete, description="who came"),
    "event: create": create_event,
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

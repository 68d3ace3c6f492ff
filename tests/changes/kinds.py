"""One change of every kind of record, planned at the bench and not sent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec.structs import replace
from tests.changes.bench import Bench
from tests.doubles.expected import expect

from flagtui.changes.event_definitions.definition_intent import delete, set_field, verify
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create
from flagtui.changes.related.creation import RelatedPlan, What, made_beside
from flagtui.changes.related.project_copies import CopyTarget, plan_copy
from flagtui.changes.related.related_entries import RelatedAdapter
from flagtui.changes.related.schedules import Later, plan_later
from flagtui.models.experiment import Experiment


@dataclass(frozen=True)
class Prepared:
    """One change that was planned and not sent."""

    plan: Any
    adapter: Any
    interfere: Callable[[], Awaitable[object]] | None = None
    """Another person changes the same thing; None where there is nothing yet that could be changed."""


Make = Callable[[Bench], Awaitable[Prepared]]


def of_flag(make_intent: Callable[[int], Intent], **theirs: Any) -> Make:
    async def make(bench: Bench) -> Prepared:
        id = await bench.new_flag(tags=["ours"])
        plan = await bench.plan_flag(make_intent(id))
        return Prepared(plan, FlagAdapter(bench.client.flags), lambda: bench.client.flags.update(id, theirs))

    return make


async def new_flag(bench: Bench) -> Prepared:
    plan = plan_create(boolean_flag("fresh"), Taken(()), Context(now=bench.now, dependents=()))
    return Prepared(plan, FlagAdapter(bench.client.flags))


def of_experiment(name: StepName, state: str, /, **chosen: Any) -> Make:
    async def make(bench: Bench) -> Prepared:
        client = bench.client
        bare = Experiment.of({"id": 0, "name": "Green button", "feature_flag_key": "green"})
        fresh = bare if name == "create" else await bench.in_state(state)
        plan = bench.plan_step(name, fresh, **chosen)
        adapter = StepAdapter(client.experiments, lambda project: client.for_project(project).experiments)
        id = fresh.id

        async def interfere() -> object:
            if name == "edit":
                return await client.experiments.update(id, {"description": "theirs"})
            return await client.experiments.end(id)

        return Prepared(plan, adapter, interfere if name in ("pause", "edit") else None)

    return make


def of_event(make_intent: Callable[[str], Any]) -> Make:
    async def make(bench: Bench) -> Prepared:
        id, definitions = bench.new_event(), bench.client.event_definitions
        plan, theirs = await bench.plan_event(make_intent(id)), {"description": "theirs", "verified": True}
        interfere = None if plan.is_deletion else lambda: definitions.update(id, theirs)
        return Prepared(plan, DefinitionAdapter(definitions), interfere)

    return make


def of_related(send: Callable[[Bench, Any], Awaitable[Any]]) -> Make:
    async def make(bench: Bench) -> Prepared:
        flag = await bench.client.flags.get(await bench.new_flag())
        plan = expect(await send(bench, flag), RelatedPlan)
        return Prepared(
            replace(plan, read_at=bench.now),
            RelatedAdapter(bench.client),
            lambda: bench.client.flags.update(flag.id, {"active": False}),
        )

    return make


TURNED_OFF: Final = {"operation": "update_status", "value": False}


async def a_copy(bench: Bench, flag: Any) -> Any:
    return plan_copy(flag, CopyTarget(2, "Mobile", (await bench.client.projects.get(2)).organization), ())


async def a_schedule(bench: Bench, flag: Any) -> Any:
    later = Later("turned off", TURNED_OFF, datetime.fromtimestamp(bench.now, UTC) + timedelta(days=1))
    return plan_later(later, flag)


def beside(what: What) -> Callable[[Bench, Any], Awaitable[Any]]:
    async def send(bench: Bench, flag: Any) -> Any:
        return await made_beside(what, flag, bench.client)

    return send


KINDS: Final[dict[str, Make]] = {
    "flag": of_flag(lambda id: flag_intent.switch("turn off", id), active=False, name="theirs"),
    "tags of a flag": of_flag(
        lambda id: flag_intent.set_field(id, "tags", ["ours"], ["ours", "more"]), tags=["theirs"]
    ),
    "new flag": new_flag,
    "step of an experiment": of_experiment("pause", "running"),
    "fields of an experiment": of_experiment("edit", "draft", fields={"description": "ours"}),
    "new experiment": of_experiment("create", "", name="Green button", flag_key="green"),
    "event definition": of_event(lambda id: set_field(id, "description", "ours", "")),
    "verified event": of_event(verify),
    "deleted event": of_event(delete),
    "copy": of_related(a_copy),
    "schedule": of_related(a_schedule),
    "dashboard": of_related(beside("dashboard")),
    "cohort": of_related(beside("cohort")),
}

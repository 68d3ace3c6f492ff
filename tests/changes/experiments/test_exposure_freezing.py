"""Freezing the exposure of an experiment, and undoing it, against the service."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.changes.bench import working
from tests.changes.experiments.conftest import CONTEXT, make_experiment, make_plan, try_step
from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect, require
from tests.service.experiments.conftest import Service

from flagtui.api.client import Client
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import StepEntries, plan_step_back, step_back
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_dict


@dataclass
class Lab:
    """A running experiment with two exposed users, and a user who takes its steps."""

    client: Client
    writing: Writing
    id: int

    async def fresh(self) -> Experiment:
        return await self.client.experiments.get(self.id)

    async def plan(self, name: StepName, **chosen: Any) -> ExperimentPlan:
        return make_plan(name, await self.fresh(), **chosen)

    async def save(self, plan: ExperimentPlan, undoes: str = "") -> Entry:
        """The entry of the journal."""
        assert (await self.writing.save(approve(plan), undoes)).ending == "saved"
        return self.writing.journal.entries()[0]

    async def conditions(self) -> Any:
        return require((await self.fresh()).feature_flag).filters["groups"]


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    async with working(tmp_path) as bench:
        world, client = bench.world, bench.client
        running = await bench.in_state("running")
        world.clock.pass_(hours=1)
        events = Service(world.client, tmp_path, world.clock, world.application)
        events.expose("blue", "control", "ann")
        events.expose("blue", "test", "bob")
        world.clock.pass_(hours=1)
        yield Lab(client, bench.writing(StepAdapter(client.experiments)), running.id)


def words_of(plan: ExperimentPlan) -> dict[str, str]:
    return {consequence.label: consequence.text for consequence in plan.consequences}


async def test_freeze_restricts_the_flag_and_is_undone(lab: Lab) -> None:
    before, plan = await lab.conditions(), await lab.plan("freeze")
    assert [line.words for line in plan.lines] == ["experiment: running → frozen"]
    assert words_of(plan)["Flag"] == "blue matches only users exposed so far; all others get no variant"
    entry, frozen = await lab.save(plan), await lab.fresh()
    assert (frozen.state, frozen.is_frozen, frozen.frozen_conditions) == ("exposure_frozen", True, 1)
    assert StepEntries().undo_words(entry) == "unfreeze it"
    undo = plan_step_back(entry, require(step_back(entry)), frozen, CONTEXT)
    plan = expect(undo, ExperimentPlan)
    assert words_of(plan)["Flag"] == "blue matches new users again: its conditions lose the restriction"
    await lab.save(plan, entry.id)
    assert ((await lab.fresh()).state, await lab.conditions()) == ("running", before)


async def test_frozen_experiment_stays_frozen_until_it_is_shipped(lab: Lab) -> None:
    for name in ("freeze", "pause"):
        await lab.save(await lab.plan(name))
    plan = await lab.plan("resume")
    assert plan.lines[0].words == "experiment: paused → frozen"
    await lab.save(plan)
    assert (await lab.fresh()).state == "exposure_frozen"
    plan = await lab.plan("ship", variant="test")
    assert words_of(plan)["Exposure"].startswith("is unfrozen: the flag matches new users again")
    entry = await lab.save(plan)
    before, after = (as_dict(side["filters"]) for side in (entry.before, entry.after))
    assert after["groups"] == before["groups"] == await lab.conditions()


async def test_server_without_freezing_refuses_and_changes_nothing(tmp_path: Path) -> None:
    async with working(tmp_path, legacy=True) as bench:
        fresh = await bench.in_state("running")
        approved = approve(make_plan("freeze", fresh))
        outcome = await bench.writing(StepAdapter(bench.client.experiments)).save(approved)
        assert outcome.ending in ("refused", "failed")
        assert (await bench.client.experiments.get(fresh.id)).frozen_conditions == 0


def experiment_on(**filters: Any) -> Experiment:
    """A running experiment on a flag with these filters and one condition."""
    flag = {"id": 31, "key": "blue", "active": True, "filters": {"groups": [{"properties": []}], **filters}}
    return make_experiment(feature_flag=flag)


STAMPED = {"properties": [], "exposure_frozen": True, "exposure_frozen_cohort": 7}


@pytest.mark.parametrize(("name", "fresh", "reason"), [
    ("freeze", make_experiment("draft"), "it has not been launched yet"),
    ("freeze", make_experiment("paused"), "a paused experiment cannot be frozen"),
    ("freeze", make_experiment("stopped"), "it has already ended"),
    ("freeze", experiment_on(groups=[STAMPED]), "its exposure is already frozen"),
    ("freeze", experiment_on(aggregation_group_type_index=0), "its flag is for groups"),
    ("freeze", experiment_on(groups=[]), "its flag has no condition to restrict"),
    ("freeze", experiment_on(holdout={"id": 3}), "an experiment with a holdout cannot be frozen"),
    ("freeze", make_experiment(holdout_id=3), "an experiment with a holdout cannot be frozen"),
    ("freeze", experiment_on(feature_enrollment=True), "a flag with early access cannot be frozen"),
    ("freeze", make_experiment(feature_flag={"id": 31, "key": "blue", "active": True, "deleted": True}),
     "its flag blue has been deleted"),
    ("unfreeze", make_experiment(), "its exposure is not frozen"),
    ("unfreeze", make_experiment("paused"), "it is paused"),
])  # fmt: skip
def test_freezing_is_refused_before_it_is_sent(name: StepName, fresh: Experiment, reason: str) -> None:
    assert expect(try_step(name, fresh), Blocked).reason.startswith(reason)

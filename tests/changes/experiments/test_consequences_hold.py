"""Sentences of a step's question are compared with the flag in the service afterwards.

Every sentence is read back: one that no reader knows fails, so that none is added without a check.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.bench import Bench, working
from tests.changes.experiments.conftest import NOW
from tests.changes.writing import approve
from tests.doubles.expected import require
from tests.doubles.slices import FULL, cross
from tests.doubles.step_reader import Seen, untrue
from tests.doubles.targeting import asks, group, variants

from flagtui.api.client import Client
from flagtui.api.errors import NotFound
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON

Json = dict[str, Any]
STAFF: Final = asks("email", "ends_with", "@acme.test")


def filters(*groups: JSON, shares: tuple[int, int] = (50, 50), **more: Any) -> Json:
    split = variants(**dict(zip(("control", "test"), shares, strict=True)))
    return {"groups": list(groups), "multivariate": split, **more}


CONTROL: Final = group(100, variant="control")
TARGETING: Final[dict[str, Json]] = {
    "everyone": filters(group(100)),
    "no condition": filters(),
    "a share of nothing": filters(group(0)),
    "some staff": filters(group(40, STAFF)),
    "staff get control": filters(group(100, STAFF, variant="control"), group(60)),
    "no one, then control": filters(group(0), CONTROL),
    "the first match decides": filters(group(0), CONTROL, early_exit=True),
    "a third, and the first decides": filters(group(30), CONTROL, early_exit=True),
    "held out": filters(group(100), holdout={"id": 1, "exclusion_percentage": 30}),
    "early access": filters(group(50, STAFF), feature_enrollment=True),
    "one variant has all": filters(group(100), shares=(100, 0)),
}
STATES: Final[dict[str, tuple[StepName, ...]]] = {
    "draft": (),
    "running": ("launch",),
    "paused": ("launch", "pause"),
    "ended": ("launch", "end"),
    "archived": ("launch", "end", "archive"),
}
TAKEN: Final[tuple[tuple[StepName, Choices], ...]] = (
    ("launch", Choices()),
    ("pause", Choices()),
    ("resume", Choices()),
    ("end", Choices(conclusion="won", comment="calmly")),
    ("ship", Choices(variant="test")),
    ("ship", Choices(variant="control", everyone=True)),
    ("archive", Choices()),
    ("archive", Choices(disable_flag=True)),
    ("unarchive", Choices()),
    ("reset", Choices()),
    ("delete", Choices()),
    ("reopen", Choices(fields={"start_date": "2026-02-18T09:00:00Z"})),
    ("reopen", Choices(fields={"end_date": None})),
)


EARLY_EXIT: Final = "UPDATE projects SET settings = json_set(settings, '$.early_exit', json('true'))"


@pytest.mark.parametrize(("state", "targeting"), cross(STATES, TARGETING))
async def test_what_is_said_before_a_step_holds_after_it(state: str, targeting: str, tmp_path: Path) -> None:
    taken: list[str] = []
    wrong: list[str] = []
    async with working(tmp_path) as bench:
        bench.world.write(EARLY_EXIT)
        for (name, choices), switched in zip(TAKEN, switches(state, targeting), strict=True):
            for is_on in switched:
                fresh = await standing_in(bench.client, state, TARGETING[targeting], is_on=is_on)
                intent = ExperimentIntent(fresh.id, STEPS[name], choices)
                plan = plan_step(intent, fresh, StepContext(now=NOW))
                if isinstance(plan, ExperimentPlan):
                    taken.append(f"{name} {choices.variant or choices.disable_flag} while it is {is_on}")
                    seen = await follow(plan, bench)
                    wrong += [f"{taken[-1]}: {sentence}" for sentence in untrue(seen)]
                await put_away(bench.client, fresh)
    assert len(taken) >= 3
    assert not wrong, "\n".join(wrong)


def switches(state: str, targeting: str) -> list[tuple[bool, ...]]:
    """Whether the flag is on, for each step; a short run has both with one targeting or another."""
    if state == "archived":
        return [(False,)] * len(TAKEN)
    turn = (*TARGETING,).index(targeting)
    return [(True, False) if FULL else ((place + turn) % 2 == 0,) for place in range(len(TAKEN))]


async def standing_in(client: Client, state: str, targeting: Json, *, is_on: bool) -> Experiment:
    """An experiment in this state, whose flag has this targeting and is on or off whatever the state."""
    fresh = await client.experiments.create("Blue", "blue", {})
    for step in STATES[state]:
        await getattr(client.experiments, step)(fresh.id)
    changes: Json = {"filters": targeting} if state == "archived" else {"filters": targeting, "active": is_on}
    await client.flags.update(require(fresh.feature_flag).id, changes)
    return await client.experiments.get(fresh.id)


async def follow(plan: ExperimentPlan, bench: Bench) -> Seen:
    """Take the step; what there was before, and is afterwards."""
    flags, id = bench.client.flags, require(plan.fresh.feature_flag).id
    before = await flags.get(id)
    ended = await bench.writing(bench.adapter_of(plan)).save(approve(plan))
    assert ended.ending == "saved", (plan.title, ended.reason, ended.error)
    return Seen(plan, before, await flags.get(id), require(ended.record))


async def put_away(client: Client, experiment: Experiment) -> None:
    """Free the key for the next one."""
    with suppress(NotFound):
        await client.experiments.delete(experiment.id)
    await client.flags.update(require(experiment.feature_flag).id, {"key": f"gone-{experiment.id}"})

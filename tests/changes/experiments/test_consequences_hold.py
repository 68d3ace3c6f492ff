"""Sentences of a step's question are compared with the service afterwards.

Every sentence is read back: one that no reader knows fails, so that none is added without a check."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.bench import Bench, working
from tests.changes.experiments.conftest import NOW
from tests.changes.writing import approve
from tests.doubles.expected import expect, require
from tests.doubles.slices import FULL, cross
from tests.doubles.step_reader import Seen, untrue
from tests.doubles.tables import table
from tests.doubles.targeting import asks, group, variants

from flagtui.api.client import Client
from flagtui.api.errors import NotFound
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
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


METRIC: Final = {
    "kind": "ExperimentMetric",
    "metric_type": "mean",
    "source": {"kind": "EventsNode", "event": "signup_completed"},
}
THREE: Final = {
    "feature_flag_variants": [
        {"key": key, "rollout_percentage": share} for key, share in (("control", 50), ("a", 20), ("b", 30))
    ],
    "rollout_percentage": 40,
}


@dataclass(frozen=True)
class Made:
    """What was planned, the record that came of it, and its flag before and after."""

    plan: ExperimentPlan
    original: Experiment
    record: Experiment
    flag: Flag
    before: Flag | None
    """None where there was no such flag."""
    events: frozenset[str]
    """What the project knows."""


Reader = Callable[[Made, re.Match[str]], bool]


def shares(flag: Any) -> dict[str, float]:
    return {variant.key: variant.rollout for variant in flag.targeting.variants}


def is_as_before(made: Made, _: re.Match[str]) -> bool:
    was = made.before
    return was is not None and (was.active, was.filters) == (made.flag.active, made.flag.filters)


def is_new(made: Made, match: re.Match[str]) -> bool:
    return (made.before, made.flag.key, made.flag.active) == (None, match[1], False)


def is_split_as_told(made: Made, match: re.Match[str]) -> bool:
    split = {key: float(share) for key, share in re.findall(r"(\w+) (\d+) %", match[2])}
    rollout = float(match[3]) if match[3] else 100.0
    return is_new(made, match) and (shares(made.flag), made.flag.targeting.rollout) == (split, rollout)


def has_same_variants(made: Made, match: re.Match[str]) -> bool:
    own = made.original.feature_flag
    return is_new(made, match) and own is not None and shares(made.flag) == shares(own)


def has_none_left(made: Made, _: re.Match[str]) -> bool:
    record = made.record
    dates = (record.start_date, record.end_date, record.conclusion)
    return not any((*dates, record.holdout_id, record.exposure_cohort))


READERS: Final[tuple[tuple[str, Reader], ...]] = (
    (r"Copy: a draft named (.+)", lambda made, match: made.record.name == match[1]),
    (r"Copy: a draft, named as a copy",
     lambda made, _: made.original.name in made.record.name != made.original.name),
    (r"Copy: a draft in project #2; shared metrics stay behind",
     lambda made, _: made.record.id != made.original.id and not made.record.saved_metrics),
    (r"Copy: a draft.*", lambda made, _: made.record.state == "draft"),
    (r"Flag: (\S+) is created with the same variants, off", has_same_variants),
    (r"Flag: (\S+) is created: (.+?)(?:, for (\d+) % of users)?, off", is_split_as_told),
    (r"Flag: .*off", lambda made, _: not made.flag.active),
    (r"Flag: \S+ is used with its variants, on or off as now", is_as_before),
    (r"Flag: (\S+) is created there, off; an existing flag is used unchanged",
     lambda made, match: (made.flag.key, made.flag.active) == (match[1], False)),
    (r"Flag: \S+ stays as it is", is_as_before),
    (r"Flag: \S+ gets these variants and shares",
     lambda made, _: shares(made.flag) == {"control": 50, "a": 20, "b": 30}),
    (r"Flag: \S+ excludes the users of holdout #(\d+)",
     lambda made, match: made.flag.targeting.holdout_id == int(match[1])),
    (r"Flag: \S+ excludes no one", lambda made, _: made.flag.targeting.holdout_id is None),
    (r"Left behind: dates, conclusion, holdout and exposure cohort", has_none_left),
    (r"Metrics: none yet; edit sets them", lambda made, _: not made.record.metrics),
    (r"Metrics: (\d+) measured once it runs", lambda made, match: len(made.record.metrics) == int(match[1])),
    (r"Results: are recalculated under the new settings",
     lambda made, _: made.record.start_date is not None and made.record.metrics != made.original.metrics),
    (r"Events: (\S+) was never seen here: it counts nothing until it is sent",
     lambda made, match: match[1] not in made.events),
    (r"Cohort: everyone who called (\S+) since the start",
     lambda made, match: bool(made.record.exposure_cohort) and made.flag.key == match[1]),
)  # fmt: skip


def find_untrue(made: Made) -> Iterable[str]:
    """Sentences that do not hold, and those that no reader knows."""
    for consequence in made.plan.consequences:
        sentence = f"{consequence.label}: {consequence.text}"
        readings = [(match, holds) for words, holds in READERS if (match := re.fullmatch(words, sentence))]
        if not readings:
            yield f"no reader knows {sentence}"
        yield from (f"untrue: {sentence}" for match, holds in readings if not holds(made, match))


CASES: Final[dict[str, tuple[StepName, str, dict[str, Any]]]] = {
    "copied": ("duplicate", "running", {"flag_key": "blue-2"}),
    "copied under a name": ("duplicate", "stopped", {"flag_key": "blue-2", "name": "Second"}),
    "copied onto a flag": ("duplicate", "running", {"flag_key": "there"}),
    "copied away": ("copy", "running", {"flag_key": "blue", "project": 2}),
    "made": ("create", "", {"name": "Green", "flag_key": "green"}),
    "made on a flag": ("create", "", {"name": "Green", "flag_key": "there"}),
    "made with all": ("create", "", {"name": "Green", "flag_key": "green", "unseen": ("signup_completed",),
                                     "fields": {"parameters": THREE, "metrics": [METRIC]}}),
    "made with a holdout": ("create", "",
                            {"name": "Green", "flag_key": "green", "fields": {"holdout_id": 1}}),
    "renamed": ("edit", "running", {"fields": {"name": "Red"}}),
    "given metrics": ("edit", "running", {"fields": {"metrics": [METRIC]}, "unseen": ("signup_completed",)}),
    "given variants": ("edit", "draft", {"fields": {"parameters": THREE}}),
    "given a holdout": ("edit", "draft", {"fields": {"holdout_id": 1}}),
    "given a cohort": ("cohort", "running", {}),
    "restored": ("restore", "draft", {}),
}  # fmt: skip


@table("name, state, chosen", CASES)
async def test_what_is_said_before_it_is_made_or_edited_holds(
    name: StepName, state: str, chosen: dict[str, Any], tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        made = await take(bench, name, state, Choices(**chosen))
    assert made.plan.consequences
    assert not list(find_untrue(made))


async def take(bench: Bench, name: StepName, state: str, choices: Choices) -> Made:
    client = bench.client
    await client.holdouts.create({"name": "Few", "filters": [{"rollout_percentage": 10}]})
    existing_flag = await client.flags.get(await bench.new_flag("there", filters=with_variants()))
    fresh = await bench.in_state(state) if state else Experiment.of({"id": 0, "name": choices.name})
    if name == "restore":
        await client.experiments.delete(fresh.id)
        fresh = Experiment.of({**fresh.raw, "deleted": True})
    own, before = fresh.feature_flag, {"there": existing_flag}
    if own is not None:
        before[own.key] = await client.flags.get(own.id)
    context = StepContext(now=bench.now, flag=before.get(choices.flag_key), new_flag="off")
    plan = expect(plan_step(ExperimentIntent(fresh.id, STEPS[name], choices), fresh, context), ExperimentPlan)
    ended = await bench.writing(StepAdapter(client.experiments)).save(approve(plan))
    assert ended.ending == "saved", ended
    record = expect(ended.record, Experiment)
    away = client.for_project(choices.project) if choices.project else client
    flag = await away.flags.get(require(record.feature_flag).id)
    seen = frozenset([row.name async for page in client.event_definitions.pages() for row in page.rows])
    return Made(plan, fresh, record, flag, None if choices.project else before.get(flag.key), seen)


def with_variants() -> JSON:
    return {"groups": [{"properties": []}], "multivariate": variants(control=50, test=50)}

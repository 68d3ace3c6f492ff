"""What a step's question says of the flag is held against the flag that the service has afterwards.

Every sentence is read back: one that no reader knows fails, so that none is added without a check.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.experiments.conftest import NOW
from tests.changes.experiments.test_saving_steps import approve
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.client import Client
from flagtui.api.errors import NotFound
from flagtui.api.in_process import in_process
from flagtui.changes.entries import Signature
from flagtui.changes.experiments.following import Around
from flagtui.changes.experiments.plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.saving import StepDesk, save_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.journal import Journal
from flagtui.evaluate import Definitions, Person, evaluate
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.service import create_service
from flagtui.service.application import close_service

Json = dict[str, Any]
VARIANTS: Final = {"control", "test"}
ANSWER: Final = "$feature_enrollment/blue"
"""The property that keeps what a person answered to the offer of early access."""
STAFF: Final = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.test"}


def filters(*groups: Json, shares: tuple[int, int] = (50, 50), **more: Any) -> Json:
    named = zip(("control", "test"), shares, strict=True)
    variants = [{"key": key, "rollout_percentage": share} for key, share in named]
    return {"groups": list(groups), "multivariate": {"variants": variants}, **more}


def group(share: float = 100, *asks: Json, **more: Any) -> Json:
    return {"properties": list(asks), "rollout_percentage": share, **more}


TARGETING: Final[dict[str, Json]] = {
    "everyone": filters(group()),
    "no condition": filters(),
    "a share of nothing": filters(group(0)),
    "some staff": filters(group(40, STAFF)),
    "staff get control": filters(group(100, STAFF, variant="control"), group(60)),
    "nobody, then control": filters(group(0), group(100, variant="control")),
    "held out": filters(group(), holdout={"id": 1, "exclusion_percentage": 30}),
    "early access": filters(group(50, STAFF), feature_enrollment=True),
    "one variant has all": filters(group(), shares=(100, 0)),
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


def crowd() -> list[Person]:
    """People in and out of the condition, with and without an answer to the offer of early access."""
    answers: list[Json] = [{}, {ANSWER: True}, {ANSWER: False}]
    return [
        Person(
            f"person-{place}",
            {"email": f"p{place}@{'acme' if place % 2 else 'else'}.test", **answers[place % 3]},
            is_complete=True,
        )
        for place in range(240)
    ]


CROWD: Final = crowd()


def values(flag: Flag, *, on: bool | None = None) -> list[JSON]:
    """What each of the people gets, or would get while it is on."""
    raw = dict(flag.raw) if on is None else {**flag.raw, "active": on}
    definitions = Definitions.of([] if flag.deleted else [raw])
    return [evaluate(flag.key, person, definitions).value for person in CROWD]


@dataclass(frozen=True)
class Seen:
    """What was, what is, and the step that was taken between."""

    plan: ExperimentPlan
    before: Flag
    after: Flag
    experiment: Experiment

    def given(self, flag: Flag) -> set[JSON]:
        return {value for value in values(flag) if value in VARIANTS}


Reader = Callable[[Seen, re.Match[str]], bool]


def _everyone_gets(seen: Seen, told: re.Match[str]) -> bool:
    return {now for _, now in _not_excepted(seen)} == {told[1]}


def _those_let_in_get(seen: Seen, told: re.Match[str]) -> bool:
    others = {"control"} if "still gives control" in _text(seen, "Others") else set()
    return all(
        bool(was) == bool(now) and now in {told[1], False, *others} for was, now in _not_excepted(seen)
    )


def _not_excepted(seen: Seen) -> Iterable[tuple[JSON, JSON]]:
    """What people got and get while the flag is on, but for those whom the question names as excepted."""
    told = _text(seen, "Others")
    before, after = values(seen.before, on=True), values(seen.after, on=True)
    for person, was, now in zip(CROWD, before, after, strict=True):
        is_held = str(now).startswith("holdout-") and str(now) in told
        has_answered = ANSWER in person.properties and "early access" in told
        if not is_held and not has_answered:
            yield was, now


def _answers_decide(seen: Seen, _: re.Match[str]) -> bool:
    answers = [person.properties.get(ANSWER) for person in CROWD]
    return all(
        value is answer
        for answer, value in zip(answers, values(seen.after, on=True), strict=True)
        if answer is not None
    )


def _text(seen: Seen, label: str) -> str:
    return " ".join(one.text for one in seen.plan.consequences if one.label == label)


FLAG: Final[tuple[tuple[str, Reader], ...]] = (
    (r"stays off|while it is off", lambda seen, _: not seen.before.active and not seen.after.active),
    (r"stays on", lambda seen, _: seen.before.active and seen.after.active),
    (r"is turned on", lambda seen, _: not seen.before.active and seen.after.active),
    (r"is turned off", lambda seen, _: seen.before.active and not seen.after.active),
    (r"is on already", lambda seen, _: seen.before.active and seen.after.active),
    (r"nobody gets a variant", lambda seen, _: not seen.given(seen.after)),
    (r"lets nobody in", lambda seen, _: not any(values(seen.after, on=True))),
    (r"its variants are (?:being )?served", lambda seen, _: bool(seen.given(seen.after))),
    (
        r"keep getting their variants",
        lambda seen, _: bool(seen.given(seen.after)) and values(seen.before) == values(seen.after),
    ),
    (r"turned off and archived with it", lambda seen, _: seen.after.archived),
    (r"gives (\w+) to everyone$", _everyone_gets),
    (r"gives (\w+) to everyone its conditions let in", _those_let_in_get),
    (r"gives \w+ to nobody", lambda seen, _: not VARIANTS & set(values(seen.after, on=True))),
    (
        r"comes back with it if it was archived with it",
        lambda seen, _: seen.before.active == seen.after.active,
    ),
)
OTHER: Final[dict[str, tuple[tuple[str, Reader], ...]]] = {
    "Flag": FLAG,
    "Others": (
        (
            r"no other variant is given to anybody",
            lambda seen, _: len({one for one in values(seen.after, on=True) if one in VARIANTS}) <= 1,
        ),
        (r"condition \d+ still gives (\w+)", lambda seen, told: told[1] in values(seen.after, on=True)),
        (
            r"people held out still get (holdout-\d+)",
            lambda seen, told: told[1] in values(seen.after, on=True),
        ),
        (
            r"those who opted in to early access still get plain true, those who opted out false",
            _answers_decide,
        ),
    ),
    "Conditions": (
        (
            r"an open condition of 100 % is put before all others",
            lambda seen, _: (
                not seen.after.targeting.conditions[0].properties
                and seen.after.targeting.conditions[0].rollout == 100
            ),
        ),
    ),
    "Results": (
        (
            r"start, end and conclusion are erased",
            lambda seen, _: (
                not (seen.experiment.start_date or seen.experiment.end_date or seen.experiment.conclusion)
            ),
        ),
        (r"count on until today, as if it had never ended", lambda seen, _: not seen.experiment.end_date),
        (r"count from its old start again", lambda seen, _: seen.experiment.start_date is not None),
        (r"no new people are counted while it is off", lambda seen, _: not seen.given(seen.after)),
    ),
    "Experiment": ((r"ends with it", lambda seen, _: seen.experiment.end_date is not None),),
    "Conclusion": ((r"won: calmly", lambda seen, _: seen.experiment.conclusion == "won"),),
    "Split": (
        (
            r"control (\d+) % · test (\d+) %",
            lambda seen, told: (
                [float(told[1]), float(told[2])]
                == [variant.rollout for variant in seen.after.targeting.variants]
            ),
        ),
    ),
    "People": (
        (r"nobody: it has no condition", lambda seen, _: not seen.after.targeting.deciding),
        (
            r"^(\d+) % of (?:those|everyone)",
            lambda seen, told: float(told[1]) == seen.after.targeting.rollout,
        ),
        (r"at most (\d+) %", lambda seen, told: float(told[1]) == seen.after.targeting.rollout),
    ),
    "Metrics": ((r"(\d+) measured", lambda seen, told: int(told[1]) == len(seen.experiment.metrics)),),
    "Way back": ((r"#(\d+)", lambda seen, told: int(told[1]) == seen.plan.id),),
}


def untrue(seen: Seen) -> Iterable[str]:
    """Every sentence that does not hold, and every one that no reader knows."""
    for one in seen.plan.consequences:
        told = [
            (found, holds)
            for words, holds in OTHER.get(one.label, ())
            if (found := re.search(words, one.text))
        ]
        if not told:
            yield f"nobody reads: {one.label}: {one.text}"
        for found, holds in told:
            if not holds(seen, found):
                yield f"untrue: {one.label}: {one.text}"


@asynccontextmanager
async def client_of(folder: Path) -> AsyncIterator[Client]:
    service = create_service(folder / "flags.db", key="phx_everything")
    try:
        async with Client(
            "http://127.0.0.1:8010", "phx_everything", 1, transport=in_process(service)
        ) as found:
            yield found
    finally:
        close_service(service)


@pytest.mark.parametrize("targeting", TARGETING)
@pytest.mark.parametrize("state", STATES)
async def test_what_is_said_before_a_step_holds_after_it(state: str, targeting: str, tmp_path: Path) -> None:
    taken: list[str] = []
    wrong: list[str] = []
    async with client_of(tmp_path) as client:
        desk = StepDesk(client.experiments, Journal(tmp_path / "journal"), Signature(), SteadyClock())
        for name, choices in TAKEN:
            for is_on in (True, False) if state != "archived" else (False,):
                fresh = await standing_in(client, state, TARGETING[targeting], is_on=is_on)
                intent = ExperimentIntent(fresh.id, STEPS[name], choices)
                plan = plan_step(intent, fresh, Around(now=NOW))
                if isinstance(plan, ExperimentPlan):
                    seen = await follow(plan, client, desk)
                    what = f"{name} {choices.variant or choices.disable_flag} while it is {is_on}"
                    taken.append(what)
                    wrong += [f"{what}: {one}" for one in untrue(seen)]
                await put_away(client, fresh)
    assert len(taken) >= 3
    assert not wrong, "\n".join(wrong)


async def standing_in(client: Client, state: str, targeting: Json, *, is_on: bool) -> Experiment:
    """An experiment in this state, whose flag has this targeting and is on or off whatever the state."""
    fresh = await client.experiments.create("Blue", "blue", {})
    assert fresh.feature_flag is not None
    for step in STATES[state]:
        await getattr(client.experiments, step)(fresh.id)
    changes: Json = {"filters": targeting}
    if state != "archived":
        changes["active"] = is_on
    await client.flags.update(fresh.feature_flag.id, changes)
    return await client.experiments.get(fresh.id)


async def follow(plan: ExperimentPlan, client: Client, desk: StepDesk) -> Seen:
    """Take the step; what there was before, and is afterwards."""
    flag = plan.fresh.feature_flag
    assert flag is not None
    before = await client.flags.get(flag.id)
    ended = await save_step(approve(plan), desk)
    assert ended.ending == "saved", (plan.title, ended.reason, ended.error)
    assert ended.record is not None
    return Seen(plan, before, await client.flags.get(flag.id), ended.record)


async def put_away(client: Client, experiment: Experiment) -> None:
    """Free the key for the next one."""
    assert experiment.feature_flag is not None
    with suppress(NotFound):
        await client.experiments.delete(experiment.id)
    await client.flags.update(experiment.feature_flag.id, {"key": f"gone-{experiment.id}"})

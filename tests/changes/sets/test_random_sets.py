"""Random sets: with a second writer between any two steps, killed at any step, and evaluated once applied.

FLAGTUI_ROUNDS=10000 pytest tests/changes/sets/test_random_sets.py -k second_writer runs one at length.
"""

import contextlib
import copy
import os
from pathlib import Path
from typing import Any

import pytest
from tests.changes.sets.conftest import empty_set, stage_new
from tests.changes.sets.set_desk import LIMIT, Killed, ServedProject, SetDesk, kill
from tests.doubles.slices import at_most
from tests.doubles.targeting import asks_flag, group, variants

from flagtui.changes.canonical_filters import means_same
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.proposal import Outcome
from flagtui.changes.sets.after_set import AfterSet, flags_after
from flagtui.changes.sets.change_set import ChangeSet
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.set_plans import SetPlan
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Person
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


def rounds(short: int, full: int) -> int:
    return int(os.environ.get("FLAGTUI_ROUNDS", at_most(short, full=full)))


Write = tuple[int, dict[str, JSON], dict[str, JSON]]
"""A flag that the author wrote: its number, and its values before and after."""


def record_writes(desk: SetDesk) -> list[Write]:
    """Return the list to which every write of the author is added."""
    writes: list[Write] = []
    apply = desk.server.apply

    def record(who: str, id: int, sent: dict[str, JSON]) -> dict[str, JSON]:
        before = copy.deepcopy(desk.server.stored[id])
        after = apply(who, id, sent)
        if who == "ada@acme.test":
            writes.append((id, before, after))
        return after

    desk.server.apply = record  # type: ignore[method-assign]
    return writes


def check_values(change_set: ChangeSet, writes: list[Write], outcomes: list[Outcome]) -> None:
    """Check that no write replaced another user's value without a report."""
    reported = {outcome.plan.id: outcome for outcome in outcomes}
    for id, before, after in writes:
        change = change_set.change_of("flag", id)
        assert change is not None, "a flag outside the set was changed"
        moved = {name for name in before if before[name] != after[name]} - {"version", "last_modified_by"}
        assert moved <= change.values.keys(), "a field outside the set was changed"
        lost = [name for name in change.base if not means_same(before[name], change.base[name], (name,))]
        assert not lost or any("meanwhile" in remark for remark in reported[id].remarks), reported[id]


def check_reports(change_set: ChangeSet, plan: SetPlan, outcomes: list[Outcome], writes: list[Write]) -> None:
    """Check that each change has one result, which is `saved` exactly when its request was applied."""
    written = sorted(id for id, _before, _after in writes)
    assert sorted(outcome.plan.id for outcome in outcomes if outcome.is_saved and outcome.plan.id) == written
    assert len(written) == len(set(written))
    planned = plan.planned.plans if plan.planned is not None else ()
    skipped = plan.planned.skipped if plan.planned is not None else ()
    assert len(plan.outdated) + len(planned) + len(skipped) == len(change_set.changes)
    assert not outcomes or not (plan.outdated or plan.blocked)


async def test_a_second_writer_loses_nothing_unreported(tmp_path: Path) -> None:
    conflicts, count = 0, rounds(60, full=600)
    for seed in range(count):
        desk = SetDesk(tmp_path / str(seed), seed)
        change_set, writes = desk.stage(has_new=False), record_writes(desk)
        if desk.chance.random() < 0.3:
            desk.bob_writes()
        desk.steps.at, desk.steps.happens = desk.chance.randint(1, 60), desk.bob_writes
        plan, outcomes = await desk.apply(change_set, continues=desk.chance.random() < 0.5)
        desk.steps.at = -1
        check_reports(change_set, plan, outcomes, writes)
        check_values(change_set, writes, outcomes)
        conflicts += len(plan.outdated) + sum(outcome.ending == "conflicted" for outcome in outcomes)
        # Applied a second time: only what was not applied is sent, unless its record has changed.
        before = {id for id, _before, _after in writes}
        plan, outcomes = await desk.apply(change_set)
        assert before.isdisjoint([outcome.plan.id for outcome in outcomes])
        assert len(plan.progress.applied) == len(before)
    assert conflicts > count / 10


def check_each_was_sent_once(desk: SetDesk, change_set: ChangeSet) -> None:
    written = [id for id, _changed in desk.written()]
    assert len(written) == len(set(written)) == len(change_set.changes)


@pytest.mark.parametrize(("seed", "step"), [
    *((seed, seed * 7) for seed in range(rounds(12, full=40))),
    *((5, step) for step in range(0, 60, at_most(5, full=1))),
])  # fmt: skip
async def test_killed_set_reaches_the_same_state_after_a_second_apply(
    seed: int, step: int, tmp_path: Path
) -> None:
    whole, killed = SetDesk(tmp_path / "whole", seed), SetDesk(tmp_path / "killed", seed)
    await whole.apply(whole.stage())
    change_set = killed.stage()
    killed.steps.at, killed.steps.count, killed.steps.happens = 1 + step % whole.steps.count, 0, kill
    with pytest.raises(Killed):
        await killed.apply(change_set)
    killed.steps.at = -1
    killed.clock.now += 600
    plan, outcomes = await killed.apply(change_set)
    assert [*plan.pending, *plan.outdated] == []
    assert all(outcome.is_saved for outcome in outcomes)
    assert killed.values() == whole.values()
    check_each_was_sent_once(killed, change_set)
    entries = [entry for entry in killed.journal().entries() if entry.ending == "saved"]
    assert [entry.batch for entry in entries] == [change_set.id] * len(change_set.changes)


async def kill_with_a_request_in_flight(desk: SetDesk) -> ChangeSet:
    """Return a set whose first apply is killed with its first request; the server applies it 20 s later."""

    def kill_soon() -> None:
        desk.steps.at, desk.steps.count, desk.steps.happens = 1, 0, kill

    change_set = desk.stage(has_new=False)
    desk.ada.faults, desk.ada.before_update = ["apply late"], kill_soon
    with contextlib.suppress(Killed):
        await desk.apply(change_set)
    desk.ada.before_update = lambda: None
    return change_set


async def test_second_apply_waits_for_the_request_in_flight(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, 3)
    change_set = await kill_with_a_request_in_flight(desk)
    began = desk.clock.now
    desk.clock.at(desk.clock.now - desk.clock.began + 20, desk.ada.deliver_late)
    _plan, outcomes = await desk.apply(change_set)
    assert desk.clock.now > began
    assert all(outcome.is_saved for outcome in outcomes)
    check_each_was_sent_once(desk, change_set)


async def test_second_apply_goes_on_after_the_clock_was_set_back(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, 3)
    change_set = await kill_with_a_request_in_flight(desk)
    desk.clock.now -= 3_600
    _plan, outcomes = await desk.apply(change_set)
    assert sum(desk.clock.slept) < 120
    assert len([outcome for outcome in outcomes if outcome.is_saved]) == len(change_set.changes)


def targeting(desk: SetDesk, others: list[str]) -> dict[str, JSON]:
    """Random conditions: a share, a property, a variant, a dependency on another flag."""
    chance, properties = desk.chance, list[JSON]()
    if chance.random() < 0.5:
        value = chance.choice(("free", "pro"))
        properties.append({"key": "plan", "type": "person", "operator": "exact", "value": [value]})
    if others and chance.random() < 0.5:
        properties.append(asks_flag(chance.choice(others)))
    condition = group(chance.choice((0, 20, 60, 100)), *properties, variant=None)
    split = variants(a=50, b=50) if chance.random() < 0.3 else None
    return {"groups": [condition], "payloads": {}, "multivariate": split}


def five_changes(desk: SetDesk) -> ChangeSet:
    """Five changes: flags switched or targeted, one of them perhaps at a new flag of the set."""
    plans: list[Any] = []
    for id in desk.chance.sample(range(1, desk.flags + 1), 4):
        fresh = Flag.of(copy.deepcopy(desk.server.stored[id]))
        lower = [str(other) for other in range(1, id) if desk.server.stored[other]["active"]]
        intent = Intent(id, {"filters": targeting(desk, ["new:brand-new", *lower])}, "change targeting")
        if desk.chance.random() < 0.3:
            intent = Intent(id, {"active": not fresh.active}, "edit")
        plans.append(plan_flag(intent, fresh, Context(now=desk.clock.time(), dependents=())))
    changes = changes_of([plan for plan in plans if isinstance(plan, Plan)])
    return empty_set().with_changes([stage_new("brand-new", active=True), *changes], LIMIT)


def served_values(raws: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
    """The values of all flags for each user."""
    definitions, plans = Definitions.of(copy.deepcopy(raws)), ("free", "pro", "team")
    people = (Person(f"user_{n}", {"plan": plans[n % 3]}, is_complete=True) for n in range(100))
    values = (evaluate_all(person, definitions) for person in people)
    return [{key: result.value for key, result in each.items()} for each in values]


async def test_predicted_values_of_a_set_are_served_once_applied(tmp_path: Path) -> None:
    applied, moved, count = 0, 0, rounds(8, full=60)
    for seed in range(count):
        desk = SetDesk(tmp_path / str(seed), seed, flags=6)
        change_set, before = five_changes(desk), [*map(copy.deepcopy, desk.server.stored.values())]
        expected = served_values(flags_after(before, change_set.changes))
        _plan, outcomes = await desk.apply(change_set)
        if len(outcomes) < len(change_set.changes) or not all(outcome.is_saved for outcome in outcomes):
            # A random set can turn off a flag that another one needs.
            continue
        applied += 1
        assert served_values([*desk.server.stored.values()]) == expected
        moved += expected != served_values(before)
    assert applied > count / 2
    assert moved == applied


async def test_record_takes_no_name_of_another_kind(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, seed=0)
    change = five_changes(desk).changes[0]
    after = AfterSet(ServedProject(None, desk.clock, desk.server), [change])
    assert after.name("flags", change.record) == change.key
    assert after.name("experiments", change.record) == f"experiment {change.record}"

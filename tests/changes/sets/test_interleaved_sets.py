"""A second writer between any two steps: nothing is lost, duplicated or unreported.

FLAGTUI_ROUNDS=10000 pytest tests/changes/sets/test_interleaved_sets.py runs it at length.
"""

import copy
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.changes.sets.set_desk import SetDesk
from tests.doubles.slices import at_most

from flagtui.changes.canonical_filters import means_same
from flagtui.changes.proposal import Outcome
from flagtui.changes.sets.change_set import ChangeSet
from flagtui.changes.sets.set_plans import SetPlan
from flagtui.models.json_value import JSON

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(60, full=600)))


@dataclass
class Ledger:
    """Every write of the author, with the values that it replaced."""

    desk: SetDesk
    writes: list[tuple[int, dict[str, JSON], dict[str, JSON]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        apply = self.desk.server.apply

        def record_write(who: str, id: int, sent: dict[str, JSON]) -> dict[str, JSON]:
            before = copy.deepcopy(self.desk.server.stored[id])
            after = apply(who, id, sent)
            if who == "ada@acme.test":
                self.writes.append((id, before, after))
            return after

        self.desk.server.apply = record_write  # type: ignore[method-assign]


def check_values(change_set: ChangeSet, ledger: Ledger, reported: dict[int, Outcome]) -> int:
    """Check that no write replaced another user's value without a report; return how many were reported."""
    count = 0
    for id, before, after in ledger.writes:
        change = change_set.change_of("flag", id)
        assert change is not None, "a flag outside the set was changed"
        moved = {name for name in before if before[name] != after[name]} - {"version", "last_modified_by"}
        assert moved <= change.values.keys(), "a field outside the set was changed"
        lost = [name for name in change.base if not means_same(before[name], change.base[name], (name,))]
        if lost:
            assert any("meanwhile" in remark for remark in reported[id].remarks), (lost, reported[id])
            count += 1
    return count


def check_reports(change_set: ChangeSet, plan: SetPlan, outcomes: list[Outcome], ledger: Ledger) -> None:
    """Check that each change has one result, which is `saved` exactly when its request was applied."""
    saved = [outcome.plan.id for outcome in outcomes if outcome.is_saved and outcome.plan.id]
    written = [id for id, _before, _after in ledger.writes]
    assert sorted(saved) == sorted(written)
    assert len(written) == len(set(written))
    declined = [*plan.outdated, *plan.blocked]
    planned = plan.planned.plans if plan.planned is not None else ()
    skipped = plan.planned.skipped if plan.planned is not None else ()
    assert len(declined) + len(planned) + len(skipped) - len(plan.blocked) == len(change_set.changes)
    if declined:
        assert not outcomes


async def run(seed: int, folder: Path) -> tuple[int, int]:
    """Stage, let another user write at a random step, apply; return the reported losses and the conflicts."""
    desk = SetDesk(folder, seed)
    change_set, ledger = desk.stage(has_new=False), Ledger(desk)
    if desk.chance.random() < 0.3:
        desk.bob_writes()
    desk.steps.at, desk.steps.happens = desk.chance.randint(1, 60), desk.bob_writes
    plan, outcomes = await desk.apply(change_set, continues=desk.chance.random() < 0.5)
    desk.steps.at = -1
    check_reports(change_set, plan, outcomes, ledger)
    reported = {outcome.plan.id: outcome for outcome in outcomes if isinstance(outcome.plan.id, int)}
    count = check_values(change_set, ledger, reported)
    conflicts = len(plan.outdated) + sum(outcome.ending == "conflicted" for outcome in outcomes)
    await apply_again(desk, change_set, ledger)
    return count, conflicts


async def apply_again(desk: SetDesk, change_set: ChangeSet, ledger: Ledger) -> None:
    """Apply the set a second time: only what was not applied is sent, unless its record has changed."""
    before = {id for id, _before, _after in ledger.writes}
    plan, outcomes = await desk.apply(change_set)
    again: list[Any] = [outcome.plan.id for outcome in outcomes]
    assert before.isdisjoint(again)
    assert len(plan.progress.applied) == len(before)


async def test_a_second_writer_loses_nothing_unreported(tmp_path: Path) -> None:
    results = [await run(seed, tmp_path / str(seed)) for seed in range(ROUNDS)]
    assert sum(conflicts for _count, conflicts in results) > ROUNDS / 10

"""A set that is killed at any step ends in the same state after a second apply, and repeats nothing.

FLAGTUI_ROUNDS=250 pytest tests/changes/sets/test_killed_sets.py runs it at length.
"""

import contextlib
import os
from pathlib import Path
from typing import Final

from tests.changes.sets.set_desk import Killed, SetDesk, kill
from tests.doubles.slices import at_most

from flagtui.changes.sets.change_set import ChangeSet

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(12, full=40)))


async def kill_and_apply_again(desk: SetDesk, change_set: ChangeSet, at: int) -> bool:
    """Apply the set, killed at this step, then once more ten minutes later; whether it was killed."""
    desk.steps.at, desk.steps.count, desk.steps.happens = at, 0, kill
    try:
        await desk.apply(change_set)
    except Killed:
        is_killed = True
    else:
        is_killed = False
    desk.steps.at = -1
    desk.clock.now += 600
    plan, outcomes = await desk.apply(change_set)
    assert not plan.pending
    assert not plan.outdated
    assert all(outcome.is_saved for outcome in outcomes)
    return is_killed


async def test_killed_set_reaches_the_same_state_after_a_second_apply(tmp_path: Path) -> None:
    kills = 0
    for seed in range(ROUNDS):
        whole = SetDesk(tmp_path / f"{seed}-whole", seed)
        await whole.apply(whole.stage())
        steps = whole.steps.count
        expected = whole.values()
        killed = SetDesk(tmp_path / f"{seed}-killed", seed)
        change_set = killed.stage()
        kills += await kill_and_apply_again(killed, change_set, 1 + seed * 7 % steps)
        assert killed.values() == expected
        written = [id for id, _changed in killed.written()]
        assert len(written) == len(set(written)) == len(change_set.changes), "a change was sent twice"
        entries = [entry for entry in killed.journal().entries() if entry.ending == "saved"]
        assert len(entries) == len(change_set.changes)
        assert {entry.batch for entry in entries} == {change_set.id}
    assert kills == ROUNDS


async def test_a_set_killed_at_every_step_of_one_run(tmp_path: Path) -> None:
    whole = SetDesk(tmp_path / "whole", 5)
    await whole.apply(whole.stage())
    for at in range(1, whole.steps.count + 1, at_most(5, full=1)):
        killed = SetDesk(tmp_path / str(at), 5)
        assert await kill_and_apply_again(killed, killed.stage(), at)
        assert killed.values() == whole.values()


async def test_second_apply_waits_for_the_request_in_flight(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, 3)
    change_set = await killed_with_a_request_in_flight(desk)
    began = desk.clock.now
    desk.clock.at(desk.clock.now - desk.clock.began + 20, desk.ada.deliver_late)
    _plan, outcomes = await desk.apply(change_set)
    assert desk.clock.now > began
    assert all(outcome.is_saved for outcome in outcomes)
    written = [id for id, _changed in desk.written()]
    assert len(written) == len(set(written)) == len(change_set.changes)


async def test_second_apply_goes_on_after_the_clock_was_set_back(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, 3)
    change_set = await killed_with_a_request_in_flight(desk)
    desk.clock.now -= 3_600
    _plan, outcomes = await desk.apply(change_set)
    assert sum(desk.clock.slept) < 120
    assert len([outcome for outcome in outcomes if outcome.is_saved]) == len(change_set.changes)


async def killed_with_a_request_in_flight(desk: SetDesk) -> ChangeSet:
    """Return a set whose first apply is killed with its first request; the server applies it 20 s later."""

    def kill_soon() -> None:
        desk.steps.at, desk.steps.count, desk.steps.happens = 1, 0, kill

    change_set = desk.stage(has_new=False)
    desk.ada.faults = ["apply late"]
    desk.ada.before_update = kill_soon
    with contextlib.suppress(Killed):
        await desk.apply(change_set)
    desk.ada.before_update = lambda: None
    return change_set

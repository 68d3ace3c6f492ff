"""Staged changes of flags with thousands of conditions are compared beside the event loop."""

from tests.changes.sets.conftest import empty_set
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.expected import expect
from tests.doubles.heavy_server import changed

from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.sets.change_set import StagedChange
from flagtui.changes.sets.outdated import OutdatedChange, OutdatedChanges
from flagtui.models.flag import Flag


async def test_heavy_flag_is_compared_with_its_change_in_a_thread() -> None:
    raw = heavy.with_conditions(1_000)
    base = raw["filters"]
    groups = [{**base["groups"][0], "rollout_percentage": 33}, *base["groups"][1:]]
    change = StagedChange(
        kind="flag",
        record=raw["id"],
        key=raw["key"],
        verb="change targeting",
        version=raw["version"],
        base={"filters": base},
        values={"filters": {**base, "groups": groups}},
    )
    theirs = Flag.of({**raw, **changed(raw), "version": raw["version"] + 1})
    since = OutdatedChanges(empty_set(), OwnChanges())
    with counting_calls() as calls:
        outdated = await since.compare_off_loop(theirs, change)
    assert [conflict.where for conflict in expect(outdated, OutdatedChange).conflicts] == [
        "filters.groups[0]"
    ]
    assert calls.count < 1_000

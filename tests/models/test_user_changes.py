"""How many users a change gave a flag to, or took it from."""

from typing import Any

import pytest

from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.condition_queries import deciding_conditions
from flagtui.models.counted_users import UserChange
from flagtui.models.filters import Filters
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.rows import FlagRow
from flagtui.models.user_changes import CurrentFlag, ServedState, state_of, steps_of

GERMANS: dict[str, Any] = {"key": "country", "value": "DE", "operator": "exact", "type": "person"}


def conditions(*shares: tuple[float, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"groups": [{"properties": items, "rollout_percentage": share} for share, items in shares]}


def entry(place: int, activity: str = "updated", **changed: tuple[Any, Any]) -> ChangeRow:
    changes = [{"field": name, "before": old, "after": new} for name, (old, new) in changed.items()]
    changes.append({"field": "version", "before": place, "after": place + 1})
    raw = {"id": f"e{place}", "item_id": "1", "activity": activity, "detail": {"changes": changes}}
    return change_row(Activity.of(raw), place)


COUNTS = {
    query.identity: BlastRadius(affected=affected, total=8_246)
    for affected, properties in ((8_246, []), (1_000, [GERMANS]))
    for query in deciding_conditions(Filters.of(conditions((100, properties))))
}


def not_known(_id: int, _version: int | None) -> None:
    return None


def current(active: bool, filters: dict[str, Any] | None = None) -> CurrentFlag:
    row = FlagRow(1, "a", active=active)
    return lambda _id, _version: state_of(row, Filters.of(filters) if filters is not None else None)


def count_steps(rows: list[ChangeRow], flag: CurrentFlag = not_known) -> list[UserChange | None]:
    steps = steps_of(rows, flag)
    return [steps[row.id].count(COUNTS) for row in rows]


def test_rollout_is_counted_where_the_flag_is_on() -> None:
    rollout = entry(5, filters=(conditions((75, [])), conditions((90, []))))
    [change] = count_steps([rollout], current(True))
    assert change == UserChange(gained=1_237, total=8_246)
    assert count_steps([rollout], current(False)) == [UserChange()]
    assert count_steps([rollout]) == [None]
    assert count_steps([entry(5, tags=(["a"], ["b"]))]) == [UserChange()]


def test_switch_takes_conditions_of_later_changes_or_the_flag() -> None:
    off = entry(5, active=(True, False))
    later = entry(6, filters=(conditions((50, [GERMANS])), conditions((100, []))), active=(False, True))
    assert count_steps([off, later]) == [
        UserChange(lost=500, total=8_246),
        UserChange(gained=8_246, total=8_246),
    ]
    on = entry(5, active=(False, True))
    assert count_steps([on], current(True, conditions((100, [])))) == [UserChange(gained=8_246, total=8_246)]
    assert count_steps([on], current(True)) == [None]


def test_overlapping_conditions_give_an_upper_bound() -> None:
    before, after = conditions((10, [GERMANS]), (20, [])), conditions((30, [GERMANS]), (20, []))
    [change] = count_steps([entry(5, filters=(before, after))], current(True))
    assert change == UserChange(gained=200, total=8_246, is_bound=True)
    holdout = {"holdout": {"id": 3, "exclusion_percentage": 5}}
    before, after = (conditions((share, [])) | holdout for share in (75, 90))
    [change] = count_steps([entry(5, filters=(before, after))], current(True))
    assert change == UserChange(gained=1_237, total=8_246, is_bound=True)


@pytest.mark.parametrize(
    ("activity", "expected"),
    [("deleted", UserChange(lost=8_246, total=8_246)), ("restored", UserChange(gained=8_246, total=8_246))],
)
def test_deletion_counts_every_user_of_the_flag(activity: str, expected: UserChange) -> None:
    rows = [entry(5, activity)]
    state = ServedState(True, Filters.of(conditions((100, []))))
    assert count_steps(rows, lambda _id, _version: state) == [expected]


def test_groups_are_not_counted_as_users() -> None:
    before, after = (conditions((share, [])) | {"aggregation_group_type_index": 0} for share in (10, 20))
    rows = [entry(5, filters=(before, after))]
    [step] = steps_of(rows, current(True)).values()
    [query] = step.missing({})
    change = step.count({query.identity: BlastRadius(affected=50, total=50)})
    assert change == UserChange(gained=5, total=50, unit="groups")

"""Intents that change targeting change the named part only."""

import copy
from collections.abc import Callable
from typing import Final

import pytest
from tests.changes.conftest import make_plan
from tests.changes.writing import edit_draft
from tests.doubles.fixtures import needs_fixtures, real_records
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.targeting import asks, asks_cohort, variants

from flagtui.changes.difference import DifferenceLine, difference
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, plan_flag
from flagtui.changes.shares import even_shares
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

EMAIL = asks("email", "icontains", "@acme.test", note=1)
RICH: dict[str, JSON] = {
    "groups": [
        {
            "properties": [EMAIL, asks_cohort(3, cohort_name="Staff")],
            **{"rollout_percentage": 25, "variant": "test", "sort_key": "a", "exposure_frozen": True},
        },
        {"properties": [], "rollout_percentage": 0.5, "variant": None, "users_affected": None},
        {"properties": None, "rollout_percentage": None},
    ],
    "multivariate": {**variants(control=50, test=50), "mystery": True},
    "payloads": {"test": '{"copy": "Buy  now"}'},
    "holdout": {"id": 4, "exclusion_percentage": 5},
    "holdout_groups": [{"properties": [], "rollout_percentage": 5, "variant": "holdout-4"}],
    "super_groups": None,
    "feature_enrollment": False,
    "mystery": {"kept": [1, {"two": None}]},
}


def flag(**fields: JSON) -> Flag:
    return Flag.of(raw_flag(filters=copy.deepcopy(RICH), **fields))


async def lines_of(intent: Intent, fresh: Flag) -> tuple[DifferenceLine, ...]:
    """What the change moves in the flag that a server stores."""
    server = FlagServer(fresh.raw)
    plan = make_plan(intent, fresh)
    body = dict(plan.body)
    await server.person("ada@acme.test").update(812, body, version=plan.fresh.version, original=plan.original)
    return difference(clean(copy.deepcopy(fresh.raw)), clean(server.stored[812]))


def clean(raw: dict[str, JSON]) -> dict[str, JSON]:
    """The flag without what a read adds and a write counts."""
    left = {name: value for name, value in raw.items() if name not in ("version", "last_modified_by")}
    for group in left["filters"]["groups"]:
        for item in group.get("properties") or ():
            item.pop("cohort_name", None)
    return left


def test_shares_beside_a_malformed_condition_cannot_be_set() -> None:
    """Its readable conditions have other numbers than the stored ones."""
    for malformed in (None, "text", 5):
        fresh = Flag.of(raw_flag(filters={"groups": [malformed, *RICH["groups"]]}))
        assert "one of its conditions is malformed" in flag_intent.why_no_rollout(fresh)
    assert flag_intent.why_no_rollout(flag()) == ""


async def test_rollout_edit_changes_exactly_one_number() -> None:
    for condition, before in enumerate((25, 0.5, None)):
        (line,) = await lines_of(flag_intent.set_rollout(flag(), condition, 60), flag())
        place = f"filters.groups[{condition}].rollout_percentage"
        assert (line.where, line.before, line.after) == (place, before, 60)


def test_rollouts_change_together_or_need_nothing() -> None:
    fresh = flag()
    plan = make_plan(flag_intent.set_all_rollouts(fresh, 10), fresh)
    before = ("25 %", "0.5 %", "100 %")
    words = [f"condition {place}: rollout {share} → 10 %" for place, share in enumerate(before, 1)]
    assert [line.words for line in plan.lines] == words
    unchanged = plan_flag(flag_intent.set_rollout(fresh, 0, 25.0), fresh, Context(dependents=()))
    assert isinstance(unchanged, NoOp)


@pytest.mark.parametrize(("change", "place"), [
    (lambda copy: copy.add_condition(), "filters.groups[3]"),
    (lambda copy: copy.remove_condition(1), "filters.groups[1]"),
    (lambda copy: copy.set_payload("control", "1"), "filters.payloads.control"),
    (lambda copy: copy.set_payload("test", None), "filters.payloads.test"),
], ids=["add", "remove", "payload", "no payload"])  # fmt: skip
async def test_intent_moves_only_place_it_names(change: Callable[[WorkingCopy], object], place: str) -> None:
    assert [line.where for line in await lines_of(edit_draft(flag(), change), flag())] == [place]


def test_a_condition_moves_and_keeps_all_it_has() -> None:
    intent = edit_draft(flag(), lambda copy: copy.move_condition(2, 0))
    groups = make_plan(intent, flag()).body["filters"]["groups"]
    assert [group.get("rollout_percentage") for group in groups] == [None, 25, 0.5]
    assert groups[1]["exposure_frozen"] is True


def test_even_shares_are_whole_and_add_up() -> None:
    for shares in map(even_shares, range(1, 21)):
        assert sum(shares) == 100
        assert max(shares) - min(shares) <= 1


def test_ramp_steps_up_and_down_and_stops_at_ends() -> None:
    assert [flag_intent.ramp_step(share) for share in (0, 3, 25, 99, 100)] == [1, 5, 50, 100, 100]
    assert [flag_intent.ramp_step(share, forward=False) for share in (100, 3, 1, 0)] == [75, 1, 0, 0]


def test_older_version_is_restored_without_its_key() -> None:
    fresh = flag()
    old = {"name": "Old words", "key": "old-key", "filters": RICH, "active": False, "id": 812, "version": 3}
    plan = make_plan(flag_intent.older_version(fresh, 3, old), fresh)
    assert dict(plan.body) == {"name": "Old words", "active": False}
    assert plan.title == "Restore an older version of"


REAL: Final = [
    raw
    for raw in real_records("flags/retrieve_*.json", "filters")
    if isinstance(raw["filters"], dict) and raw["filters"].get("groups") and raw.get("can_edit") is not False
]


@needs_fixtures
def test_real_flags_take_a_rollout_edit_as_one_line() -> None:
    for fresh in map(Flag.of, REAL):
        plan = make_plan(flag_intent.set_rollout(fresh, 0, 37), fresh)
        assert [line.where for line in plan.lines] == ["filters.groups[0].rollout_percentage"]

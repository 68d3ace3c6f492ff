"""A set planned as a whole: on the state after it, dependencies first, each record compared twice."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.experiments.conftest import make_experiment, make_plan
from tests.changes.sets.conftest import empty_set, stage_change, stage_new, turned_off
from tests.changes.sets.set_desk import LIMIT, SetDesk
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.expected import expect, require
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.heavy_server import change_record
from tests.doubles.tables import table
from tests.doubles.targeting import asks_flag, group

from flagtui.api import errors
from flagtui.changes.flags.flag_context import Context, NotKnown
from flagtui.changes.flags.flag_intent import Intent, set_field, switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.proposal import Outcome, Proposal
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange, OutdatedChanges
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.set_planner import sort_plans
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


def depending_on(*flags: int | str) -> dict[str, JSON]:
    """Filters with a condition that depends on these flags."""
    return {"groups": [group(100, *map(asks_flag, flags))], "payloads": {}}


def desk_of(folder: Path, *raws: dict[str, JSON]) -> SetDesk:
    """A desk whose server has these flags."""
    desk = SetDesk(folder, 1)
    desk.server = FlagServer(*raws)
    desk.ada = desk.server.person("ada@acme.test")
    return desk


def change_of(desk: SetDesk, intent: Intent) -> StagedChange:
    """The change of a set that the intent becomes, with nothing known of other flags."""
    fresh = Flag.of(copy.deepcopy(desk.server.stored[intent.id]))
    plan = plan_flag(intent, fresh, Context(now=desk.clock.time(), dependents=()))
    (change,) = changes_of([expect(plan, Plan)])
    return change


def set_of(desk: SetDesk, *intents: Intent) -> ChangeSet:
    return empty_set().with_changes([change_of(desk, intent) for intent in intents], LIMIT)


DEPENDS: Final = stage_change(Intent(1, {"filters": depending_on("new:b")}, "edit"), key="old")


def endings(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    return [(outcome.plan.key, outcome.ending) for outcome in outcomes]


def parent_and_child(*, is_on: bool) -> tuple[dict[str, JSON], dict[str, JSON]]:
    parent = raw_flag(id=1, key="parent", active=is_on)
    return parent, raw_flag(id=2, key="child", active=is_on, filters=depending_on(1))


@pytest.mark.parametrize(("verb", "order"), [("turn on", [1, 2]), ("turn off", [2, 1])])
@pytest.mark.parametrize("ids", [(1, 2), (2, 1)])
async def test_dependencies_are_sent_first(
    verb: str, order: list[int], ids: tuple[int, ...], tmp_path: Path
) -> None:
    desk = desk_of(tmp_path, *parent_and_child(is_on=verb == "turn off"))
    change_set = set_of(desk, *(switch(verb, id, 12) for id in ids))
    _plan, outcomes = await desk.apply(change_set)
    assert [outcome.plan.id for outcome in outcomes if outcome.is_saved] == order


PARENT, CHILD = parent_and_child(is_on=True)
OLD, OTHER = raw_flag(id=1, key="old"), raw_flag(id=3, key="other")
EVERYONE: JSON = {"groups": [group(100)], "payloads": {}}
PERMANENT: dict[str, Any] = {"verb": "delete", "base": {"deleted": False}, "values": {"deleted": True}}


@table("raws, changes, reason", {
    "a dependent flag stays on": ((PARENT, CHILD, OTHER),
                                  (turned_off(1, key="parent"), turned_off(3, key="other")),
                                  "child depends on this flag and is on"),
    "a record has another name": ((OLD, OTHER), (turned_off(1, key="harmless"),), "its id 1 is that of old"),
    "a new flag is there already": ((OTHER,), (stage_new("other"),), "there is already a flag other"),
    "a new flag is not in the set": ((OLD,), (DEPENDS,), "it depends on b, which the set does not create"),
    "a new flag is off": ((OLD,), (DEPENDS, stage_new("b")),
                          "it depends on b, which the set creates turned off"),
    "a deletion is permanent": ((raw_flag(id=1, key="old", filters={"version": 2, "rules": []}),),
                                (StagedChange(kind="flag", record=1, key="old", version=12, **PERMANENT),),
                                "a permanent delete cannot be part of a set"),
})  # fmt: skip
async def test_one_blocked_change_blocks_the_whole_set(
    raws: tuple[dict[str, JSON], ...], changes: tuple[StagedChange, ...], reason: str, tmp_path: Path
) -> None:
    desk, change_set = desk_of(tmp_path, *raws), empty_set().with_changes(changes, LIMIT)
    for is_overwriting in (False, True):
        plan = await desk.plan(change_set, is_overwriting=is_overwriting)
        assert [skipped.reason for skipped in plan.blocked] == [reason]
        assert await desk.send(change_set, plan) == []
    assert desk.written() == []


async def test_set_frees_a_dependent_flag_first(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, PARENT, CHILD)
    freed = Intent(2, {"filters": EVERYONE}, "change targeting", seen_version=12)
    _plan, outcomes = await desk.apply(set_of(desk, switch("turn off", 1, 12), freed))
    assert endings(outcomes) == [("child", "saved"), ("parent", "saved")]


async def test_renamed_record_is_named_by_both_keys(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, OLD)
    change_set = set_of(desk, switch("turn off", 1, 12))
    desk.bob_changes(1, key="renamed")
    (outdated,) = (await desk.plan(change_set)).outdated
    assert "v12 → v13, last by bob@acme.test, now called renamed)" in outdated.words


async def test_record_with_the_tags_of_the_set_names_no_version(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, OLD)
    change_set = set_of(desk, set_field(1, "tags", ["checkout"], ["checkout", "x"], 12))
    desk.server.stored[1]["tags"] = ["checkout", "x"]
    (skipped,) = require((await desk.plan(change_set)).planned).skipped
    assert skipped.reason == "changed since and has these values already"


async def test_new_flag_depends_on_one_that_the_set_turns_on(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, raw_flag(id=1, key="parent", active=False))
    child = stage_new("child", filters=depending_on(1), active=True)
    change_set = set_of(desk, switch("turn on", 1, 12)).with_changes([child], LIMIT)
    _plan, outcomes = await desk.apply(change_set)
    assert endings(outcomes) == [("parent", "saved"), ("child", "saved")]


async def test_names_of_new_flags_become_their_numbers(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, OLD)
    first = stage_new("a", filters=depending_on("new:b"), active=True)
    change_set = empty_set().with_changes([DEPENDS, first, stage_new("b", active=True)], LIMIT)
    _plan, outcomes = await desk.apply(change_set)
    assert [outcome.plan.key for outcome in outcomes if outcome.is_saved] == ["b", "old", "a"]
    number = next(str(id) for id, raw in desk.server.stored.items() if raw["key"] == "b")
    for raw in desk.server.stored.values():
        keys = [item["key"] for group in raw["filters"]["groups"] for item in group["properties"]]
        assert keys == ([] if raw["key"] == "b" else [number])


async def test_flag_whose_response_was_lost_is_named_by_its_number(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, OLD)
    change_set = empty_set().with_changes([DEPENDS, stage_new("b", active=True)], LIMIT)
    desk.ada.faults = ["lose the answer"]
    _plan, outcomes = await desk.apply(change_set, continues=True)
    assert endings(outcomes) == [("b", "saved"), ("old", "saved")]
    (group,) = desk.server.stored[1]["filters"]["groups"]
    assert desk.server.stored[int(group["properties"][0]["key"])]["key"] == "b"


async def test_changes_that_need_a_refused_flag_are_refused(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, OLD)
    change_set = empty_set().with_changes([DEPENDS, stage_new("b", active=True)], LIMIT)
    desk.ada.faults = [errors.Invalid("No.")]
    _plan, outcomes = await desk.apply(change_set, continues=True)
    assert endings(outcomes) == [("b", "refused"), ("old", "refused")]
    assert outcomes[1].reason == "a flag that it depends on was not created"
    _plan, again = await desk.apply(change_set)
    assert endings(again) == [("b", "saved"), ("old", "saved")]


async def test_each_record_is_compared_right_before_its_request(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, raw_flag(id=1), raw_flag(id=2, key="other"))
    change_set = set_of(desk, switch("turn off", 1, 12), switch("turn off", 2, 12))
    desk.ada.before_update = lambda: desk.bob_changes(2, name="unrelated")
    _plan, outcomes = await desk.apply(change_set)
    assert endings(outcomes) == [("checkout-v2", "saved"), ("other", "conflicted")]
    assert [id for id, _changed in desk.written()] == [1]


@pytest.mark.parametrize("ids", [(1, 2), (2,)])
async def test_records_are_compared_before_the_first_request(ids: tuple[int, ...], tmp_path: Path) -> None:
    desk = desk_of(tmp_path, raw_flag(id=1), raw_flag(id=2, key="other"))
    change_set = set_of(desk, *(switch("turn off", id, 12) for id in ids))
    plan = await desk.plan(change_set)
    desk.bob_changes(2, name="unrelated")
    # One change is compared when its plan is old, several at once.
    desk.clock.now += 31 if len(ids) == 1 else 0
    assert endings(await desk.send(change_set, plan)) == [("other", "conflicted")]
    assert desk.written() == []


async def test_hundred_flags_and_encrypted_ones_need_few_reads(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, *(raw_flag(id=id, key=f"flag-{id}") for id in range(1, 101)))
    change_set = empty_set().with_changes([turned_off(id, key=f"flag-{id}") for id in range(1, 101)], LIMIT)
    _plan, outcomes = await desk.apply(change_set)
    assert sum(outcome.is_saved for outcome in outcomes) == 100
    assert (desk.ada.reads, desk.ada.sends, desk.lists) == (200, 100, 1)
    secret = raw_flag(id=1, has_encrypted_payloads=True)
    desk = desk_of(tmp_path, secret, raw_flag(id=2, key="other"))
    change_set = set_of(desk, switch("turn off", 1, 12), switch("turn off", 2, 12))
    await desk.plan(change_set)
    assert desk.ada.reads == 1


async def test_set_plans_each_flag_as_a_change_of_its_own(tmp_path: Path) -> None:
    desk = SetDesk(tmp_path, seed=7, flags=12)
    for _ in range(8):
        change_set = desk.stage(has_new=False)
        plan = await desk.plan(change_set)
        assert plan.planned is not None
        assert len(plan.planned.plans) == len(change_set.changes)
        context = Context(now=desk.clock.time(), reach=NotKnown("not counted"), dependents=())
        for each, change in zip(plan.planned.plans, plan.planned.requests, strict=True):
            fresh = Flag.of(copy.deepcopy(desk.server.stored[int(change.record)]))
            intent = Intent(fresh.id, change.values, change.verb, seen_version=change.version)
            alone = plan_flag(intent, fresh, context)
            assert isinstance(each, Plan)
            assert replace(each, read_at=context.now) == alone


@pytest.mark.parametrize("is_flag_first", [True, False])
def test_flag_and_experiment_of_equal_number_both_stay(is_flag_first: bool) -> None:
    experiment = make_plan("archive", make_experiment("stopped"))
    fresh = Flag.of(raw_flag(id=experiment.id))
    flag = expect(plan_flag(switch("turn off", fresh.id), fresh, Context(dependents=())), Plan)
    plans: list[Proposal] = [flag, experiment] if is_flag_first else [experiment, flag]
    assert sort_plans(plans) == plans


async def test_heavy_flag_is_compared_with_its_change_in_a_thread() -> None:
    raw = heavy.with_conditions(1_000)
    base = raw["filters"]
    groups = [{**base["groups"][0], "rollout_percentage": 33}, *base["groups"][1:]]
    record: dict[str, Any] = {"kind": "flag", "record": raw["id"], "key": raw["key"]}
    values: dict[str, Any] = {"base": {"filters": base}, "values": {"filters": {**base, "groups": groups}}}
    change = StagedChange(verb="change targeting", version=raw["version"], **record, **values)
    theirs = Flag.of({**raw, **change_record(raw), "version": raw["version"] + 1})
    since = OutdatedChanges(empty_set(), OwnChanges())
    with counting_calls() as calls:
        outdated = await since.compare_off_loop(theirs, change)
    (conflict,) = expect(outdated, OutdatedChange).conflicts
    assert conflict.where == "filters.groups[0]"
    assert calls.count < 1_000


async def test_no_change_is_sent_again_within_its_minute(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, raw_flag(id=1, key="a", active=True))
    desk.wait = 1.0
    change_set = set_of(desk, switch("turn off", 1, 12))
    desk.ada.faults = ["apply late"]
    _plan, outcomes = await desk.apply(change_set)
    assert endings(outcomes) == [("a", "unknown")]
    plan, outcomes = await desk.apply(change_set)
    assert ([entry.key for entry in plan.pending], outcomes, desk.ada.sends) == (["a"], [], 1)
    desk.clock.now += 61
    plan, outcomes = await desk.apply(change_set)
    assert (plan.pending, endings(outcomes)) == ([], [("a", "saved")])

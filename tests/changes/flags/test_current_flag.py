"""What a question has to say besides the change: learned quickly, or said why not."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag
from tests.doubles.log_entries import log_entry
from tests.doubles.tables import table
from tests.doubles.targeting import asks, asks_flag, group

from flagtui.api import errors
from flagtui.changes.flags.current_flag import (
    FlagReading,
    Neighbours,
    add_context,
    begin_requests,
    dependencies_of,
)
from flagtui.changes.flags.flag_context import COUNTED, NO_USERS, Context, NotKnown, Reach
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.planner import PATIENCE
from flagtui.changes.skipped import Linked
from flagtui.models.activity import ActivityPage
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius, FlagKey
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

NOW = 1_780_000_000.0


class Answers:
    """A server that counts 1,000 people; `matching` of them have any properties that are asked for."""

    def __init__(self, matching: int = 400, fault: Exception | None = None) -> None:
        self.matching = matching
        self.fault = fault
        self.counted: list[Mapping[str, JSON]] = []
        self.entries: list[dict[str, JSON]] = []

    def fail(self) -> None:
        if self.fault:
            raise self.fault

    async def dependents(self, id: int) -> tuple[FlagKey, ...]:
        self.fail()
        return (FlagKey.of({"id": 9, "key": "child", "name": "Child"}),)

    async def activity(self, id: int | None = None, *, limit: int = 10, page: int = 1) -> ActivityPage:
        self.fail()
        return ActivityPage.of({"results": self.entries})

    async def blast_radius(
        self, condition: Mapping[str, JSON], group_type_index: int | None = None
    ) -> BlastRadius:
        self.fail()
        self.counted.append(condition)
        return BlastRadius(affected=self.matching if condition.get("properties") else 1000, total=1000)


ASKS, OTHERS, THIRD = ([asks("email", "icontains", sign)] for sign in "@.-")


def flag(*groups: dict[str, JSON], **fields: Any) -> Flag:
    return Flag.of(raw_flag(filters={"groups": list(groups)}, **fields))


async def gather_context(
    fresh: Flag,
    values: dict[str, JSON],
    *rows: FlagRow,
    ask: Answers | None = None,
    seen_version: int | None = None,
    patience: float = PATIENCE,
) -> Context:
    intent = Intent(fresh.id, values, "change", seen_version=seen_version)
    begun = await begin_requests(FlagReading(fresh, intent, Context(now=NOW)), rows, ask or Answers())
    try:
        return (await begun.within(patience)).context
    finally:
        begun.stop()


OFF: dict[str, JSON] = {"active": False}
CHILD = FlagRow(9, "child", active=True, depends_on=(812,))
BOUND: dict[str, Any] = {"is_bound": True}
ABOUT: dict[str, Any] = {"is_estimate": True}
ON: dict[str, JSON] = {"active": True}
HELD: JSON = {"groups": [{}], "holdout": {"id": 3, "exclusion_percentage": 5}}
NEXT: JSON = group(10)


def filters(*groups: JSON, **more: JSON) -> dict[str, JSON]:
    return {"filters": {"groups": list(groups), **more}}


def asking(properties: Any, share: int | None = None) -> dict[str, JSON]:
    return {"properties": properties, **({} if share is None else {"rollout_percentage": share})}


@table("fresh, values, reach", {
    "off": (flag(asking([], 50)), OFF, Reach(500, 0, 1000, moved=(500, 0), **ABOUT)),
    "on": (flag(asking([], 50), active=False), ON, Reach(0, 500, 1000, moved=(0, 500), **ABOUT)),
    "delete": (flag({"rollout_percentage": None}), {"deleted": True}, Reach(1000, 0, 1000, moved=(1000, 0))),
    "rollout": (flag(asking(ASKS, 25)), filters(asking(ASKS, 75)),
                Reach(100, 300, 1000, moved=(0, 200), **ABOUT)),
    "one condition more": (flag(asking(ASKS, 50)), filters(asking(ASKS, 50), NEXT),
                           Reach(200, 300, 1000, moved=(0, 100), **BOUND, **ABOUT)),
    "everyone twice": (flag(asking([], 80), asking([], 80)), OFF,
                       Reach(800, 0, 1000, moved=(800, 0), **ABOUT)),
    "other users": (flag(asking(ASKS)), filters(asking(OTHERS)),
                    Reach(400, 400, 1000, moved=(400, 400), **BOUND)),
    "less of three that overlap": (flag(asking(ASKS), asking(OTHERS), asking(THIRD)),
                                   filters(asking(ASKS), asking(OTHERS), asking(THIRD, 50)),
                                   Reach(1000, 1000, 1000, moved=(200, 0), **BOUND, **ABOUT)),
    "less where everyone has half": (flag(asking(ASKS), asking([], 50)),
                                     filters(asking(ASKS, 10), asking([], 50)),
                                     Reach(900, 540, 1000, moved=(200, 0), **BOUND, **ABOUT)),
    "early exit before another": (flag(asking(ASKS)), filters(asking([], 0), asking(ASKS), early_exit=True),
                                  Reach(400, 0, 1000, moved=(400, 0))),
    "early exit with two shares": (flag(asking(ASKS, 50)),
                                   filters(asking(ASKS, 10), asking(ASKS, 50), early_exit=True),
                                   Reach(200, 200, 1000, moved=(200, 200), **BOUND, **ABOUT)),
    "behind a holdout": (Flag.of(raw_flag(filters=HELD)), OFF,
                         Reach(1000, 0, 1000, moved=(1000, 0), **BOUND)),
    "no early exit any more": (Flag.of(raw_flag(**filters(NEXT, asking(ASKS), early_exit=True))),
                               filters(NEXT, asking(ASKS)),
                               Reach(100, 500, 1000, moved=(0, 360), **BOUND, **ABOUT)),
    "targeting of a flag that is off": (flag(asking([], 50), active=False), filters(asking([], 60)),
                                        Reach(0, 0, 1000)),
    "on without conditions": (flag(active=False), ON, NO_USERS),
    "behind one that cannot be read": (flag({"rollout_percentage": "50"}, asking([], 100)), OFF, NO_USERS),
})  # fmt: skip
async def test_reach_is_counted_before_and_after(fresh: Flag, values: dict[str, JSON], reach: Reach) -> None:
    assert (await gather_context(fresh, values)).reach == reach


@pytest.mark.parametrize("fields", [HELD, {"groups": [{}], "feature_enrollment": True}])
async def test_reach_is_not_known_where_a_holdout_changes(fields: JSON) -> None:
    sides: list[JSON] = [{"groups": [{}]}, fields]
    for before, after in (sides, sides[::-1]):
        context = await gather_context(Flag.of(raw_flag(filters=before)), {"filters": after})
        assert context.reach == NotKnown("its holdout or early access changes, which servers do not count")


@pytest.mark.parametrize(("values", "counted"), [(filters(asking(ASKS, 75)), 1), ({"name": "Other"}, 0)])
async def test_a_condition_is_counted_once_and_only_where_targeting_moves(
    values: dict[str, JSON], counted: int
) -> None:
    ask = Answers()
    await gather_context(flag(asking(ASKS, 25)), values, ask=ask)
    assert len(ask.counted) == counted


async def test_reach_of_a_merged_change_keeps_what_others_changed() -> None:
    fresh = Flag.of(raw_flag(**filters(asking([], 50), payloads={"true": '"new"'})))
    seen, back = (filters(asking([], 25), payloads={"true": text}) for text in ('"new"', '"old"'))
    intent = Intent(fresh.id, back, "revert", seen=seen)
    reading = await add_context(FlagReading(fresh, intent, Context(now=NOW)), (), Answers(), adds_later=False)
    assert reading.context.reach == Reach(500, 500, 1000, is_estimate=True)


async def test_too_many_or_mixed_conditions_are_not_counted() -> None:
    many = [asking([{**ASKS[0], "value": str(place)}]) for place in range(COUNTED + 1)]
    assert "too many" in expect((await gather_context(flag(*many), OFF)).reach, NotKnown).why
    mixed = flag({"aggregation_group_type_index": 0}, {"aggregation_group_type_index": None})
    assert isinstance((await gather_context(mixed, OFF)).reach, NotKnown)


async def test_failing_and_limited_servers_leave_reasons() -> None:
    failing = Answers(fault=errors.ServerFault("The server failed."))
    context = await gather_context(flag({}), OFF, ask=failing)
    assert {context.reach, context.dependents, context.last_touch} == {NotKnown("The server failed")}
    assert (await gather_context(flag({}), OFF, CHILD, ask=failing)).dependents == (Linked(9, "child", True),)
    limited = Answers(fault=errors.RateLimited("Too many requests; wait 34 s."))
    context = await gather_context(flag({}), OFF, ask=limited)
    assert expect(context.reach, NotKnown).why == "the server limits the rate of requests"


async def test_silent_server_is_waited_for_only_a_moment() -> None:
    class Slow(Answers):
        async def blast_radius(
            self, condition: Mapping[str, JSON], group_type_index: int | None = None
        ) -> BlastRadius:
            await asyncio.Event().wait()
            raise AssertionError

    context = await gather_context(flag({}), OFF, ask=Slow(), patience=0.01)
    assert isinstance(context.reach, NotKnown)
    assert context.dependents == (Linked(9, "child", True),)


async def test_later_changes_are_listed_with_user_and_change() -> None:
    ask = Answers()
    logged = (log_entry(active=(False, True), version=(version - 1, version)) for version in (12, 11, 10))
    ask.entries = [dict(entry.raw) for entry in logged]
    context = await gather_context(flag({}), OFF, ask=ask, seen_version=10)
    assert [(who, what) for who, *_when, what in context.touched_since] == [("Sam", ": turned on")] * 2


async def test_linked_flags_are_known_from_the_list() -> None:
    context = await gather_context(flag({}), OFF, CHILD, FlagRow(10, "asleep", depends_on=(812,)))
    assert context.dependents == (Linked(9, "child", True), Linked(10, "asleep", False))
    fresh = flag({"properties": [asks_flag("3")]})
    context = await gather_context(fresh, {"active": True}, FlagRow(3, "base"), FlagRow(4, "other"))
    assert context.dependencies == (Linked(3, "base", False),)
    rows, intent = (CHILD, FlagRow(10, "other")), Intent(812, OFF, "turn off")
    reading = await add_context(FlagReading(flag({}), intent, Context()), rows, None, adds_later=False)
    assert reading.context.dependents == (Linked(9, "child", True),)
    assert isinstance(reading.context.reach, NotKnown)


@pytest.mark.parametrize(("key", "other"), [
    *(("checkout-v2", other) for other in ("checkout_v2", "Checkout-V2", "checkout--v2", "CHECKOUT-V2")),
    *(("modern-1", "modem-l"), ("burn", "bum"), ("_street", "-STREET"), ("gruß", "gruss")),
])  # fmt: skip
def test_keys_that_look_alike_are_found(key: str, other: str) -> None:
    keys = (key, other, "checkout-v3", "modern-2")
    assert Neighbours(FlagRow(id, each) for id, each in enumerate(keys)).similar_to(key) == (other,)


def test_flags_needed_before_the_change_and_after_it_are_read() -> None:
    fresh = flag(group(100, asks_flag("3")))
    assert dependencies_of(fresh, OFF) == {3}
    assert dependencies_of(fresh, {"filters": {"groups": [group(100, asks_flag("4"))]}}) == {3, 4}

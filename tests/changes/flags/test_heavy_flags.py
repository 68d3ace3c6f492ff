"""Changes of flags with thousands of parts: linear rules, a plan in a thread, a question that can be read."""

import re
import threading
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.changes.conftest import NOW
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls, counting_calls
from tests.doubles.expected import expect
from tests.doubles.heavy_server import change_record
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client, errors
from flagtui.api.flags import Flags
from flagtui.api.heavy_work import is_heavy
from flagtui.changes.difference import field_words, without
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.flags.current_flag import FlagReading
from flagtui.changes.flags.filter_rules import problems_in
from flagtui.changes.flags.flag_context import MANY, Context, NotKnown, Reach, reach_of
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.flags.flag_intent import Intent, switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_planner import FlagChange, FlagPlanner
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import plan_together
from flagtui.changes.flags.new_flags import copy_of
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import PlanContext, Planned
from flagtui.models.condition_queries import ConditionQuery
from flagtui.models.filters import Condition
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.text.flag_sentences import plain
from flagtui.text.question_lines import DIFFERENCES, plan_lines

JSON = Any


class Compared(str):
    """Text that counts how often it is compared."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(count: int) -> int:
    """Of the rules for a flag of so many variants, each with a payload and a condition that forces it."""
    filters = heavy.with_variants(count)["filters"]
    variants = [
        {**variant, "key": Compared(variant["key"])} for variant in filters["multivariate"]["variants"]
    ]
    payloads = {variant["key"]: "1" for variant in variants}
    groups = [{"properties": [], "rollout_percentage": 1, "variant": variant["key"]} for variant in variants]
    Compared.times = 0
    assert problems_in({"groups": groups, "payloads": payloads, "multivariate": {"variants": variants}}) == ()
    return Compared.times


def test_comparisons_are_linear_and_repeats_reported_once() -> None:
    assert comparisons(1_000) < 20 * 1_000
    variants = [{"key": key, "rollout_percentage": 25} for key in ("b", "a", "b", "a")]
    problems = problems_in({"groups": [], "multivariate": {"variants": variants}})
    expected = ["the key b is there more than once", "the key a is there more than once"]
    assert [problem.words for problem in problems] == expected


def test_tags_are_told_apart_in_linear_work() -> None:
    before, after = (
        [Compared(f"tag-{place}") for place in range(start, start + 2_000)] for start in (0, 1_000)
    )
    Compared.times = 0
    words = field_words(FLAG_FIELDS, "tags", before, after)
    assert Compared.times < 20 * 2_000
    assert words.startswith("tags: + tag-2000, + tag-2001, ")
    assert words.endswith("+ tag-2039 and 1,960 more")


def test_objects_of_any_kind_are_compared_in_linear_work() -> None:
    assert without([{"a": 1}, "x", 2], [{"a": 1}, 2]) == ["x"]
    assert without(["b", "a", "b"], ["a"]) == ["b", "b"]
    assert without([{"a": 1, "b": [2]}, {"a": []}], [{"b": [2.0], "a": 1}]) == [{"a": []}]
    once, twice = (
        counted_calls(partial(without, heavy.conditions(count), heavy.bare_conditions(count)))
        for count in (500, 1_000)
    )
    assert once < twice < 2.3 * once


def read_to_turn_off(fresh: Flag, threads: list[threading.Thread]) -> FlagReading:
    """A reading whose plan notes the thread that made it."""

    def finish(plan: Plan) -> Plan:
        threads.append(threading.current_thread())
        return plan

    return FlagReading(fresh, switch("turn off", fresh.id), Context(now=NOW, dependents=()), finish)


async def test_heavy_flag_is_planned_in_a_thread() -> None:
    threads: list[threading.Thread] = []
    for count in (10, 1_000):
        fresh = Flag.of(heavy.with_conditions(count))
        reading = read_to_turn_off(fresh, threads)
        result = expect(await reading.plan_off_loop(frozenset({fresh.id})), Plan)
        assert result == reading.plan(frozenset({fresh.id}))
    assert [thread is threading.main_thread() for thread in threads] == [True, True, False, True]


async def test_heavy_flag_of_many_is_read_in_a_thread() -> None:
    fresh = Flag.of(heavy.with_conditions(1_000))
    context = PlanContext(cast(Client, SimpleNamespace(flags=None)), SteadyClock(), uncounted="not counted")
    planner = FlagPlanner(context, fresh={fresh.id: fresh})
    request = FlagChange(fresh.id, lambda fresh: switch("turn off", fresh.id))
    with counting_calls() as calls:
        reading = await planner.read_one_of_many(request)
    assert isinstance(reading, FlagReading)
    assert calls.count < 5_000


@pytest.mark.parametrize(("count", "is_beside"), [(10, False), (100, True)])
async def test_flags_that_are_heavy_together_are_planned_in_a_thread(count: int, is_beside: bool) -> None:
    threads: list[threading.Thread] = []
    flags = [Flag.of(heavy.with_conditions(count, id=id)) for id in (901, 902)]
    plans, _skipped = await plan_together([read_to_turn_off(fresh, threads) for fresh in flags])
    assert [plan.id for plan in plans] == [901, 902]
    assert [thread is not threading.main_thread() for thread in threads] == [is_beside, is_beside]


def retargeted(fresh: Flag, **fields: JSON) -> Intent:
    """A change of these fields in every condition."""
    groups = [{**group, **fields} for group in fresh.filters["groups"]]
    return Intent(fresh.id, {"filters": {**fresh.filters, "groups": groups}}, "change targeting")


def plan_now(intent: Intent, fresh: Flag) -> Plan:
    return expect(plan_flag(intent, fresh, Context(now=NOW, dependents=())), Plan)


class OneFlag:
    """A client of flags with one answer, or with a conflict first."""

    def __init__(self, answer: Flag, *, is_conflict: bool) -> None:
        self.answer = answer
        self.is_conflict = is_conflict

    async def update(self, *_values: object, **_terms: object) -> Flag:
        if self.is_conflict:
            raise errors.Conflict("It was changed by grace.")
        return self.answer

    async def get(self, _id: int) -> Flag:
        return self.answer


@pytest.mark.parametrize(("is_conflict", "ending"), [(False, "saved"), (True, "conflicted")])
async def test_heavy_answer_is_compared_in_a_thread(is_conflict: bool, ending: str) -> None:
    raw = heavy.with_conditions(300)
    fresh = Flag.of(raw)
    plan = plan_now(retargeted(fresh, rollout_percentage=7.5), fresh)
    stored = change_record(raw) if is_conflict else {"filters": plan.values["filters"]}
    flags = OneFlag(Flag.of({**raw, **stored, "version": 13}), is_conflict=is_conflict)
    with counting_calls() as calls:
        outcome = await FlagAdapter(cast(Flags, flags)).send(plan)
    assert outcome.ending == ending
    assert len(outcome.conflicts) == (300 if is_conflict else 0)
    assert calls.count < 2_000


def test_new_flags_and_values_count_as_heavy() -> None:
    for raw in (heavy.with_conditions(1_000), heavy.with_payload(1024 * 1024)):
        assert is_heavy(WorkingCopy.new(copy_of(Flag.of(raw), "copy")).values)
        assert is_heavy(WorkingCopy.of(Flag.of(raw)).values)
    assert not is_heavy(WorkingCopy.new(copy_of(Flag.of(heavy.with_conditions(10)), "copy")).values)
    assert not is_heavy(heavy.with_values(1_000)["filters"])
    assert is_heavy(heavy.with_values(50_000)["filters"])


def test_question_counts_cautions_and_differences_beyond_its_lines() -> None:
    fresh = Flag.of(heavy.with_conditions(2_000))
    plan = plan_now(retargeted(fresh, aggregation_group_type_index=0, properties=[]), fresh)
    lines = [*plan_lines(plan, 80)]
    assert len(lines) < DIFFERENCES + 200
    assert f"… and {len(plan.cautions) - 100:,} more cautions" in plain(lines)
    assert re.search(r"… and 3,\d{3} more differences", plain(lines))


def test_condition_is_measured_before_its_properties_are_read() -> None:
    odd: list[JSON] = [{}, {"properties": "x"}, {"properties": [None, "x", {"value": ["a"] * 10_001}]}]
    for make in (heavy.with_properties, heavy.with_values):
        for count in (3, 9_999, 10_000, 10_001):
            odd += make(count)["filters"]["groups"]
    for raw in odd:
        assert ConditionQuery.is_short(raw) is ConditionQuery(1, Condition.of(raw), None).is_countable


async def never_count(_condition: object, _kind: int | None) -> BlastRadius:
    raise AssertionError("nothing is counted")


LONG = "a condition with more than 10,000 values is too long to count"


@pytest.mark.parametrize(("raw", "words"), [
    (heavy.with_conditions(20), "20 different conditions are too many to count in time"),
    (heavy.with_conditions(5_000), f"more than {MANY} different conditions are too many to count in time"),
    (heavy.with_properties(10_001), LONG),
    (heavy.with_values(10_001), LONG),
], ids=["20 conditions", "5,000 conditions", "many properties", "many values"])  # fmt: skip
async def test_reach_of_many_or_huge_conditions_is_not_counted(raw: dict[str, JSON], words: str) -> None:
    assert await reach_of(never_count, Flag.of(raw), {"active": False}) == NotKnown(words)


async def test_reach_of_equal_conditions_is_read_in_a_thread() -> None:
    async def count(_condition: object, _kind: int | None) -> BlastRadius:
        return BlastRadius(affected=5, total=10)

    fresh = Flag.of(heavy.with_bare_conditions(5_000))
    assert len(fresh.targeting.conditions) == 5_000
    with counting_calls() as calls:
        reach = expect(await reach_of(count, fresh, {"deleted": True}), Reach)
    assert (reach.after, reach.total) == (0, 10)
    assert calls.count < 3 * 5_000


class Unreadable:
    """A client of one flag, whose context cannot be read."""

    def __init__(self, flag: Flag) -> None:
        self._flag = flag
        self.flags = self

    async def get(self, _id: int) -> Flag:
        return self._flag

    async def refuse(self, *_terms: object, **_more: object) -> None:
        raise errors.Forbidden("No access.")

    dependents = blast_radius = activity = refuse


async def test_undo_of_heavy_flag_is_planned_in_a_thread() -> None:
    fresh = Flag.of(heavy.with_conditions(1_000))
    assert fresh.row().id == fresh.id
    before = retargeted(fresh, rollout_percentage=7.5).changes
    entry = Entry(key=fresh.key, record=fresh.id, before=before, after={"filters": fresh.filters})
    context = UndoContext(cast(Client, Unreadable(fresh)), SteadyClock(), rows=())
    with counting_calls() as calls:
        prepared = await FlagEntries().prepare_undo(entry, context)
    assert expect(prepared, Planned).plans[0].lines
    assert calls.count < 5_000

"""Many flags at once: how they are counted, and the order they go in."""

from pathlib import Path

import pytest
from tests.changes.bench import working
from tests.changes.writing import approve
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag
from tests.doubles.service_world import asks_for

from flagtui.changes.flags.current_flag import FlagReading, begin_requests
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import sort_by_dependency
from flagtui.changes.journal_entries import Ending
from flagtui.changes.proposal import Outcome
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.text.outcomes import count_endings


@pytest.mark.parametrize(
    ("endings", "unsent", "words"), [(["saved"] * 5, 0, "5 off"), (["unknown"], 4, "1 unknown, 4 not sent")]
)
def test_endings_are_counted_by_what_became_of_flags(endings: list[Ending], unsent: int, words: str) -> None:
    plan = make_plan(switch("turn off", 1), asking(1, None))
    assert count_endings([Outcome(plan, ending) for ending in endings], unsent) == words


def asking(id: int, dependency: int | None, **fields: JSON) -> Flag:
    properties = [{"key": str(dependency), "type": "flag", "operator": "flag_evaluates_to", "value": True}]
    groups = [{"properties": properties if dependency else [], "rollout_percentage": 100}]
    return Flag.of(raw_flag(id=id, key=f"k{id}", filters={"groups": groups}, **fields))


def make_plan(intent: Intent, fresh: Flag) -> Plan:
    return expect(plan_flag(intent, fresh, Context(dependents=())), Plan)


def sort_ids(verb: str, *flags: Flag) -> list[int | str]:
    plans = [make_plan(switch(verb, flag.id), flag) for flag in flags]
    return [plan.id for plan in sort_by_dependency(plans)]


def test_flags_go_off_before_dependencies_and_each_once() -> None:
    family = asking(1, None), asking(2, 1), asking(3, 2), asking(4, None)
    assert sort_ids("turn off", *family) == [3, 2, 1, 4]
    off = asking(3, 2, active=False), asking(2, 1, active=False), asking(1, None, active=False)
    assert sort_ids("turn on", *off) == [1, 2, 3]
    assert sorted(sort_ids("turn off", asking(1, 2), asking(2, 1))) == [1, 2]
    chain = [*range(1, 1_501)]
    assert sort_ids("turn off", *(asking(id, id - 1 or None) for id in chain)) == chain[::-1]


async def test_dependent_flags_go_off_together_in_a_valid_order(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        flags, plans = bench.client.flags, []
        base = await bench.new_flag("base")
        ids = (base, await bench.new_flag("child", filters=asks_for(base)))
        for id in ids:
            fresh, intent = await flags.get(id), switch("turn off", id)
            begun = await begin_requests(FlagReading(fresh, intent, Context(now=bench.now)), (), flags)
            reading = await begun.within(None)
            assert isinstance(reading.plan(frozenset({id})), Blocked if id == base else Plan)
            plans.append(expect(reading.plan(frozenset(ids)), Plan))
        outcomes = await bench.writing(FlagAdapter(flags)).send(approve(*sort_by_dependency(plans)))
        expected = [("child", "saved"), ("base", "saved")]
        assert [(outcome.plan.key, outcome.ending) for outcome in outcomes] == expected

"""Many flags at once: each with its own end, a stop where going on would be careless, nothing sent twice."""

from pathlib import Path

import pytest
from tests.changes.office import HERE
from tests.changes.writing import Writing
from tests.doubles.expected import expect
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import errors
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context, Linked
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flags_together import in_order, within_batch
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.pipeline import Batch
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.text.outcomes import count_endings


class Crowd:
    """Five flags that are on, an approval to turn them off, and a save context."""

    def __init__(self, folder: Path) -> None:
        self.raws = [raw_flag(id=number, key=f"k{number}") for number in range(1, 6)]
        self.server = FlagServer(*self.raws)
        self.ada = self.server.person("ada@acme.test")
        self.clock = SteadyClock()
        self.told: list[str] = []
        self.journal = Journal(folder, clock=self.clock.time)
        self.save_context = Writing(self.ada.adapter, self.journal, HERE, self.clock, self.told.append)

    def batch(self) -> Batch[Plan, Flag]:
        return self.save_context.batch(self.approved())

    def approved(self) -> Approved:
        context = Context(now=self.clock.time(), dependents=())
        plans = [
            plan_flag(flag_intent.switch("turn off", raw["id"]), Flag.of(raw), context) for raw in self.raws
        ]
        question = expect(guard([plan for plan in plans if isinstance(plan, Plan)], GuardRules()), Question)
        return expect(question.settle(Confirmation(yes=True)), Approved)

    @property
    def off(self) -> list[int]:
        return [id for id, raw in self.server.stored.items() if not raw["active"]]


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    return Crowd(tmp_path)


async def endings(batch: Batch[Plan, Flag]) -> list[tuple[int, str]]:
    return [(outcome.plan.id, outcome.ending) async for outcome in batch.run()]


async def test_each_flag_has_its_own_outcome_and_one_batch_in_the_journal(crowd: Crowd) -> None:
    batch = crowd.batch()
    assert await endings(batch) == [(number, "saved") for number in range(1, 6)]
    assert count_endings(batch.outcomes) == "5 off"
    assert len({entry.batch for entry in crowd.journal.entries()}) == 1
    assert crowd.journal.entries()[0].batch


async def test_a_refusal_of_one_flag_leaves_the_others_to_go_on(crowd: Crowd) -> None:
    crowd.ada.faults = [errors.Invalid("other flags depend on it")]
    batch = crowd.batch()
    assert [ending for _, ending in await endings(batch)] == ["refused"] + ["saved"] * 4
    assert [outcome.plan.id for outcome in batch.outcomes if not outcome.is_saved] == [1]


STOPS: list[tuple[errors.ApiError, str]] = [
    (errors.Unreachable("no route"), "failed"),
    (errors.NotSignedIn("key revoked"), "refused"),
    (errors.MissingScope("no write scope"), "refused"),
]


@pytest.mark.parametrize(("fault", "ending"), STOPS, ids=[ending for _, ending in STOPS])
async def test_what_would_happen_to_all_stops_the_batch(
    crowd: Crowd, fault: errors.ApiError, ending: str
) -> None:
    crowd.ada.faults = [fault]
    batch = crowd.batch()
    assert await endings(batch) == [(1, ending)]
    assert (len(batch.unsent), crowd.off) == (4, [])


async def test_an_unknown_end_stops_the_batch_and_nothing_is_sent_again(crowd: Crowd) -> None:
    crowd.ada.faults = ["never arrives"]
    batch = crowd.batch()
    assert await endings(batch) == [(1, "unknown")]
    assert count_endings(batch.outcomes, len(batch.unsent)) == "1 unknown, 4 not sent"
    assert crowd.ada.sends == 1


async def test_what_is_unknown_is_watched_until_it_is_known(crowd: Crowd) -> None:
    crowd.ada.faults = ["apply late"]
    crowd.clock.at(20, crowd.ada.deliver_late)
    batch = crowd.batch()
    assert await endings(batch) == [(1, "unknown")]
    assert [(outcome.plan.id, outcome.ending) async for outcome in batch.settle()] == [(1, "saved")]
    assert [outcome.ending for outcome in batch.outcomes] == ["saved"]


async def test_a_server_that_asks_for_a_pause_gets_it_and_the_batch_goes_on(crowd: Crowd) -> None:
    facts = errors.ErrorFacts("PATCH", True, status=429, retry_after=7)
    crowd.ada.faults = [errors.RateLimited("slow down", facts=facts)]
    assert len(await endings(crowd.batch())) == 5
    assert (crowd.clock.slept, crowd.told) == ([7], ["the server asks for a pause of 7 s"])


async def test_a_server_that_only_ever_asks_for_pauses_stops_the_batch(crowd: Crowd) -> None:
    crowd.ada.faults = [errors.RateLimited("slow down")] * 50
    assert await endings(crowd.batch()) == [(1, "refused")]
    assert crowd.ada.sends == 6


def test_an_approval_makes_one_batch(crowd: Crowd) -> None:
    approved = crowd.approved()
    crowd.save_context.batch(approved)
    with pytest.raises(ValueError, match="used before"):
        crowd.save_context.batch(approved)


def asking(id: int, asked: int | None, **fields: JSON) -> Flag:
    properties = [{"key": str(asked), "type": "flag", "operator": "flag_evaluates_to", "value": True}]
    groups = [{"properties": properties if asked else [], "rollout_percentage": 100}]
    return Flag.of(raw_flag(id=id, key=f"k{id}", filters={"groups": groups}, **fields))


def planned(wanted: Intent, fresh: Flag) -> Plan:
    return expect(plan_flag(wanted, fresh, Context(dependents=())), Plan)


def test_flags_go_off_before_what_they_ask_for_and_on_after_it() -> None:
    flags = [asking(1, None), asking(2, 1), asking(3, 2), asking(4, None)]
    off = in_order([planned(flag_intent.switch("turn off", flag.id), flag) for flag in flags])
    assert [plan.id for plan in off] == [3, 2, 1, 4]
    flags = [asking(3, 2, active=False), asking(2, 1, active=False), asking(1, None, active=False)]
    assert [
        plan.id
        for plan in in_order([planned(flag_intent.switch("turn on", flag.id), flag) for flag in flags])
    ] == [
        1,
        2,
        3,
    ]


def test_flags_that_ask_for_each_other_still_come_out_once() -> None:
    plans = [
        planned(flag_intent.switch("turn off", 1), asking(1, 2)),
        planned(flag_intent.switch("turn off", 2), asking(2, 1)),
    ]
    assert sorted(plan.id for plan in in_order(plans)) == [1, 2]


def test_a_child_in_the_same_batch_blocks_nothing() -> None:
    context = Context(dependents=(Linked(2, "child", True), Linked(3, "other", True)))
    found = plan_flag(
        flag_intent.switch("turn off", 1), asking(1, None), within_batch(context, frozenset({1, 2}))
    )
    assert isinstance(found, Blocked)
    assert "other" in found.reason
    context = within_batch(context, frozenset({1, 2, 3}))
    assert isinstance(plan_flag(flag_intent.switch("turn off", 1), asking(1, None), context), Plan)

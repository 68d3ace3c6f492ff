"""Two people and one flag, thousands of ways: whatever one of them overwrites, that one is told.

FLAGTUI_ROUNDS=20000 pytest tests/changes/test_two_people.py runs it for longer.
"""

import copy
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.changes.writing import Writing
from tests.doubles.expected import expect
from tests.doubles.flag_server import FlagClient, FlagServer, raw_flag
from tests.doubles.slices import at_most
from tests.doubles.steady_clock import SteadyClock

from flagtui.changes.difference import DifferenceLine, difference
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, Question, guard
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import Outcome
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(20, full=150)))
STEPS: Final = 4
GROUPS: Final = 3


@dataclass
class Person:
    """A person with a save context, and the flag they look at."""

    name: str
    save_context: Writing
    looks_at: Flag


class Scenario:
    """One random sequence of reads, plans and saves by two people."""

    def __init__(self, seed: int, folder: Path, *, narrow: bool = False) -> None:
        self.chance = random.Random(seed)
        groups = [{"properties": [], "rollout_percentage": 10 * place} for place in range(1, GROUPS + 1)]
        filters = {"groups": groups, "payloads": {}, "mystery": {"kept": 1}}
        self.server = FlagServer(raw_flag(filters=filters), narrow=narrow)
        self.clock = SteadyClock()
        self.clients: list[FlagClient] = []
        self.people = [self.person(name, folder) for name in ("ada", "bob")]
        self.serial = 0

    def person(self, name: str, folder: Path) -> Person:
        journal = Journal(folder / name, clock=self.clock.time, disk=Disk(sync=lambda descriptor: None))
        self.clients.append(self.server.person(name))
        save_context = Writing(self.clients[-1].adapter, journal, Signature(name), self.clock)
        return Person(name, save_context, Flag.of(copy.deepcopy(self.server.stored[812])))

    def intent(self, person: Person) -> Intent:
        """An intent made from what this person looks at, which may be old by now."""
        self.serial += 1
        seen = person.looks_at
        match self.chance.randrange(5):
            case 0:
                return flag_intent.set_field(812, "name", seen.name, f"text {self.serial}", seen.version)
            case 1:
                tags = [*seen.raw["tags"], f"tag{self.serial}"]
                return flag_intent.set_field(812, "tags", seen.raw["tags"], tags, seen.version)
            case 2:
                return flag_intent.switch("turn off" if seen.active else "turn on", 812, seen.version)
            case _:
                wanted = copy.deepcopy(seen.filters)
                place = self.chance.randrange(GROUPS)
                wanted["groups"][place]["rollout_percentage"] = self.serial % 100 + 0.5
                return flag_intent.set_field(812, "filters", seen.filters, wanted, seen.version)

    async def run(self) -> None:
        for _ in range(STEPS):
            await self.step()

    async def step(self) -> None:
        person, other = self.chance.sample(self.people, 2)
        if self.chance.random() < 0.5:
            person.looks_at = await person.save_context.adapter.flags.get(812)
        plan = await self.plan(person)
        if plan is None:
            return
        rival = await self.plan(other) if self.chance.random() < 0.5 else None
        if rival is not None:
            await self.save(other, rival)
        self.clock.now += self.chance.choice((0, 1, 40))
        await self.save(person, plan)

    async def plan(self, person: Person) -> Plan | None:
        fresh = await person.save_context.adapter.flags.get(812)
        context = Context(now=self.clock.time(), dependents=())
        found = plan_flag(self.intent(person), fresh, context)
        return found if isinstance(found, Plan) else None

    async def save(self, person: Person, plan: Plan) -> None:
        question = expect(guard([plan], GuardRules(Level.RELAXED)), Question)
        agreed = question.settle(Confirmation(yes=True, overwrite=self.chance.random() < 0.7))
        if not isinstance(agreed, Approved):
            assert plan.conflicts
            return
        before = copy.deepcopy(self.server.stored[812])
        count = len(self.server.log)
        outcome = await person.save_context.save(agreed)
        self.check(person, plan, outcome, before, len(self.server.log) > count)
        if outcome.is_saved and outcome.record is not None:
            person.looks_at = outcome.record

    def check(
        self, person: Person, plan: Plan, outcome: Outcome, before: dict[str, JSON], wrote: bool
    ) -> None:
        after = self.server.stored[812]
        if not outcome.is_saved:
            assert outcome.ending == "conflicted"
            assert not wrote
            assert after == before
            return
        lost = [line for line in changed(before, after) if not expected(plan, line)]
        assert not lost or outcome.remarks, f"{person.name} overwrote {lost} and was not told"
        assert not any("did not move as planned" in remark for remark in outcome.remarks)


def changed(before: dict[str, JSON], after: dict[str, JSON]) -> tuple[DifferenceLine, ...]:
    bookkeeping = {"version", "last_modified_by"}
    left = {name: value for name, value in before.items() if name not in bookkeeping}
    return difference(left, {name: value for name, value in after.items() if name not in bookkeeping})


def expected(plan: Plan, line: DifferenceLine) -> bool:
    """Whether the plan showed exactly this: the same place, from the value that was there."""
    shown = {shown.path: shown for shown in plan.lines}
    if line.path not in shown:
        return False
    return bool(shown[line.path].before == line.before)


@pytest.mark.parametrize("narrow", [False, True])
async def test_nothing_is_ever_overwritten_unseen(tmp_path: Path, narrow: bool) -> None:
    carrying = 0
    for seed in range(ROUNDS):
        scenario = Scenario(seed, tmp_path / str(seed), narrow=narrow)
        await scenario.run()
        carrying += sum(client.sent_filters for client in scenario.clients)
    assert (carrying == 0) is narrow, "a server with narrow writes is sent no whole targeting"


async def careless(seed: int, folder: Path) -> None:
    scenario = Scenario(seed, folder)
    for person in scenario.people:
        make_careless(person)
    await scenario.run()


async def test_careless_clients_are_caught_by_the_same_check(tmp_path: Path) -> None:
    caught = 0
    for seed in range(60):
        try:
            await careless(seed, tmp_path / str(seed))
        except AssertionError:
            caught += 1
    assert caught > 10


def make_careless(person: Person) -> None:
    """Their writes carry no original values, and the answer's version is not believed either."""
    flags = person.save_context.adapter.flags
    send = flags.update

    async def update(id: int, changes: dict[str, JSON], **kept: JSON) -> Flag:
        found = await send(id, changes, version=None, original=None)
        return Flag.of({**found.raw, "version": (kept["version"] or 0) + 1})

    flags.update = update

"""Two users and one flag of the newest service: every edit is compared with the approvals.

FLAGTUI_ROUNDS=1000 pytest tests/changes/test_two_people_served.py makes ten thousand edits.
"""

import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from msgspec.structs import replace
from tests.changes.bench import HERE, Bench, working
from tests.changes.writing import Writing
from tests.doubles.expected import expect
from tests.doubles.slices import at_most

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, ramp_step, set_field, set_rollout, switch
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, Question, guard
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.planner import Planned
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

EDITS: Final = 10 * int(os.environ.get("FLAGTUI_ROUNDS", at_most(8, full=30)))
SHARES: Final = (10, 20, 30)


@dataclass
class Person:
    writing: Writing
    looks_at: Flag


@dataclass
class Desk:
    """Ada and Bob, one flag, and the ledger of what they agreed to."""

    bench: Bench
    people: list[Person]
    ledger: dict[str, Any]
    """The shares by place, the description, on or off."""
    chance: random.Random = field(default_factory=lambda: random.Random(19))
    done: Counter[str] = field(default_factory=Counter)

    async def edit_for(self, edits: int) -> None:
        """Both look, both decide, one after the other sends: the second may be late."""
        self.bench.wire.before = self.count_targeting
        while self.done["edits"] < edits:
            people = self.chance.sample(self.people, 2)
            decided = [(person, plan) for person in people if (plan := await self.decide(person))]
            self.bench.clock.now += self.chance.choice((0, 1, 40))
            for person, plan in self.chance.sample(decided, len(decided)):
                await self.send(person, plan)

    def count_targeting(self, request: httpx.Request) -> None:
        """Count the requests that carry the whole targeting, and those that set one share."""
        self.done["filters sent"] += request.method == "PATCH" and b'"filters"' in request.content
        self.done["share sent"] += request.url.path.endswith("/set_release_condition_rollout/")

    async def decide(self, person: Person) -> Plan | None:
        if self.chance.random() < 0.7:
            person.looks_at = await self.bench.client.flags.get(person.looks_at.id)
        return await self.plan(self.wish(person.looks_at))

    def wish(self, seen: Flag) -> Intent:
        place = self.chance.randrange(len(SHARES))
        match self.chance.randrange(10):
            case 0:
                return set_field(seen.id, "name", seen.name, f"text {self.chance.random()}", seen.version)
            case 1:
                return switch("turn off" if seen.active else "turn on", seen.id, seen.version)
            case 2 | 3:
                share = seen.filters["groups"][place]["rollout_percentage"]
                return set_rollout(seen, place, ramp_step(share, self.chance.random() < 0.5))
        return set_rollout(seen, place, self.chance.randrange(101))

    async def plan(self, intent: Intent) -> Plan | None:
        """Plan it; a place that was changed since the person looked comes with all its sides."""
        fresh = await self.bench.client.flags.get(intent.id)
        assert ledger_of(fresh) == self.ledger
        plan = plan_flag(intent, fresh, Context(now=self.bench.clock.time(), dependents=()))
        if isinstance(plan, NoOp):
            return None
        plan = expect(plan, Plan)
        assert all(conflict.seen != conflict.theirs != conflict.mine for conflict in plan.conflicts)
        self.done["three sides shown"] += len(plan.conflicts)
        return plan

    async def send(self, person: Person, plan: Plan) -> None:
        question = expect(guard(Planned(None, [plan]), GuardRules(Level.RELAXED)), Question)
        agreed = question.settle(Confirmation(yes=True, overwrite=self.chance.random() < 0.7))
        if not isinstance(agreed, Approved):
            assert plan.conflicts
            return
        outcome = await person.writing.save(agreed)
        self.done["edits"] += 1
        if outcome.is_saved:
            self.enter(plan)
            person.looks_at = expect(outcome.record, Flag)
            assert ledger_of(person.looks_at) == self.ledger
            return
        assert outcome.ending == "conflicted", outcome
        self.done["lost"] += 1
        self.done["lost to the same place"] += bool(outcome.conflicts)
        assert all(conflict.mine != conflict.theirs != conflict.seen for conflict in outcome.conflicts)
        # The loser is shown all sides and decides again; now no one is in between.
        if again := await self.plan(plan.intent):
            await self.send(person, again)

    def enter(self, plan: Plan) -> None:
        """What this person agreed to, and nothing else, changes in the ledger."""
        for line in plan.lines:
            match line.path:
                case ("filters", "groups", int() as place, "rollout_percentage"):
                    # What was overwritten is what the person was shown, unless both wanted the same.
                    assert self.ledger["shares"][place] in (line.before, line.after)
                    self.ledger["shares"][place] = line.after
                case ("name" | "active" as name,):
                    self.ledger[name] = line.after
                case path:
                    raise AssertionError(path)


def ledger_of(flag: Flag) -> dict[str, Any]:
    shares = [group["rollout_percentage"] for group in flag.filters["groups"]]
    return {"shares": shares, "name": flag.name, "active": flag.active}


@asynccontextmanager
async def desk(folder: Path, **choices: Any) -> AsyncIterator[Desk]:
    groups: list[JSON] = [{"properties": [], "rollout_percentage": share} for share in SHARES]
    async with working(folder, **choices) as bench:
        fresh = await bench.client.flags.get(await bench.new_flag(filters={"groups": groups}))
        people = []
        for name in ("ada", "bob"):
            journal = Journal(folder / name, bench.clock.time, Disk(sync=lambda descriptor: None))
            signature, adapter = replace(HERE, by=name), FlagAdapter(bench.client.flags)
            people.append(Person(Writing(adapter, journal, signature, bench.clock), fresh))
        yield Desk(bench, people, ledger_of(fresh))


async def test_confirmed_changes_of_two_users_are_never_lost(tmp_path: Path) -> None:
    async with desk(tmp_path) as shared:
        await shared.edit_for(EDITS)
        assert shared.done["filters sent"] == 0
        assert shared.done["share sent"] > EDITS / 2
        assert shared.done["lost"] > EDITS / 20
        assert shared.done["three sides shown"] >= shared.done["lost to the same place"] > 0


async def test_old_server_keeps_changes_where_shares_carry_targeting(tmp_path: Path) -> None:
    async with desk(tmp_path, legacy=True) as shared:
        await shared.edit_for(EDITS // 5)
        assert shared.done["share sent"] <= 1, "the missing endpoint is remembered"
        assert shared.done["filters sent"] > EDITS / 10

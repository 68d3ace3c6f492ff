"""Two users and one flag of the newest service: every edit is compared with the approvals.

FLAGTUI_ROUNDS=1000 pytest tests/changes/test_two_people_served.py makes ten thousand edits.
"""

import copy
import json
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from tests.changes.writing import Writing
from tests.doubles.expected import expect
from tests.doubles.slices import at_most
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.client import Client
from flagtui.api.http_library import in_process
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, Question, guard
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.planner import Planned
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.service import close_service, create_service

EDITS: Final = 10 * int(os.environ.get("FLAGTUI_ROUNDS", at_most(8, full=30)))
SHARES: Final = (10, 20, 30)
HOST: Final = "http://127.0.0.1:1"
KEY: Final = "phx_everything"
Ledger = dict[str, Any]
"""What everybody agreed to so far: the shares by place, the description, on or off."""


class Counting(httpx.AsyncBaseTransport):
    """Counts the requests that carry the whole targeting, and those that set one share."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.count = Counter[str]()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PATCH":
            self.count["filters"] += "filters" in json.loads(request.content)
        self.count["narrow"] += request.url.path.endswith("/set_release_condition_rollout/")
        return await self.inner.handle_async_request(request)


@dataclass
class Person:
    name: str
    flags: Any
    save_context: Writing
    looks_at: Flag


@dataclass
class Edit:
    """A plan that was agreed to, and what it was for."""

    person: Person
    intent: Intent
    plan: Plan


@dataclass
class Desk:
    """Ada and Bob, one flag, and the ledger."""

    chance: random.Random
    clock: SteadyClock
    people: list[Person]
    wire: Counting
    ledger: Ledger
    done: Counter[str] = field(default_factory=Counter)

    async def round(self) -> None:
        """Both look, both decide, one after the other sends: the second may be late."""
        first, second = self.chance.sample(self.people, 2)
        edits = [edit for person in (first, second) if (edit := await self.decide(person)) is not None]
        self.clock.now += self.chance.choice((0, 1, 40))
        self.chance.shuffle(edits)
        for edit in edits:
            await self.send(edit)

    async def decide(self, person: Person) -> Edit | None:
        if self.chance.random() < 0.7:
            person.looks_at = await person.flags.get(person.looks_at.id)
        return await self.plan(person, self.wish(person.looks_at))

    def wish(self, seen: Flag) -> Intent:
        match self.chance.randrange(10):
            case 0:
                words = f"text {self.chance.random()}"
                return flag_intent.set_field(seen.id, "name", seen.name, words, seen.version)
            case 1:
                return flag_intent.switch("turn off" if seen.active else "turn on", seen.id, seen.version)
            case 2 | 3:
                place = self.chance.randrange(len(SHARES))
                now = seen.filters["groups"][place]["rollout_percentage"]
                step = flag_intent.ramp_step(now, self.chance.random() < 0.5)
                return flag_intent.set_rollout(seen, place, step)
            case _:
                place = self.chance.randrange(len(SHARES))
                return flag_intent.set_rollout(seen, place, self.chance.randrange(101))

    async def plan(self, person: Person, intent: Intent) -> Edit | None:
        fresh = await person.flags.get(intent.id)
        result = plan_flag(intent, fresh, Context(now=self.clock.time(), dependents=()))
        if isinstance(result, NoOp):
            return None
        assert isinstance(result, Plan), result
        self.check_sides(result, fresh)
        return Edit(person, intent, result)

    def check_sides(self, plan: Plan, fresh: Flag) -> None:
        """A place that was changed since the person looked comes with what was seen, wanted and is there."""
        for conflict in plan.conflicts:
            self.done["three sides shown"] += 1
            assert conflict.theirs != conflict.seen
            assert conflict.theirs != conflict.mine
        assert ledger_of(fresh) == self.ledger

    async def send(self, edit: Edit) -> None:
        plan, person = edit.plan, edit.person
        question = expect(guard(Planned(None, [plan]), GuardRules(Level.RELAXED)), Question)
        agreed = question.settle(Confirmation(yes=True, overwrite=self.chance.random() < 0.7))
        if not isinstance(agreed, Approved):
            assert plan.conflicts
            self.done["left alone"] += 1
            return
        outcome = await person.save_context.save(agreed)
        self.done["edits"] += 1
        if outcome.is_saved and outcome.record is not None:
            self.enter(plan)
            person.looks_at = outcome.record
            assert ledger_of(outcome.record) == self.ledger
            return
        assert outcome.ending == "conflicted", outcome
        self.done["lost"] += 1
        if outcome.conflicts:
            self.done["lost to the same place"] += 1
            assert all(conflict.mine != conflict.theirs != conflict.seen for conflict in outcome.conflicts)
        await self.decide_anew(edit)

    async def decide_anew(self, edit: Edit) -> None:
        """The loser is shown all sides and decides again; now nobody is in between."""
        again = await self.plan(edit.person, edit.intent)
        if again is not None:
            await self.send(again)

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


def ledger_of(flag: Flag) -> Ledger:
    shares = [group["rollout_percentage"] for group in flag.filters["groups"]]
    return {"shares": shares, "name": flag.name, "active": flag.active}


@asynccontextmanager
async def desk(folder: Path, **choices: Any) -> AsyncIterator[Desk]:
    service = create_service(folder / "flags.db", key=KEY, **choices)
    clock, wire = SteadyClock(), Counting(in_process(service))
    groups: list[JSON] = [{"properties": [], "rollout_percentage": share} for share in SHARES]
    async with AsyncExitStack() as stack:
        stack.callback(close_service, service)
        people: list[Person] = []
        for name in ("ada", "bob"):
            client = await stack.enter_async_context(Client(HOST, KEY, 1, transport=wire))
            journal = Journal(folder / name, clock=clock.time, disk=Disk(sync=lambda descriptor: None))
            context = Writing(FlagAdapter(client.flags), journal, Signature(name, "demo", HOST, "1"), clock)
            if not people:
                fresh = await client.flags.create({"key": "a", "active": True, "filters": {"groups": groups}})
            people.append(Person(name, client.flags, context, fresh))
        wire.count.clear()
        yield Desk(random.Random(19), clock, people, wire, copy.deepcopy(ledger_of(fresh)))


async def test_confirmed_changes_of_two_users_are_never_lost(tmp_path: Path) -> None:
    async with desk(tmp_path) as shared:
        while shared.done["edits"] < EDITS:
            await shared.round()
        assert shared.wire.count["filters"] == 0
        assert shared.wire.count["narrow"] > EDITS / 2
        assert shared.done["lost"] > EDITS / 20
        assert shared.done["lost to the same place"] > 0
        assert shared.done["three sides shown"] >= shared.done["lost to the same place"]


async def test_old_server_keeps_changes_where_shares_carry_targeting(tmp_path: Path) -> None:
    async with desk(tmp_path, legacy=True) as shared:
        while shared.done["edits"] < EDITS // 5:
            await shared.round()
        assert shared.wire.count["narrow"] <= len(shared.people)
        assert shared.wire.count["filters"] > EDITS / 10

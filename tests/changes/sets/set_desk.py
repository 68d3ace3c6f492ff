"""Sets of changes of a few flags, their author, another user, and programs killed at any step."""

import copy
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from tests.changes.office import HERE
from tests.changes.sets.conftest import HOST, empty_set, stage_new
from tests.changes.writing import PLAIN, Rooms, approve
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import errors
from flagtui.changes.adapter import WriteContext
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, set_field, switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import GuardRules
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.pipeline import send_groups
from flagtui.changes.planner import PlanContext
from flagtui.changes.proposal import Outcome
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.set_plans import SetPlan, plan_set
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

ADA: Final = Signature("ada@acme.test", "prod", HOST, "1")
LIMIT: Final = 1_000
assert HERE.host == HOST


class Killed(BaseException):
    """The program ends here, as with SIGKILL: nothing of it runs any more."""


@dataclass
class Steps:
    """Counts the moments at which a program can be killed, and runs what happens at one of them."""

    at: int = -1
    happens: Callable[[], None] = lambda: None
    count: int = 0

    def take(self) -> None:
        self.count += 1
        if self.count == self.at:
            self.happens()


def in_halves(pass_moment: Callable[[], None]) -> Callable[[int, bytes], int]:
    """A disk on which half a line is there for a moment."""

    def write(descriptor: int, data: bytes) -> int:
        pass_moment()
        half = os.write(descriptor, data[: len(data) // 2])
        pass_moment()
        return half + os.write(descriptor, data[half:])

    return write


def kill() -> None:
    raise Killed


class SteppingFlags:
    """The flags of one user; before and after each request there is a step."""

    def __init__(self, inner: Any, steps: Steps) -> None:
        self._inner = inner
        self._steps = steps

    async def activity(self, *_arguments: Any, **_more: Any) -> Any:
        """The log, which this key may not read."""
        raise errors.Forbidden("No access.")

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        async def run_step(*arguments: Any, **more: Any) -> Any:
            self._steps.take()
            answer = await method(*arguments, **more)
            self._steps.take()
            return answer

        return run_step


class ServedProject(PlanContext):
    """A project whose flags are listed as the server has them."""

    def __init__(self, client: Any, clock: SteadyClock, server: FlagServer) -> None:
        super().__init__(client, clock, uncounted="not counted")
        self._server = server
        self.lists = 0
        self._listed: list[dict[str, JSON]] = []

    async def listed_flags(self) -> list[dict[str, JSON]]:
        if not self._listed:
            self.lists += 1
            stored = self._server.stored.values()
            self._listed = [copy.deepcopy(raw) for raw in stored if not raw["deleted"]]
        return self._listed

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        return [Flag.of(raw).row() for raw in await self.listed_flags()]


@dataclass
class SetDesk:
    """Ada stages and applies; Bob writes whenever the steps let him."""

    folder: Path
    seed: int
    flags: int = 4
    clock: SteadyClock = field(default_factory=SteadyClock)
    wait: float | None = None
    """Seconds that programs wait for a lost response."""

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        raws = (raw_flag(id=id, key=f"flag-{id}", active=id % 2 == 0) for id in range(1, self.flags + 1))
        self.server = FlagServer(*raws)
        self.ada = self.server.person("ada@acme.test")
        self.steps = Steps()
        self.lists = 0
        """How often the last plan listed the flags."""

    def journal(self) -> Journal:
        """The journal of a program that starts now."""

        disk = Disk(in_halves(self.steps.take), lambda _descriptor: None)
        return Journal(self.folder / "journal", self.clock.time, disk)

    def intent(self, flag: Flag) -> Intent:
        """A random change of the flag."""
        match self.chance.randrange(4):
            case 0:
                return switch("turn off" if flag.active else "turn on", flag.id, flag.version)
            case 1:
                return set_all_rollouts(flag, self.chance.choice((5, 35, 80)))
            case 2:
                tags = [*flag.tags, f"tag-{self.chance.randrange(9)}"]
                return set_field(flag.id, "tags", list(flag.tags), tags, flag.version)
        return set_field(flag.id, "name", flag.name, f"name {self.chance.randrange(9)}", flag.version)

    def stage(self, *, has_new: bool = True) -> ChangeSet:
        """Stage random changes of random flags, and perhaps a new one."""
        changes: list[StagedChange] = []
        for id in self.chance.sample(range(1, self.flags + 1), self.chance.randint(2, self.flags)):
            fresh = Flag.of(copy.deepcopy(self.server.stored[id]))
            plan = plan_flag(self.intent(fresh), fresh, Context(now=self.clock.time(), dependents=()))
            if isinstance(plan, Plan):
                changes += changes_of([plan])
        if has_new and self.chance.random() < 0.5:
            changes.append(stage_new("brand-new"))
        return empty_set().with_changes(changes, LIMIT)

    def bob_writes(self) -> None:
        """Another user changes one random flag."""
        id = self.chance.choice([id for id in self.server.stored if id <= self.flags])
        number, is_on = self.chance.randrange(99), bool(self.server.stored[id]["active"])
        changes = ({"name": f"bob {number}"}, {"active": not is_on}, {"tags": [f"bob-{number}"]})
        fields: dict[str, JSON] = self.chance.choice(changes)
        self.bob_changes(id, **fields)

    def bob_changes(self, id: int, **fields: JSON) -> None:
        self.server.apply("bob@acme.test", id, fields)

    async def plan(self, change_set: ChangeSet, *, is_overwriting: bool = False) -> SetPlan:
        """Plan the set in a program that starts now."""
        client: Any = Rooms(flags=SteppingFlags(self.ada, self.steps))
        context = ServedProject(client, self.clock, self.server)
        plan = await plan_set(change_set, context, self.writing(), is_overwriting=is_overwriting)
        self.lists = context.lists
        return plan

    def writing(self) -> WriteContext:
        return WriteContext(self.journal(), ADA, self.clock, wait=self.wait)

    async def send(self, change_set: ChangeSet, plan: SetPlan, *, continues: bool = False) -> list[Outcome]:
        """Send the plans as `flagtui apply` does: the first refusal stops the rest unless it continues."""
        if plan.planned is None or not plan.planned.plans or plan.outdated or plan.blocked or plan.pending:
            return []
        rules, asked_with = GuardRules(bulk_limit=LIMIT), replace(PLAIN, batch=change_set.id)
        agreed = approve(*plan.planned.plans, rules=rules, asked_with=asked_with, overwrite=True)
        assert plan.planned.adapter is not None
        outcomes: list[Outcome] = []
        async for group in send_groups(agreed, plan.planned.adapter, self.writing()):
            outcomes += group
            if not (continues or all(outcome.is_saved for outcome in group)):
                break
        return outcomes

    async def apply(self, change_set: ChangeSet, *, continues: bool = False) -> tuple[SetPlan, list[Outcome]]:
        plan = await self.plan(change_set)
        return plan, await self.send(change_set, plan, continues=continues)

    def written(self) -> list[tuple[int, dict[str, JSON]]]:
        """What Ada's requests changed, in order."""
        return [(id, changed) for who, id, changed in self.server.log if who == "ada@acme.test"]

    def values(self) -> dict[str, dict[str, JSON]]:
        """The flags by key, without what every write moves."""
        moving = ("version", "last_modified_by", "id", "updated_at")
        stored = copy.deepcopy([*self.server.stored.values()])
        return {raw["key"]: {name: raw[name] for name in raw if name not in moving} for raw in stored}

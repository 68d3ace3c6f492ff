"""How long a set of 100 flags takes to plan, against listing the flags; the service is a process of its own.

    python benchmarks/change_sets.py [FLAGS] [--profile]

Prints the best of several rounds, interleaved: as commands, where planning may take twice as long as listing,
and within one process, where listing decodes JSON and planning does everything that a question shows.
"""

import asyncio
import cProfile
import os
import pstats
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from whole_program import BIN, KEY, serving

from flagtui.api import Client
from flagtui.api.clock import SystemClock
from flagtui.changes.adapter import WriteContext
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import set_all_rollouts, why_no_rollout
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.planner import PlanContext
from flagtui.changes.sets.change_set import ChangeSet, new_set
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.set_files import SetFile
from flagtui.changes.sets.set_plans import plan_set
from flagtui.models.flag import Flag
from flagtui.models.flag_rows import row_of_object
from flagtui.models.rows import FlagRow

ROUNDS: Final = 15
CHANGED: Final = 100
GOAL: Final = 2.0
LIST: Final = "list the flags"
Timed = Callable[[], Awaitable[Any]]


class ListedProject(PlanContext):
    """The project of `flagtui apply`: one list has everything."""

    _listed: list[dict[str, Any]] | None = None

    async def listed_flags(self) -> Sequence[dict[str, Any]]:
        if self._listed is None:
            self._listed = await self.client.flag_objects.all()
        return self._listed

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        return [row_of_object(raw) for raw in await self.listed_flags()]


def make_set(raws: Sequence[dict[str, Any]], host: str) -> ChangeSet:
    """Return a set that moves the rollout of the first flags that have one."""
    flags = [flag for flag in map(Flag.of, raws) if not why_no_rollout(flag)]
    plans = []
    for flag in flags:
        plan = plan_flag(set_all_rollouts(flag, 37), flag, Context(now=time.time(), dependents=()))
        if isinstance(plan, Plan) and len(plans) < CHANGED:
            plans.append(plan)
    return new_set(host, "1", "2026-03-05T09:00:00Z").with_changes(changes_of(plans), CHANGED)


async def compare(what: str, cases: dict[str, Timed], goal: str = "") -> None:
    """Run each case once a round, so that load meets all alike, and print the best of each."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, run in cases.items():
            began = time.perf_counter()
            await run()
            seconds[name].append(time.perf_counter() - began)
    listing = min(seconds[LIST])
    for name, each in seconds.items():
        aim = goal if name != LIST else ""
        print(f"{what:<12} {name:<20} {min(each) * 1000:8.1f} ms  {min(each) / listing:5.2f} x{aim}")


def command(host: str, home: Path, *words: str) -> Timed:
    base = {key: value for key, value in os.environ.items() if not key.startswith(("FLAGTUI", "XDG"))}
    where = {"HOME": str(home), "FLAGTUI_HOST": host, "FLAGTUI_API_KEY": KEY, "FLAGTUI_PROJECT": "1"}

    async def run() -> None:
        await asyncio.to_thread(
            subprocess.run, [BIN, *words], env={**base, **where}, check=True, capture_output=True
        )

    return run


async def measure(host: str, folder: Path, *, is_profiled: bool) -> None:
    client = Client(host, KEY, 1)
    change_set = make_set(await client.flag_objects.all(), str(client.host))
    file = SetFile(folder / "set.json")
    file.create(change_set)
    journal = Journal(folder / "journal", time.time)
    writing = WriteContext(journal, Signature("", "", host, "1"), SystemClock())

    async def plan() -> None:
        planned = (await plan_set(change_set, ListedProject(client, SystemClock()), writing)).planned
        assert planned is not None, "nothing was planned"
        assert len(planned.plans) == len(change_set.changes), planned.skipped[:1]

    planning = f"plan {len(change_set.changes)} of them"
    listing = command(host, folder, "flags", "list", "--json")
    applying = command(host, folder, "apply", str(file.path), "--dry-run", "--json")
    await compare("as commands", {LIST: listing, planning: applying}, f"  goal {GOAL} x")
    await compare("one process", {LIST: client.flag_objects.all, planning: plan})
    if is_profiled:
        with cProfile.Profile() as profile:
            await plan()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    await client.close()


def main() -> None:
    flags = int(next((word for word in sys.argv[1:] if word.isdigit()), "120"))
    with TemporaryDirectory() as folder, serving(Path(folder), flags) as host:
        asyncio.run(measure(host, Path(folder), is_profiled="--profile" in sys.argv))


if __name__ == "__main__":
    main()

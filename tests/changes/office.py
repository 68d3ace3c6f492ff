"""One flag, a person who changes it, and a colleague who changes it, too."""

from pathlib import Path
from typing import Any, Final

from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect
from tests.doubles.flag_server import FlagClient, FlagServer, raw_flag
from tests.doubles.steady_clock import SteadyClock

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, switch
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import GuardRules, Level
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.proposal import Outcome

OFF: Final = switch("turn off", 812)
RELAXED: Final = GuardRules(Level.RELAXED)
HERE: Final = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")

NOW: Final = SteadyClock().now
ENTRY: Final = Entry(
    *("a1", NOW, 812, "checkout-v2", "turn off", HERE),
    version=12,
    before={"active": True},
    after={"active": False},
    words=("on → off",),
)
"""A change of Ada's that was begun."""


class Office:
    """A server with one flag, Ada's journal and save context, and the words she was told."""

    def __init__(self, folder: Path, **fields: object) -> None:
        self.server = FlagServer(raw_flag(**fields))
        self.ada: FlagClient = self.server.person("ada@acme.test")
        self.bob: FlagClient = self.server.person("bob@acme.test")
        self.clock = SteadyClock()
        self.journal = Journal(folder, clock=self.clock.time)
        self.notices: list[str] = []
        self.save_context = Writing(self.ada.adapter, self.journal, HERE, self.clock, self.notices.append)

    async def plan(self, intent: Intent = OFF) -> Plan:
        context = Context(now=self.clock.time(), dependents=())
        return expect(plan_flag(intent, await self.ada.get(812), context), Plan)

    async def save(self, plan: Plan, **more: Any) -> Outcome:
        return await self.save_context.save(approve(plan, rules=RELAXED, overwrite=True), **more)

    async def change(self, intent: Intent = OFF) -> Outcome:
        return await self.save(await self.plan(intent))

    def bob_writes(self, **fields: object) -> None:
        self.server.apply("bob@acme.test", 812, dict(fields))

"""What the server makes from a flag without changing it: a cohort of who has it, and its usage dashboard."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol
from uuid import uuid4

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError
from flagtui.changes.blocking import Blocked, is_plain_key
from flagtui.changes.cautions import Caution
from flagtui.changes.consequences import Consequence
from flagtui.changes.difference import Clash
from flagtui.changes.entries import Ending, Entry, Signature
from flagtui.changes.guard import Approved, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.plan import DiffLine
from flagtui.changes.verbs import Verb
from flagtui.models.cohort import Cohort
from flagtui.models.flag import Flag

What = Literal["cohort", "dashboard", "enrich"]

VERBS: Final[dict[What, Verb]] = {
    "cohort": Verb("make a cohort of", "Make a cohort of", "has a cohort now", ""),
    "dashboard": Verb("make a dashboard for", "Make a dashboard for", "has a dashboard now", ""),
    "enrich": Verb("enrich the dashboard of", "Enrich the dashboard of", "has a richer dashboard now", ""),
}
OPERATIONS: Final[dict[What, str]] = {
    "cohort": "flags.create_static_cohort",
    "dashboard": "flags.dashboard",
    "enrich": "flags.enrich_usage_dashboard",
}
"""What the server calls it, to know whether it was refused before."""


class Makers(Protocol):
    """Whoever makes them, as `client.flags` does. Each is asked once."""

    async def create_static_cohort(self, id: int) -> Cohort: ...
    async def dashboard(self, id: int) -> bool: ...
    async def enrich_usage_dashboard(self, id: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class BesidePlan:
    """Something that could be made; the flag itself stays as it is."""

    what: What
    fresh: Flag
    consequences: tuple[Consequence, ...]
    lines: tuple[DiffLine, ...] = ()
    cautions: tuple[Caution, ...] = ()
    clashes: tuple[Clash, ...] = ()

    @property
    def id(self) -> int:
        return self.fresh.id

    @property
    def noun(self) -> str:
        return "flag"

    @property
    def key(self) -> str:
        return self.fresh.key

    @property
    def type_to_confirm(self) -> str:
        return self.key if is_plain_key(self.key) else str(self.id)

    @property
    def title(self) -> str:
        return self.verb.title

    @property
    def verb(self) -> Verb:
        return VERBS[self.what]

    @property
    def versions(self) -> str:
        return f"#{self.id} · the flag stays as it is"


def plan_beside(what: What, fresh: Flag, who: str) -> BesidePlan | Blocked:
    """What would be made; `who` says in words who would be in a cohort."""
    if fresh.deleted:
        return Blocked("deleted", "it is deleted", "restore it first")
    if what == "dashboard" and fresh.usage_dashboard is not None:
        return Blocked("there", f"it has usage dashboard #{fresh.usage_dashboard} already")
    if what == "enrich" and fresh.usage_dashboard is None:
        return Blocked("missing", "it has no usage dashboard", "make one first")
    if what == "enrich" and not fresh.has_enriched_analytics:
        return Blocked("plain", "its program sends no enriched data for it")
    told: dict[What, Consequence] = {
        "cohort": Consequence("Who is in it", f"{who}; later changes do not move them", "plain"),
        "dashboard": Consequence("Makes", "a dashboard with how often the flag is called", "plain"),
        "enrich": Consequence("Adds", "what people did who saw the flag", "plain"),
    }
    back = "it is not taken back here; delete it in the browser"
    return BesidePlan(what, fresh, (told[what], Consequence("Way back", back, "warning")))


@dataclass(frozen=True, slots=True)
class BesideEnded:
    """How it ended, in the words of the journal."""

    plan: BesidePlan
    ending: Ending
    note: str = ""
    error: ApiError | None = None


async def make_beside(
    approved: Approved[BesidePlan], flags: Makers, journal: Journal, signature: Signature, clock: Clock
) -> BesideEnded:
    """Asks for it once, written down before and after. Raises for an approval that was used."""
    spend(approved)
    plan = approved.plans[0]
    entry = Entry(
        id=uuid4().hex,
        at=clock.time(),
        record=plan.id,
        key=plan.key,
        verb=plan.verb.name,
        signature=signature,
        kind=plan.what,
        reason=approved.reason,
        words=(plan.verb.title,),
        pid=os.getpid(),
    )
    try:
        await asyncio.to_thread(journal.begin, entry)
    except JournalUnwritable as fault:
        if not approved.without_journal:
            return BesideEnded(plan, "refused", f"the journal cannot be written: {fault}")
        return await _make(plan, flags)
    ended = await _make(plan, flags)
    await asyncio.to_thread(journal.finish, entry.id, ended.ending, None, ended.note)
    return ended


async def _make(plan: BesidePlan, flags: Makers) -> BesideEnded:
    ways: dict[What, Callable[[int], Awaitable[object]]] = {
        "cohort": flags.create_static_cohort,
        "dashboard": flags.dashboard,
        "enrich": flags.enrich_usage_dashboard,
    }
    try:
        made = await ways[plan.what](plan.id)
    except ApiError as error:
        return BesideEnded(plan, "unknown" if error.sent else "refused", error.what, error)
    if isinstance(made, Cohort):
        return BesideEnded(plan, "saved", f"cohort #{made.id} {made.name}".rstrip())
    return BesideEnded(plan, "saved" if made else "refused", "" if made else "the server said no")

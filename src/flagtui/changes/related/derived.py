"""What the server makes from a flag without changing it: a cohort of who has it, and its usage dashboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Literal

from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import Answered, RelatedPlan, Send
from flagtui.changes.verbs import Verb
from flagtui.models.cohort import Cohort
from flagtui.models.flag import Flag

if TYPE_CHECKING:
    from flagtui.api.flags import Flags

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


def plan_beside(what: What, fresh: Flag, who: str) -> RelatedPlan | Blocked:
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
    return RelatedPlan(
        fresh=fresh,
        verb=VERBS[what],
        kind=what,
        told=VERBS[what].title,
        consequences=(told[what], Consequence("Undo", back, "warning")),
    )


def send_beside(what: What, id: int, flags: Flags) -> Send:
    """The request that makes it."""
    ways: dict[What, Callable[[int], Awaitable[object]]] = {
        "cohort": flags.create_static_cohort,
        "dashboard": flags.dashboard,
        "enrich": flags.enrich_usage_dashboard,
    }

    async def send() -> Answered:
        made = await ways[what](id)
        if isinstance(made, Cohort):
            return Answered(f"cohort #{made.id} {made.name}".rstrip())
        return Answered() if made else Answered("the server said no", is_done=False)

    return send

"""What the server makes from a flag without changing it: a cohort of who has it, and its usage dashboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from flagtui.api.errors import ApiError
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import Answered, RelatedPlan, Send
from flagtui.changes.verbs import Verb
from flagtui.models.cohort import Cohort
from flagtui.models.flag import Flag

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.flags import Flags
    from flagtui.models.json_value import JSON

What = Literal["cohort", "dashboard", "enrich"]
NEWEST: Final = "newest_cohort"
"""What the journal calls the highest number of a cohort before."""

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


async def made_beside(
    what: What, fresh: Flag, who: str, client: Client
) -> tuple[RelatedPlan | Blocked, Send]:
    """What would be made, and the request that makes it; `who` says in words who would be in a cohort."""
    before = await _newest_cohort(client) if what == "cohort" else {}
    return _plan(what, fresh, who, before), _request(what, fresh.id, client.flags)


async def _newest_cohort(client: Client) -> Mapping[str, JSON]:
    """What tells a cohort that is made now from those there were. Not every key may list them."""
    try:
        return {NEWEST: max((one.id for one in await client.cohorts.all()), default=0)}
    except ApiError:
        return {}


def _plan(what: What, fresh: Flag, who: str, before: Mapping[str, JSON]) -> RelatedPlan | Blocked:
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
        before=before,
        consequences=(told[what], Consequence("Undo", back, "warning")),
    )


def _request(what: What, id: int, flags: Flags) -> Send:
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

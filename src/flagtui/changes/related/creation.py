"""Records created from a flag that itself stays unchanged: plan, confirm, journal, send once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, Literal

import msgspec

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.flags.flag_plan import AboutFlag
from flagtui.changes.proposal import Consequence
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import Verb
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Cohort
from flagtui.models.json_value import JSON


class RelatedPlan(AboutFlag, frozen=True, kw_only=True):
    """A plan to create something from a flag, or to schedule a change; the flag itself stays unchanged."""

    fresh: Flag
    kind: str
    """Its name in the journal."""
    summary: str
    """The requested change, in the words of the journal."""
    stays: str = "the flag stays as it is"
    before: Mapping[str, JSON] = {}
    after: Mapping[str, JSON] = {}
    """Values that the journal stores for the undo."""
    send: Callable[[Client], Awaitable[Answered]]
    """The one request."""
    makes_a_flag: bool = False
    """The number in the journal is that of the new flag then, and 0 until the server gave it one."""

    @property
    def versions(self) -> str:
        return f"#{self.id} · {self.stays}"


class Answered(msgspec.Struct, frozen=True):
    """The response of the server to a related change."""

    note: str = ""
    is_done: bool = True
    made: Flag | None = None
    """The new flag, where one was made."""
    server_values: Mapping[str, JSON] = {}
    """Values the server chose, which taking it back has to know."""


What = Literal["cohort", "dashboard", "enrich"]
NEWEST: Final = "newest_cohort"
"""The name in the journal of the highest cohort id before the creation."""

VERBS: Final[dict[What, Verb]] = {
    "cohort": Verb("create a cohort of", "Create a cohort of", "has a cohort now", ""),
    "dashboard": Verb("create a dashboard for", "Create a dashboard of", "has a dashboard now", ""),
    "enrich": Verb("add insights for", "Add insights to the dashboard of", "has more insights now", ""),
}
OPERATIONS: Final[dict[What, str]] = {
    "cohort": "flags.create_static_cohort",
    "dashboard": "flags.dashboard",
    "enrich": "flags.enrich_usage_dashboard",
}
"""Its name on the server, to recognise an earlier refusal."""


async def made_beside(what: What, fresh: Flag, client: Client, reach: str = "") -> RelatedPlan | Blocked:
    """Plan the record to create; `reach` has the number of users of a cohort, where they were counted."""
    if fresh.deleted:
        return Blocked("deleted", "it is deleted", "restore it first")
    if what == "dashboard" and fresh.usage_dashboard is not None:
        return Blocked("there", f"it has usage dashboard #{fresh.usage_dashboard} already")
    if what == "enrich" and fresh.usage_dashboard is None:
        return Blocked("missing", "it has no usage dashboard", "make one first")
    if what == "enrich" and not fresh.has_enriched_analytics:
        return Blocked("plain", "its program sends no enriched data for it")
    who = "no one, since the flag is off"
    if fresh.active:
        who = f"everyone who has the flag now{', ' if reach else ''}{reach}"
    effects: dict[What, Consequence] = {
        "cohort": Consequence("Who is in it", f"{who}; later changes do not move them", "plain"),
        "dashboard": Consequence("Makes", "a dashboard with how often the flag is called", "plain"),
        "enrich": Consequence("Adds", "what people did who saw the flag", "plain"),
    }
    before: dict[str, JSON] = {}
    if what == "cohort":
        # Distinguishes the new cohort from earlier ones. Not every key may list them.
        with suppress(ApiError):
            before = {NEWEST: max((cohort.id for cohort in await client.cohorts.all()), default=0)}
    back = "it is not undone here; delete it in the browser"
    return RelatedPlan(
        fresh=fresh,
        verb=VERBS[what],
        kind=what,
        summary=VERBS[what].title,
        before=before,
        send=partial(_send, what, fresh.id),
        consequences=(effects[what], Consequence("Undo", back, "warning")),
    )


async def _send(what: What, id: int, client: Client) -> Answered:
    ways: dict[What, Callable[[int], Awaitable[object]]] = {
        "cohort": client.flags.create_static_cohort,
        "dashboard": client.flags.dashboard,
        "enrich": client.flags.enrich_usage_dashboard,
    }
    made = await ways[what](id)
    if isinstance(made, Cohort):
        return Answered(f"cohort #{made.id} {made.name}".rstrip())
    return Answered() if made else Answered("the server refused it", is_done=False)

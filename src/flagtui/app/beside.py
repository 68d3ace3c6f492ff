"""The stories of what is made from a flag: a cohort of who has it, its dashboard. Closed to keys says so."""

from flagtui.api.errors import ApiError
from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.explain import explain_blocked, explain_error, explain_refusal
from flagtui.app.notices import Notice
from flagtui.app.screens.confirm import ConfirmScreen, Surface
from flagtui.changes import guard
from flagtui.changes.beside import (
    OPERATIONS,
    VERBS,
    BesideEnded,
    BesidePlan,
    What,
    make_beside,
    plan_beside,
)
from flagtui.changes.blocking import Blocked
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.store.workspace import Workspace


class Beside:
    """Reads again, asks, sends once, says how it ended."""

    def __init__(self, desk: Desk, changing: Changing) -> None:
        self._desk = desk
        self._changing = changing

    def why_not(self, what: What) -> str:
        """Why the server does not do it for keys; empty while that is not known."""
        workspace = self._desk.workspace
        return workspace.client.capabilities.why_not(OPERATIONS[what]) if workspace else ""

    @property
    def closed(self) -> tuple[tuple[str, str], ...]:
        """What the server refused keys so far: what it is called, and why."""
        found = ((VERBS[what].title.rpartition(" ")[0].lower(), self.why_not(what)) for what in OPERATIONS)
        return tuple((title, why) for title, why in found if why)

    def make(self, what: What, row: FlagRow) -> None:
        """Begin the path."""
        self._changing.run(self._make(what, row))

    def make_dashboard(self, row: FlagRow, flag: Flag | None) -> None:
        """The dashboard, or more on it when it is there already."""
        has_one = flag is not None and flag.usage_dashboard is not None
        self.make("enrich" if has_one else "dashboard", row)

    async def _make(self, what: What, row: FlagRow) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        try:
            fresh = await workspace.client.flags.get(row.id)
        except ApiError as error:
            self._changing.tell(explain_error(error, row.key))
            return
        plan = plan_beside(what, fresh, self._who(row, fresh))
        if isinstance(plan, Blocked):
            self._changing.tell(explain_blocked(plan, fresh.key))
        else:
            await self._ask(plan, workspace)

    def _who(self, row: FlagRow, fresh: Flag) -> str:
        """Who would be in a cohort, as far as it was counted."""
        if not fresh.active:
            return "nobody, since the flag is off"
        reach = self._desk.inspector.known(row).reach if self._desk.inspector else None
        if reach is None or reach.affected is None:
            return "everyone who has the flag now"
        most = "up to " if reach.is_bound else "about "
        return f"everyone who has the flag now, {most}{reach.affected:,} {reach.unit}"

    async def _ask(self, plan: BesidePlan, workspace: Workspace) -> None:
        session = self._desk.session
        question = guard.guard([plan], session.rules)
        if isinstance(question, guard.Refused):
            self._changing.tell(explain_refusal(question))
            return
        surface = Surface(session.colour, session.monotonic)
        approved = await self._changing.ask(ConfirmScreen(question, surface))
        if approved is not None:
            making = make_beside(
                approved,
                workspace.client.flags,
                session.journal,
                self._desk.signature(workspace),
                session.timing,
            )
            self._changing.tell(said(await self._changing.see_through(making)))


def said(ended: BesideEnded) -> Notice:
    """How it ended, and what to do next."""
    key, words = ended.plan.key, ended.plan.verb.done
    if ended.ending == "saved":
        return Notice(f"{key} {words}" + (f": {ended.note}" if ended.note else ""))
    if ended.ending == "unknown":
        text = f"{key}: no answer came, and whether it was made is not known. Look in the browser."
        return Notice(text, "error", "not known")
    following = f"\n{ended.error.next}" if ended.error else ""
    return Notice(f"{key}: {ended.note}{following}", "error", "not made")

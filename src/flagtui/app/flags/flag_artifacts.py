"""What is made from a flag: a cohort of its people, its dashboard. Says so when closed to API keys."""

from flagtui.app.flags.flag_reader import read_flag
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.flag_planner import RelatedPlanner
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import OPERATIONS, VERBS, RelatedPlan, What, made_beside
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow


class FlagArtifacts:
    """Reads again, asks, sends once, says how it ended."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self._changing = changing

    def why_not(self, what: What) -> str:
        """Why the server does not do it for keys; empty while that is not known."""
        workspace = self._app_state.workspace
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
        workspace = self._app_state.workspace
        if workspace is None:
            return

        async def make() -> RelatedPlan | Blocked | None:
            fresh = await read_flag(row, self._app_state, self._changing)
            if fresh is None:
                return None
            return await made_beside(what, fresh, self._who(row, fresh), workspace.client)

        await self._changing.write([row.key], RelatedPlanner(self._app_state, workspace, make=make))

    def _who(self, row: FlagRow, fresh: Flag) -> str:
        """Who would be in a cohort, as far as it was counted."""
        if not fresh.active:
            return "nobody, since the flag is off"
        reach = self._app_state.inspector.known(row).reach if self._app_state.inspector else None
        if reach is None or reach.affected is None:
            return "everyone who has the flag now"
        return f"everyone who has the flag now, {reach.about}{reach.affected:,} {reach.unit}"

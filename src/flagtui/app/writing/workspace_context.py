"""The planning context of the open project: loaded rows and the signed-in user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from flagtui.api.errors import NotFound
from flagtui.api.heavy_work import off_loop
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staged_records import staged_now
from flagtui.changes.planner import PlanContext
from flagtui.changes.sets.after_set import record_after
from flagtui.models.account import User
from flagtui.models.code_uses import CodeUses
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow
from flagtui.store.kinds import KINDS, Kind
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Workspace
from flagtui.text.outcomes import LEFT, SWITCHED
from flagtui.text.styled import Notice

ROWS_PER_READ: Final = 50
"""Flags of a list that take about as long as one flag read on its own."""


class WorkspaceContext(PlanContext):
    """The open project, or another one. Its lists show the records read for a question, too."""

    def __init__(self, app_state: AppState, workspace: Workspace, *, is_applying: bool = False) -> None:
        """More changes are planned on top of staged ones; `is_applying` plans the staged ones themselves."""
        is_staged = app_state.is_staging and workspace is app_state.workspace and not is_applying
        staged = staged_now(app_state) if is_staged else None
        super().__init__(workspace.client, app_state.session.clock, adds_later=not is_staged)
        self.mirror = app_state.session.mirror
        self.workspace = workspace
        self.opened = app_state.workspace
        """The project that was open when the key was pressed."""
        self._was_staging = app_state.is_staging
        self._app_state = app_state
        self._staged = staged
        self._applied = app_state.staged_set if is_applying else None

    @property
    def why_outdated(self) -> Notice | None:
        """The toast about plans that no longer hold: another project is open, or staging began or ended."""
        if self._app_state.workspace is not self.opened:
            return LEFT
        return None if self._app_state.is_staging is self._was_staging else SWITCHED

    @property
    def is_current(self) -> bool:
        return self._staged is None

    def known_people(self) -> Mapping[int, str]:
        return self.workspace.people

    @property
    def known_flags(self) -> Sequence[FlagRow]:
        return self.workspace.flags.rows

    def code_uses(self, key: str) -> CodeUses | None:
        source = self._app_state.session.code
        scan = None if source is None else source.load(str(self.workspace.client.project))
        return None if scan is None else scan.uses_of(key)

    async def me(self) -> User | None:
        return self.workspace.me

    async def names(self, *records: Mapping[str, JSON]) -> Names:
        return self._app_state.names

    async def read_flag(self, id: int) -> Flag:
        flags, read_at = self.workspace.flags, self.workspace.flags.moment
        fresh = await self.client.flags.get(id)
        if not fresh.deleted:
            flags.put(await off_loop(fresh.row, fresh.filters), read_at)
        if (staged := self._staged) is None:
            return fresh
        return await off_loop(lambda: record_after(fresh, staged), fresh.filters)

    async def read_experiment(self, id: int) -> Experiment:
        experiments, read_at = self.workspace.experiments, self.workspace.experiments.moment
        try:
            fresh = await self.client.experiments.get(id)
        except NotFound:
            experiments.remove(id)
            raise
        experiments.put(fresh.row(), read_at)
        return fresh if self._staged is None else record_after(fresh, self._staged)

    async def read_event(self, id: str) -> EventDefinition:
        events, read_at = self.workspace.events, self.workspace.events.moment
        fresh = await self.client.event_definitions.get(id)
        events.put(fresh.row(), read_at)
        return fresh if self._staged is None else record_after(fresh, self._staged)

    async def listed_flags(self) -> Sequence[dict[str, JSON]]:
        changes = 0 if self._applied is None else len(self._applied.changes)
        if changes * ROWS_PER_READ < len(self.workspace.flags.rows):
            # Reading the few that change takes less than listing all.
            return ()
        return await self.client.flag_objects.all()

    async def has_event(self, name: str) -> bool:
        is_listed = any(row.name == name for row in self.workspace.events.rows)
        return is_listed or await super().has_event(name)

    def name(self, kind: Kind, id: RecordId) -> str:
        row = self.workspace.collection(kind).get(id)
        return getattr(row, KINDS[kind].label) if row is not None else super().name(kind, id)

    def forget(self, kind: Kind, id: RecordId) -> None:
        self.workspace.collection(kind).remove(id)

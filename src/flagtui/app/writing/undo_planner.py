"""Changes of any kind of record taken back: each part held against today and planned."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.state.app_state import AppState
from flagtui.app.state.other_projects import workspace_in
from flagtui.app.writing.optimistic_rows import EventRows, ExperimentRows, FlagRows, NoRows
from flagtui.app.writing.planner import Planned, PlannedStep
from flagtui.changes.entry_kind import PreparedUndo, UndoContext
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flags_together import in_order
from flagtui.changes.left_out import LeftOut
from flagtui.changes.proposal import Proposal
from flagtui.changes.undo import Part, prepare_undo
from flagtui.store.workspace import Kind, Workspace
from flagtui.text import outcomes
from flagtui.text.formats import count

if TYPE_CHECKING:
    from flagtui.app.writing.optimistic_rows import OptimisticRows
    from flagtui.changes.adapter import Adapter
    from flagtui.changes.journal_entries import Entry, Signature
    from flagtui.changes.outcome import Outcome

AT_ONCE: Final = 8
"""Records read again at the same time for one question."""
_LISTS: Final[dict[str, Kind]] = {EVENT: "events", "experiment": "experiments"}


@dataclass
class UndoPlanner:
    """Parts of one kind of record in one project; what was found last says which and where."""

    app_state: AppState
    here: Workspace
    entries: Sequence[Entry]
    """All of the journal."""
    _found: PreparedUndo | None = field(default=None, init=False)
    _kind: str = field(default="flag", init=False)

    def name_of(self, asked: Sequence[Part]) -> str:
        return asked[0].entry.key if len(asked) == 1 else count(len(asked), "record")

    async def plan(self, asked: Sequence[Part]) -> Planned[Part, Proposal]:
        """Each part, on its record as it is now."""
        self._kind = asked[0].entry.kind
        together = frozenset(part.entry.record for part in asked if part.entry.kind == "flag")
        context = UndoContext(
            self.here.client,
            self.app_state.signature(self.here),
            self.app_state.session.timing,
            self.here.me,
            self.entries,
            self.here.flags.rows,
            self.app_state.names,
            together,
            adds_later=len(asked) == 1,
        )
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(part: Part) -> PreparedUndo | Blocked | ApiError | None:
            async with turn:
                try:
                    return await prepare_undo(part.entry, context)
                except ApiError as error:
                    if isinstance(error, NotFound):
                        self._forget(part.entry)
                    return error

        found = list(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))
        refused = next((what for _, what in found if isinstance(what, ApiError)), None)
        ready = [(part, what) for part, what in found if isinstance(what, PreparedUndo)]
        self._found = ready[0][1] if ready else None
        if len(asked) == 1 and not ready:
            return _alone(asked[0].entry.key, found[0][1])
        left_out = [_left_out(part, what) for part, what in found if not isinstance(what, PreparedUndo)]
        steps = [PlannedStep(part, what.plan, part.undoes) for part, what in ready]
        late = ready[0][1].late if len(asked) == 1 else None
        return Planned(_in_order(steps), left_out, refused=refused, late=late)

    @property
    def kind(self) -> Kind:
        return _LISTS.get(self._kind, "flags")

    @property
    def workspace(self) -> Workspace:
        """That of the project in which it is taken back."""
        project = self._found.project if self._found is not None else None
        if project is None:
            return self.here
        return workspace_in(project, self.here, self.app_state.session.clock)

    @property
    def place(self) -> str:
        return self._found.place if self._found is not None else ""

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self.here) if self._found is None else self._found.signature

    def adapter(self) -> Adapter[Any, Any]:
        assert self._found is not None
        return self._found.adapter

    def rows(self) -> OptimisticRows[Any, Any]:
        match self._kind:
            case "flag" | "copy":
                return FlagRows(self.workspace)
            case "experiment":
                return ExperimentRows(self.workspace)
            case "event_definition":
                return EventRows(self.workspace, self.app_state.session.clock())
        return NoRows()

    def record_of(self, plan: Proposal) -> int | str:
        return plan.id

    def made(self, outcome: Outcome[Any, Any]) -> int | str | None:
        """What is in the list again."""
        plan, record = outcome.plan, outcome.record
        is_back = plan.values.get("deleted") is False if isinstance(plan, Plan) else False
        is_made = plan.verb.name in ("recreate", "restore experiment")
        return record.id if record is not None and (is_back or is_made) else None

    def _forget(self, entry: Entry) -> None:
        if entry.kind == EVENT:
            self.here.events.remove(entry.uuid)
        elif entry.kind == "experiment":
            self.here.experiments.remove(entry.record)


def _alone(key: str, found: PreparedUndo | Blocked | ApiError | None) -> Planned[Part, Proposal]:
    if isinstance(found, ApiError):
        return Planned(notice=outcomes.explain_error(found, key), refused=found)
    if isinstance(found, Blocked):
        return Planned(notice=outcomes.explain_blocked(found, key))
    return Planned(notice=outcomes.explain_already_back(key), is_so_already=True)


def _left_out(part: Part, found: PreparedUndo | Blocked | ApiError | None) -> LeftOut:
    entry = part.entry
    id = entry.uuid or entry.record
    if isinstance(found, ApiError):
        return LeftOut(id, entry.key, found.what.rstrip("."), found.next.rstrip("."))
    if isinstance(found, Blocked):
        return LeftOut(id, entry.key, found.reason, found.next)
    return LeftOut(id, entry.key, "it is as it was already")


def _in_order(steps: Sequence[PlannedStep[Part, Proposal]]) -> Sequence[PlannedStep[Part, Proposal]]:
    """Flags that ask for each other go on and off in the order that a server takes."""
    plans = [step.plan for step in steps if isinstance(step.plan, Plan)]
    if len(plans) < len(steps):
        return steps
    by_plan = {id(step.plan): step for step in steps}
    return [by_plan[id(plan)] for plan in in_order(plans)]

"""Changes of any kind of record taken back: each part held against today and planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.writing.planner import (
    EventRows,
    ExperimentRows,
    FlagRows,
    NotPlanned,
    OptimisticRows,
    Planned,
    PlannedStep,
    Planner,
    each,
    together,
)
from flagtui.changes.adapter import Adapter, PreparedUndo, UndoContext
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flags_together import in_order
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.proposal import Outcome, Proposal
from flagtui.changes.undo import Part, kind_of
from flagtui.store.kinds import Kind
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count

_LISTS: Final[dict[str, Kind]] = {EVENT: "events", "experiment": "experiments"}


@dataclass
class UndoPlanner(Planner[Part, Proposal, Any]):
    """Parts of one kind of record in one project; what was found last says which and where."""

    entries: Sequence[Entry] = field(kw_only=True)
    """All of the journal."""
    _found: PreparedUndo | None = field(default=None, init=False)
    _kind: str = field(default="flag", init=False)
    _here: Workspace = field(init=False)

    def __post_init__(self) -> None:
        self._here = self.workspace

    def name_of(self, asked: Sequence[Part]) -> str:
        return asked[0].entry.key if len(asked) == 1 else count(len(asked), "record")

    async def plan(self, asked: Sequence[Part]) -> Planned[Part, Proposal]:
        """Each part, on its record as it is now."""
        here, session = self._here, self.app_state.session
        self._kind = asked[0].entry.kind
        self.kind = _LISTS.get(self._kind, "flags")
        context = UndoContext(
            here.client,
            self.app_state.signature(here),
            session.timing,
            here.me,
            self.entries,
            here.flags.rows,
            self.app_state.names,
            frozenset(part.entry.record for part in asked if part.entry.kind == "flag"),
            adds_later=len(asked) == 1,
        )
        found = await each(asked, partial(self._prepare, context))
        ready = [what for _, what in found if isinstance(what, PreparedUndo)]
        self._found = ready[0] if ready else None
        if self._found is not None:
            project, self.place = self._found.project, self._found.place
            self.workspace = here if project is None else here.in_project(project)
        planned = together(
            [(part, what.plan if isinstance(what, PreparedUndo) else what) for part, what in found]
        )
        steps = [replace(step, undoes=step.asked.undoes) for step in planned.steps]
        late = self._found.late if self._found is not None and len(asked) == 1 else None
        return replace(planned, steps=_in_order(steps), late=late)

    async def _prepare(self, context: UndoContext, part: Part) -> PreparedUndo | NotPlanned:
        entry = part.entry
        id, key, was = entry.uuid or entry.record, entry.key, "is as it was already"
        try:
            found = await kind_of(entry.kind).prepare_undo(entry, context)
        except ApiError as error:
            if isinstance(error, NotFound) and entry.kind == EVENT:
                self._here.events.remove(entry.uuid)
            elif isinstance(error, NotFound) and entry.kind == "experiment":
                self._here.experiments.remove(entry.record)
            return NotPlanned(id, key, error)
        if isinstance(found, Blocked):
            return NotPlanned(id, key, found)
        told = f"{key} {was}; nothing was sent.\nu goes on with the change before."
        return found or NotPlanned(id, key, f"it {was}", told)

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self._here) if self._found is None else self._found.signature

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
        return OptimisticRows()

    def made(self, outcome: Outcome[Any, Any]) -> int | str | None:
        """What is in the list again."""
        plan, record = outcome.plan, outcome.record
        is_back = plan.values.get("deleted") is False if isinstance(plan, Plan) else False
        is_made = plan.verb.name in ("recreate", "restore experiment")
        return record.id if record is not None and (is_back or is_made) else None


def _in_order(steps: Sequence[PlannedStep[Part, Proposal]]) -> Sequence[PlannedStep[Part, Proposal]]:
    """Flags that ask for each other go on and off in the order that a server takes."""
    plans = [step.plan for step in steps if isinstance(step.plan, Plan)]
    if len(plans) < len(steps):
        return steps
    by_plan = {id(step.plan): step for step in steps}
    return [by_plan[id(plan)] for plan in in_order(plans)]

"""What a kind of change does before the question, on its rows while it is on its way, and afterwards."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Generic

from typing_extensions import TypeVar

from flagtui.api.errors import ApiError
from flagtui.app.state.app_state import AppState
from flagtui.changes.adapter import Adapter
from flagtui.changes.event_definitions.definition_plan import EventPlan
from flagtui.changes.event_definitions.definition_save import DefinitionOutcome
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepOutcome
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagOutcome
from flagtui.changes.journal_entries import Signature, TakenBack
from flagtui.changes.proposal import LeftOut, Outcome, P, R
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.store.collection import Collection
from flagtui.store.kinds import Kind
from flagtui.store.load_progress import RecordId
from flagtui.store.optimistic_edits import apply_edit
from flagtui.store.record_list import Loading
from flagtui.store.workspace import Workspace
from flagtui.text.outcomes import explain_blocked, explain_error
from flagtui.text.styled import Notice


class OptimisticRows(Generic[P, R]):
    """Rows of one list for one approval; they know what was there when it was given. These show in none."""

    listed: tuple[Collection[Any], Loading[Any]] | None = None
    """The list, for the sign of a change that is not known."""

    def showing(self, plan: P) -> AbstractContextManager[None]:
        """Paints the plan over its row until the block is left, which is the rollback."""
        return nullcontext()

    async def believe(self, outcome: Outcome[P, R]) -> None:
        """Puts what the server said into the list."""


class FlagRows(OptimisticRows[Plan, Flag]):
    """The list of flags."""

    def __init__(self, workspace: Workspace) -> None:
        self._flags = workspace.flags
        self._asked = workspace.flags.moment
        self.listed = workspace.flags, workspace.loading("flags")

    def showing(self, plan: Plan) -> AbstractContextManager[None]:
        return self._flags.showing(plan.id, plan.values)

    async def believe(self, outcome: FlagOutcome) -> None:
        record = outcome.record
        if record is None:
            return
        if record.deleted:
            self._flags.remove(record.id)
        else:
            # What was found by looking is newer than what was asked for with the request.
            self._flags.put(record.row(), None if outcome.was_read else self._asked)


class ExperimentRows(OptimisticRows[ExperimentPlan, Experiment]):
    """The list of experiments, and of the flags that go with them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.listed = workspace.experiments, workspace.loading("experiments")

    def showing(self, plan: ExperimentPlan) -> AbstractContextManager[None]:
        """A step is not shown before it is taken: what it brings along is the server's to say."""
        return self._workspace.experiments.showing(plan.id, {}) if plan.id else nullcontext()

    async def believe(self, outcome: StepOutcome) -> None:
        workspace, record, step = self._workspace, outcome.record, outcome.plan.step.name
        if outcome.is_saved and step == "delete":
            workspace.experiments.remove(outcome.plan.id)
            return
        if record is None or step == "copy":
            return
        workspace.experiments.put(record.row())
        if not outcome.is_saved or record.feature_flag is None:
            return
        asked = workspace.flags.moment
        try:
            flag = await workspace.client.flags.get(record.feature_flag.id)
        except ApiError:
            # The list of flags will learn of it when it looks for changes.
            return
        workspace.flags.put(flag.row(), asked)


class EventRows(OptimisticRows[EventPlan, EventDefinition]):
    """The list of event definitions; `now` is the time in Unix seconds."""

    def __init__(self, workspace: Workspace, now: float) -> None:
        self._events, self._people, self._now = workspace.events, workspace.people, now
        self.listed = workspace.events, workspace.loading("events")

    def showing(self, plan: EventPlan) -> AbstractContextManager[None]:
        return self._events.showing(plan.id, self._shown(plan.values))

    async def believe(self, outcome: DefinitionOutcome) -> None:
        plan = outcome.plan
        if outcome.record is not None:
            self._events.put(outcome.record.row())
        elif not outcome.is_saved:
            return
        elif plan.is_deletion:
            self._events.remove(plan.id)
        elif (row := self._events.said(plan.id)) is not None:
            # Changed together with others, for which servers do not send the records back.
            at = max(self._now, row.updated_at or 0.0)
            self._events.put(apply_edit(row, {**self._shown(plan.values), "updated_at": at}))

    def _shown(self, values: Mapping[str, JSON]) -> Mapping[str, object]:
        """A change as the row shows it, which has owners by e-mail."""
        if "owner" not in values:
            return values
        number = values["owner"] if isinstance(values["owner"], int) else None
        owner = "" if number is None else self._people.get(number, "")
        return {**values, "owner_id": number, "owner": owner}


AT_ONCE: Final = 8
"""Records read again at the same time for one question."""
T = TypeVar("T")
Q = TypeVar("Q", default=Any)
"""What was asked for: an intent, a new record, an entry to be taken back."""


@dataclass(frozen=True)
class PlannedStep(Generic[Q, P]):
    """One plan, and what was asked for."""

    asked: Q
    plan: P
    undoes: TakenBack | None = None


@dataclass(frozen=True)
class Planned(Generic[Q, P]):
    """The plans that can be asked about together, and why the others cannot."""

    steps: Sequence[PlannedStep[Q, P]] = ()
    left_out: Sequence[LeftOut] = ()
    """Of many."""
    notice: Notice | None = None
    """Why there is no plan, of one alone."""
    refused: ApiError | None = None
    """What kept a record from being read, where another key would help."""
    is_so_already: bool = False
    """Of one alone: nothing has to be sent."""
    late: asyncio.Task[P] | None = None
    """Of one alone: the same plan with what the server had not told yet."""


@dataclass(frozen=True)
class NotPlanned:
    """One record that cannot be changed, or need not be."""

    id: RecordId
    key: str
    why: Blocked | ApiError | str
    """Words for what it is already."""
    alone: str = ""
    """What is said where that is so of one alone."""

    @property
    def left_out(self) -> LeftOut:
        """As one of many."""
        match self.why:
            case str(words):
                return LeftOut(self.id, self.key, words)
            case Blocked(reason=reason, next=next):
                return LeftOut(self.id, self.key, reason, next)
            case error:
                return LeftOut(self.id, self.key, error.what.rstrip("."), error.next.rstrip("."))

    @property
    def planned(self) -> Planned[Any, Any]:
        """As what was asked for alone."""
        match self.why:
            case str():
                return Planned(notice=Notice(self.alone), is_so_already=True)
            case Blocked() as blocked:
                return Planned(notice=explain_blocked(blocked, self.key))
            case error:
                return Planned(notice=explain_error(error, self.key), refused=error)


async def each(asked: Sequence[Q], read: Callable[[Q], Awaitable[T]]) -> list[tuple[Q, T]]:
    """What is read for each, a few at a time, in their order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(request: Q) -> T:
        async with turn:
            return await read(request)

    return list(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))


def together(found: Sequence[tuple[Q, P | NotPlanned]]) -> Planned[Q, P]:
    """The plans that were found, and why there are no others."""
    out = [what for _, what in found if isinstance(what, NotPlanned)]
    if len(found) == 1 and out:
        return out[0].planned
    steps = [PlannedStep(one, plan) for one, plan in found if not isinstance(plan, NotPlanned)]
    refused = next((one.why for one in out if isinstance(one.why, ApiError)), None)
    return Planned(steps, [one.left_out for one in out], refused=refused)


@dataclass
class Planner(Generic[Q, P, R]):
    """Reads and plans one kind of change in one project."""

    app_state: AppState
    workspace: Workspace
    place: str = ""
    """Where it happens, when that is not the project on screen."""
    kind: Kind = "flags"
    """The list that shows it."""

    @property
    def signature(self) -> Signature:
        return self.app_state.signature(self.workspace)

    @abstractmethod
    async def plan(self, asked: Sequence[Q]) -> Planned[Q, P]:
        """Each record read again, and the plan on it."""

    @abstractmethod
    def name_of(self, asked: Sequence[Q]) -> str:
        """What is read for the question, as it is called in the list. Raw."""

    @abstractmethod
    def adapter(self) -> Adapter[P, R]: ...

    def rows(self) -> OptimisticRows[P, R]:
        return OptimisticRows()

    def record_of(self, plan: P) -> RecordId:
        """The record in the list that was chosen for it."""
        return plan.id

    def made(self, outcome: Outcome[P, R]) -> RecordId | None:
        """The record that is in the list now and was not before."""
        return None

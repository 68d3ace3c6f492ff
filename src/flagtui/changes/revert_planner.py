"""Revert changes in the activity, by any user, as an undo on the current records."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import replace

from flagtui.changes.entry_kind import PlannedUndo, UndoContext
from flagtui.changes.flags.flag_entries import revert_of
from flagtui.changes.flags.flag_planner import FlagPlanner
from flagtui.changes.journal_entries import WITHOUT_NUMBER, Entry, Signature, UndoTarget
from flagtui.changes.planner import Planned
from flagtui.changes.revert_refusals import NOT_LOGGED, as_partial, changed_since
from flagtui.changes.skipped import Blocked, Skipped, skip
from flagtui.changes.undo import Part, distinct_records, kind_of
from flagtui.changes.undo_planner import UndoPlanner
from flagtui.store.kinds import FLAGS, KINDS

if TYPE_CHECKING:
    from flagtui.changes.planner import PlanContext, Planned, Planner
    from flagtui.changes.proposal import Proposal
    from flagtui.models.activity import Activity
    from flagtui.models.activity_rows import ChangeRow, RecordKind


class Reverts(msgspec.Struct, frozen=True):
    """Changes of distinct records of one kind, which share a question."""

    kind: RecordKind
    requests: Sequence[Any] = ()
    """The requests to the planner of the kind."""
    rows: Sequence[ChangeRow] = ()
    """The change of each request."""

    def list_reverted(self, saved: Container[int | str]) -> list[str]:
        """Return the ids of the changes that are reverted, by the ids of the saved records."""
        return [row.id for row in self.rows if (row.record_id or row.entry.item_id) in saved]

    def planner(self, context: PlanContext, signature: Signature) -> Planner[Any, Any, Any]:
        """Return the planner of these changes."""
        if self.kind == FLAGS.plural:
            return FlagPlanner(context)
        return RevertPlanner(context, entries=(), signature=signature, entry_kind=KINDS[self.kind].entry)


class RevertPlanner(UndoPlanner):
    """Plans the revert of logged changes; one is refused if the same fields were changed since."""

    after_no_op: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.noun = kind_of(self.entry_kind).noun

    async def plan(self, requests: Sequence[Part]) -> Planned[Part, Proposal]:
        # The changes are in no journal of this user, or another key undoes them.
        return replace(await super().plan(requests), undoes={})

    async def _prepare(self, undo: UndoContext, part: Part) -> Planned[Any, Any] | Skipped:
        planned = await super()._prepare(undo, part)
        if isinstance(planned, Skipped):
            return planned
        return replace(planned, plans=[as_partial(plan, part.left) for plan in planned.plans])

    async def _prepare_in_project(self, undo: UndoContext, entry: Entry) -> PlannedUndo:
        here = replace(entry, signature=self.signature)
        planned = await super()._prepare_in_project(undo, here)
        conflicts = planned.plans[0].conflicts if isinstance(planned, Planned) else ()
        return changed_since(conflicts) if conflicts else planned


def questions_of_reverts(rows: Sequence[ChangeRow]) -> tuple[list[Reverts], list[Skipped]]:
    """Return the changes of each question, newest first, and what is not reverted, with its reason."""
    ready: dict[RecordKind, list[tuple[ChangeRow, Any]]] = {}
    skipped: list[Skipped] = []
    for row in sorted(rows, key=lambda row: row.place, reverse=True):
        request = request_of(row.kind, row.entry)
        if isinstance(request, Blocked):
            id = row.record_id or row.entry.item_id
            skipped.append(replace(skip(id, row.key, request), kind=row.kind))
        else:
            ready.setdefault(row.kind, []).append((row, request))
    # Flags come first: an experiment that is a draft again should not be served.
    questions = [
        Reverts(kind, [request for _, request in batch], [row for row, _ in batch])
        for kind in KINDS
        if kind in ready
        for batch in distinct_records(ready[kind], lambda pair: pair[0].entry.item_id)
    ]
    return questions, skipped


def newest_of_each(questions: Sequence[Reverts]) -> list[Reverts]:
    """Return a question for each kind, with the newest change of each record.

    Older ones can be planned once the newer ones are reverted.
    """
    newest: dict[RecordKind, dict[str, tuple[Any, ChangeRow]]] = {}
    for each in questions:
        for request, row in zip(each.requests, each.rows, strict=True):
            newest.setdefault(each.kind, {}).setdefault(row.entry.item_id, (request, row))
    return [
        Reverts(kind, [request for request, _ in changes.values()], [row for _, row in changes.values()])
        for kind, changes in newest.items()
    ]


def request_of(kind: RecordKind, entry: Activity) -> Any | Blocked:
    """Return what the planner of the kind reverts; blocked where the log alone rules it out."""
    if entry.record_id is None and KINDS[kind].entry != WITHOUT_NUMBER:
        return Blocked("number", "the log does not name its id", "change it by hand")
    if kind == FLAGS.plural:
        return NOT_LOGGED if entry.is_unlogged else revert_of(entry)
    change = kind_of(KINDS[kind].entry).from_log(entry)
    if isinstance(change, Blocked):
        return change
    fields = [each.field for each in entry.changes]
    # A deletion is reverted as a whole.
    left = tuple(field for field in fields if field not in change.before) if change.before else ()
    return Part(change, UndoTarget(""), left)


def reason_against(row: ChangeRow) -> str:
    """Return why the log alone rules out a revert; empty otherwise."""
    request = request_of(row.kind, row.entry)
    return "; ".join(filter(None, (request.reason, request.next))) if isinstance(request, Blocked) else ""

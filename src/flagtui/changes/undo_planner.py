"""Plan the undo of changes of any kind on the current records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, UndoContext
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned, Planner, read_each
from flagtui.changes.proposal import Proposal
from flagtui.changes.related.project_copies import KIND as COPY
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.changes.undo import Part, kind_of
from flagtui.models.flag_details import NO_NAMES
from flagtui.models.json_value import as_id
from flagtui.store.kinds import BY_ENTRY, FLAGS, RecordKind

LISTS: Final[Mapping[str, RecordKind]] = {**BY_ENTRY, COPY: FLAGS}
"""The kind whose list shows the records of these entries of the journal."""


@dataclass
class UndoPlanner(Planner[Part, Proposal, Any]):
    """Plans the undo of parts of one kind in one project."""

    entries: Sequence[Entry] = field(kw_only=True)
    """All of the journal."""
    signature: Signature = field(kw_only=True)
    entry_kind: str = field(kw_only=True)
    """The kind of record in the journal."""
    is_redo: bool = field(default=False, kw_only=True)
    after_no_op: ClassVar[str] = "\nUndo again for the change before."
    """What follows in the sentence about a no-op."""

    noun = "record"

    def __post_init__(self) -> None:
        self.kind = LISTS.get(self.entry_kind, FLAGS).plural
        self.is_local = kind_of(self.entry_kind).is_local
        self.is_listed = self.entry_kind in LISTS

    def name(self, request: Part) -> str:
        return request.entry.key

    async def plan(self, requests: Sequence[Part]) -> Planned[Part, Proposal]:
        """Plan each part on its current record, in the order that the server accepts."""
        context, me = self.context, await self.context.me()
        people = {} if me is None else {me.id: me.email or me.label}
        undo = UndoContext(
            context.client,
            context.clock,
            me,
            self.entries,
            context.known_flags,
            await context.names(),
            frozenset(part.entry.record for part in requests if part.entry.kind == "flag"),
            adds_later=context.adds_later and len(requests) == 1,
            mirror=context.mirror,
            people={**people, **context.known_people()},
        )
        results = await read_each(requests, partial(self._prepare, undo))
        skipped = [result for _, result in results if isinstance(result, Skipped)]
        ready = [(part, result) for part, result in results if isinstance(result, Planned)]
        if not ready:
            return Planned(None, skipped=skipped)
        # All are of one kind in one project.
        plans = [result.plans[0] for _, result in ready]
        planned = replace(
            ready[0][1],
            plans=plans,
            requests=[part for part, _ in ready],
            skipped=skipped,
            undoes={(plan.id, plan.key): part.undoes for plan, (part, _) in zip(plans, ready, strict=True)},
        )
        return _sort(planned, kind_of(self.entry_kind))

    async def _prepare(self, undo: UndoContext, part: Part) -> Planned[Any, Any] | Skipped:
        entry = part.entry
        id, key, was = entry.uuid or entry.record, entry.key, "already has the values to restore"
        try:
            planned = await self._prepare_in_project(undo, entry)
        except ApiError as error:
            if isinstance(error, NotFound) and self.kind != "flags":
                self.context.forget(self.kind, id)
            return skip(id, key, error)
        if isinstance(planned, Blocked):
            return skip(id, key, planned)
        following = "" if self.is_redo else self.after_no_op
        sentence = f"{key} {was}; nothing was sent.{following}"
        return planned or skip_no_op(id, key, f"it {was}", sentence)

    async def _prepare_in_project(self, undo: UndoContext, entry: Entry) -> PlannedUndo:
        """Plan the undo of a change in the project in which it was made."""
        kind, project = kind_of(entry.kind), entry.signature.project
        if project == self.signature.project:
            return await kind.prepare_undo(entry, undo)
        client = undo.client.for_project(project)
        planned = await kind.prepare_undo(entry, replace(undo, client=client, rows=None, names=NO_NAMES))
        if not isinstance(planned, Planned):
            return planned
        signature = replace(self.signature, project=project)
        return replace(planned, place=f"project #{project}", project=as_id(project), signature=signature)


def _sort(planned: Planned[Part, Proposal], kind: EntryKind) -> Planned[Part, Proposal]:
    requests = {id(plan): request for plan, request in zip(planned.plans, planned.requests, strict=True)}
    plans = kind.sort(planned.plans)
    return replace(planned, plans=plans, requests=[requests[id(plan)] for plan in plans])

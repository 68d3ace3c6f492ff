"""Plan the undo of changes of any kind on the current records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.adapter import EntryKind, PreparedUndo, UndoContext
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned, Planner, collect, read_each
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
        context = self.context
        undo = UndoContext(
            context.client,
            self.signature,
            context.clock,
            await context.me(),
            self.entries,
            context.known_flags,
            await context.names(),
            frozenset(part.entry.record for part in requests if part.entry.kind == "flag"),
            adds_later=context.adds_later and len(requests) == 1,
            mirror=context.mirror,
        )
        results = await read_each(requests, partial(self._prepare, undo))
        ready = [(part, result) for part, result in results if isinstance(result, PreparedUndo)]
        if not ready:
            skipped = [result for _, result in results if isinstance(result, Skipped)]
            return Planned(None, skipped=skipped)
        first = ready[0][1]
        planned = collect(
            first.adapter,
            [(part, result.plan if isinstance(result, PreparedUndo) else result) for part, result in results],
        )
        return replace(
            _sort(planned, kind_of(self.entry_kind)),
            late=first.late if len(requests) == 1 else None,
            undoes={result.plan.key: part.undoes for part, result in ready},
            place=first.place,
            project=first.project,
            signature=first.signature,
        )

    async def _prepare(self, undo: UndoContext, part: Part) -> PreparedUndo | Skipped:
        entry = part.entry
        id, key, was = entry.uuid or entry.record, entry.key, "is unchanged already"
        try:
            prepared = await self._prepare_in_project(undo, entry)
        except ApiError as error:
            if isinstance(error, NotFound) and self.kind != "flags":
                self.context.forget(self.kind, id)
            return skip(id, key, error)
        if isinstance(prepared, Blocked):
            return skip(id, key, prepared)
        sentence = f"{key} {was}; nothing was sent.{self.after_no_op}"
        return prepared or skip_no_op(id, key, f"it {was}", sentence)

    async def _prepare_in_project(self, undo: UndoContext, entry: Entry) -> PreparedUndo | Blocked | None:
        """Plan the undo of a change in the project in which it was made."""
        kind, project = kind_of(entry.kind), entry.signature.project
        if project == self.signature.project:
            return await kind.prepare_undo(entry, undo)
        target = replace(
            undo,
            client=undo.client.for_project(project),
            signature=replace(self.signature, project=project),
            rows=None,
            names=NO_NAMES,
        )
        prepared = await kind.prepare_undo(entry, target)
        if not isinstance(prepared, PreparedUndo):
            return prepared
        return replace(prepared, place=f"project #{project}", project=as_id(project))


def _sort(planned: Planned[Part, Proposal], kind: EntryKind) -> Planned[Part, Proposal]:
    requests = {id(plan): request for plan, request in zip(planned.plans, planned.requests, strict=True)}
    plans = kind.sort(planned.plans)
    return replace(planned, plans=plans, requests=[requests[id(plan)] for plan in plans])

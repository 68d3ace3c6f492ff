"""A journalled change of any kind taken back: part by part read again, and planned like any other change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_plan import AlreadySo, DefinitionContext, plan_recreation
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation
from flagtui.changes.event_definitions.definition_undo import plan_undo as plan_event_undo
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import parts_of, plan_step_back, step_back
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_plan import NothingToDo, stored_value
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flag_undo import Contested, plan_undo, undo_intent
from flagtui.changes.flags.flags_together import within_batch
from flagtui.changes.flags.surroundings import Surroundings, gather
from flagtui.changes.journal_entries import TakenBack
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.project_copies import as_creation, project_of
from flagtui.changes.related.related_save import RelatedAdapter
from flagtui.changes.related.schedule_undo import inverse_of, plan_unscheduling
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.changes.related.schedules import send_later
from flagtui.changes.undo_list import told_apart
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_id, as_text
from flagtui.models.names import NO_NAMES, Names

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.clock import Clock
    from flagtui.changes.adapter import Adapter
    from flagtui.changes.journal_entries import Entry, Signature
    from flagtui.changes.proposal import Proposal
    from flagtui.models.flag import Flag
    from flagtui.models.person import User
    from flagtui.models.rows import FlagRow


@dataclass(frozen=True)
class UndoContext:
    """What taking back is planned with, in the project the change was made from."""

    client: Client
    signature: Signature
    clock: Clock
    me: User | None = None
    entries: Sequence[Entry] = ()
    """All of the journal: they tell what else this person did."""
    rows: Sequence[FlagRow] | None = None
    """The flags of the project where they are known; else what is needed of them is read."""
    names: Names = NO_NAMES
    together: frozenset[int] = frozenset()
    """Numbers of the flags that are taken back at the same time."""


@dataclass(frozen=True)
class PreparedUndo:
    """One part that could be taken back now."""

    part: Entry
    plan: Proposal
    adapter: Adapter[Any, Any]
    signature: Signature
    place: str = ""
    """Where it happens when that is another project."""
    project: int | None = None
    """The number of that project."""


@dataclass(frozen=True)
class Part:
    """A change, or the part of one that has to be taken back by itself."""

    entry: Entry
    undoes: TakenBack


async def parts_left(entry: Entry, client: Client) -> tuple[Part, ...]:
    """What has to be taken back one after the other, the last at least. Raises `ApiError`.

    Nothing is left of the entry after the last one.
    """
    found = parts_of(entry) if entry.kind == "experiment" else (entry,)
    if len(found) > 1:
        found = tuple([part for part in found if not await _is_back(part, client)]) or found[-1:]
    return tuple(Part(part, TakenBack(entry.id, part is found[-1])) for part in found)


def asked_together(parts: Sequence[Sequence[Part]]) -> list[list[Part]]:
    """What is asked about in one question: the changes of one kind that each have one part."""
    if any(len(each) > 1 for each in parts):
        return [[part] for each in parts for part in each]
    every = [part for each in parts for part in each]
    return [list(group) for _kind, group in groupby(every, key=lambda part: part.entry.kind)]


async def _is_back(part: Entry, client: Client) -> bool:
    if part.kind == "flag":
        flag = await client.flags.get(part.record)
        return all(means_same(stored_value(flag, name), old, (name,)) for name, old in part.before.items())
    intent, fresh = step_back(part), await client.experiments.get(part.record)
    return intent is not None and plan_step_back(part, intent, fresh, StepContext()) is None


async def prepare_undo(part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
    """One part held against today; None when it is as it was already. Raises `ApiError`."""
    if part.kind == EVENT:
        return await _event(part, context)
    if part.kind == "experiment":
        return await _experiment(part, context)
    if part.kind == SCHEDULED:
        return await _scheduled(part, context)
    return await _flag(part, context)


async def _flag(part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
    project, client, here, place = project_of(part), context.client, context.signature, ""
    if project is not None:
        place = as_text(part.after.get("project_name")) or f"project #{project}"
        client, part = client.for_project(project), as_creation(part)
        here = part.signature
    fresh = await client.flags.get(part.record)
    intent = undo_intent(part, fresh)
    known = context.rows if project is None else None
    rows = await _rows(client, fresh.targeting.depends_on) if known is None else known
    surroundings = Surroundings(
        rows, context.me, context.clock.time(), intent.seen_version, names=context.names
    )
    around = within_batch(await gather(client.flags, fresh, intent.changes, surroundings), context.together)
    found = plan_undo(part, fresh, around, here)
    if isinstance(found, Contested):
        found = replace(found.overwrite, clashes=told_apart(found.clashes, part, context.entries))
    if isinstance(found, NothingToDo):
        return None
    if isinstance(found, Blocked):
        return found
    return PreparedUndo(part, found, FlagAdapter(client.flags), here, place, project)


async def _rows(client: Client, ids: Sequence[int]) -> list[FlagRow]:
    """The flags it asks for, as far as they can be read."""

    async def one(id: int) -> Flag | None:
        try:
            return await client.flags.get(id)
        except ApiError:
            return None

    found = await asyncio.gather(*map(one, ids))
    return [flag.row() for flag in found if flag is not None]


async def _experiment(part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
    intent, project, client = step_back(part), as_id(part.after.get("project")), context.client
    if intent is None:
        return Blocked("cannot be undone", f"no step takes back: {part.verb}")
    place = ""
    if project is not None:
        place, client = f"project #{project}", client.for_project(project)
    if intent.step.name == "restore":
        # Deleted ones cannot be read, only brought back by their number.
        fresh = Experiment.of({"id": intent.id, "name": part.key, "deleted": True})
    else:
        fresh = await client.experiments.get(intent.id)
    dependents = await _dependents(client, fresh) if intent.step.name == "pause" else ()
    known = StepContext(now=context.clock.time(), dependents=dependents)
    plan = plan_step_back(part, intent, fresh, known)
    if not isinstance(plan, ExperimentPlan):
        return plan
    plan = replace(plan, clashes=told_apart(plan.clashes, part, context.entries))
    return PreparedUndo(part, plan, StepAdapter(client.experiments), context.signature, place, project)


async def _dependents(client: Client, fresh: Experiment) -> tuple[str, ...]:
    """Keys of flags that are on and ask for the flag of this experiment."""
    if fresh.feature_flag is None:
        return ()
    found = await client.flags.dependents(fresh.feature_flag.id)
    return tuple(row.key for row in await _rows(client, [one.id for one in found]) if row.active)


async def _event(part: Entry, context: UndoContext) -> PreparedUndo | None:
    definitions, known = context.client.event_definitions, DefinitionContext(context.clock.time())
    if is_deletion(part):
        found = plan_recreation(part.key, part.before, known)
    else:
        fresh = await (definitions.by_name(part.key) if is_recreation(part) else definitions.get(part.uuid))
        planned = plan_event_undo(part, fresh, known)
        if isinstance(planned, AlreadySo):
            return None
        found = planned
    plan = replace(found, clashes=told_apart(found.clashes, part, context.entries))
    return PreparedUndo(part, plan, DefinitionAdapter(definitions), context.signature)


async def _scheduled(part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
    client = context.client
    try:
        fresh = await client.flags.get(part.record)
    except NotFound:
        return Blocked("gone", "its flag is not there any more")
    plan = await plan_unscheduling(part, fresh, client.schedule, context.clock.time())
    if not isinstance(plan, RelatedPlan):
        return plan
    plan = replace(plan, read_at=context.clock.time())
    request = send_later(inverse_of(part), plan.id, client.schedule)
    return PreparedUndo(part, plan, RelatedAdapter(client, request), context.signature)

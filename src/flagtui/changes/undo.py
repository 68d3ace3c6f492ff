"""A journalled change of any kind taken back: part by part read again, planned, and sent once agreed to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_plan import (
    AlreadySo,
    DefinitionContext,
    EventPlan,
    plan_recreation,
)
from flagtui.changes.event_definitions.definition_save import DefinitionSaveContext, save_all
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation
from flagtui.changes.event_definitions.definition_undo import plan_undo as plan_event_undo
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepSaveContext, save_step
from flagtui.changes.experiments.step_undo import parts_of, plan_step_back, step_back
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import settle
from flagtui.changes.flags.flag_plan import NothingToDo, Plan, stored_value
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagSaveContext, save
from flagtui.changes.flags.flag_undo import Contested, plan_undo, undo_intent
from flagtui.changes.flags.surroundings import Surroundings, gather
from flagtui.changes.guard import Approved, GuardRefused, GuardRules, Question, guard
from flagtui.changes.outcome import Failed, Saved, Unknown
from flagtui.changes.outcome import Refused as NotTaken
from flagtui.changes.related.creation import RelatedPlan, RelatedSaveContext, send_related
from flagtui.changes.related.project_copies import as_creation, project_of
from flagtui.changes.related.schedule_undo import inverse_of, plan_unscheduling
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.changes.related.schedules import send_later
from flagtui.changes.undo_list import told_apart
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_id

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.clock import Clock
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Ending, Entry, Signature
    from flagtui.changes.proposal import Proposal
    from flagtui.models.person import User
    from flagtui.models.rows import FlagRow

ALREADY: Final = None
"""Nothing has to be sent: it is as it was."""


@dataclass(frozen=True)
class UndoTools:
    """What taking back works with, in the project the change was made from."""

    client: Client
    journal: Journal
    signature: Signature
    clock: Clock
    me: User | None = None
    tell: Callable[[str], None] = lambda _words: None


@dataclass(frozen=True, slots=True)
class BackEnded:
    """How one part ended, for reading."""

    key: str
    ending: Ending
    words: str
    """After the key where it was saved: `is on`; else why not."""
    next: str = ""


@dataclass(frozen=True)
class PreparedUndo:
    """One part that could be taken back now."""

    plan: Proposal
    send: Callable[[Approved[Any]], Awaitable[BackEnded]]
    place: str = ""
    """Where it happens when that is another project."""

    def ask(self, rules: GuardRules) -> Question[Proposal] | GuardRefused:
        """The guard's question; the approval of its right answer is what `send` takes."""
        return guard([self.plan], rules)


async def parts_left(entry: Entry, client: Client) -> tuple[Entry, ...]:
    """What has to be taken back one after the other, the last at least. Raises `ApiError`.

    Nothing is left of the entry after the last one, so that is the one to say so in the journal.
    """
    found = parts_of(entry) if entry.kind == "experiment" else (entry,)
    if len(found) < 2:
        return found
    return tuple([part for part in found if not await _is_back(part, client)]) or found[-1:]


async def _is_back(part: Entry, client: Client) -> bool:
    if part.kind == "flag":
        flag = await client.flags.get(part.record)
        return all(means_same(stored_value(flag, name), old, (name,)) for name, old in part.before.items())
    intent, fresh = step_back(part), await client.experiments.get(part.record)
    return intent is not None and plan_step_back(part, intent, fresh, StepContext()) is None


async def prepare_undo(
    part: Entry, tools: UndoTools, undoes: str, entries: Sequence[Entry] = ()
) -> PreparedUndo | Blocked | None:
    """One part held against today; None when it is as it was already. Raises `ApiError`.

    `undoes` names the entry in the journal that nothing is left of after this part, `entries` tell what
    else this person did.
    """
    if part.kind == EVENT:
        return await _event(part, tools, undoes, entries)
    if part.kind == "experiment":
        return await _experiment(part, tools, undoes, entries)
    if part.kind == SCHEDULED:
        return await _scheduled(part, tools, undoes)
    return await _flag(part, tools, undoes, entries)


async def _flag(
    part: Entry, tools: UndoTools, undoes: str, entries: Sequence[Entry]
) -> PreparedUndo | Blocked | None:
    project, client = project_of(part), tools.client
    place, here = "", tools.signature
    if project is not None:
        place, client = f"project #{project}", client.for_project(project)
        part = as_creation(part)
        here = part.signature
    flags = client.flags
    fresh = await flags.get(part.record)
    intent = undo_intent(part, fresh)
    surroundings = Surroundings(
        await _rows(client, fresh.targeting.depends_on), tools.me, tools.clock.time(), intent.seen_version
    )
    context = await gather(flags, fresh, intent.changes, surroundings)
    found = plan_undo(part, fresh, context, here)
    if isinstance(found, Contested):
        found = replace(found.overwrite, clashes=told_apart(found.clashes, part, entries))
    if isinstance(found, NothingToDo):
        return ALREADY
    if isinstance(found, Blocked):
        return found

    async def send(approved: Approved[Plan]) -> BackEnded:
        save_context = FlagSaveContext(flags, tools.journal, here, tools.clock, tools.tell)
        outcome = await save(approved, save_context, undoes)
        if isinstance(outcome, Unknown):
            outcome = await settle(
                outcome, flags, save_context.journal, save_context.clock, save_context.tell
            )
        if isinstance(outcome, Saved):
            return BackEnded(fresh.key, "saved", outcome.words, outcome.note)
        if isinstance(outcome, NotTaken | Failed):
            return BackEnded(fresh.key, outcome.ending, outcome.reason, outcome.next)
        return BackEnded(fresh.key, outcome.ending, outcome.ending)

    return PreparedUndo(found, send, place)


async def _rows(client: Client, ids: tuple[int, ...]) -> list[FlagRow]:
    """The flags it asks for, as far as they can be read."""
    found = []
    for id in ids:
        try:
            found.append((await client.flags.get(id)).row())
        except ApiError:
            continue
    return found


async def _experiment(
    part: Entry, tools: UndoTools, undoes: str, entries: Sequence[Entry]
) -> PreparedUndo | Blocked | None:
    intent, project, client = step_back(part), as_id(part.after.get("project")), tools.client
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
    plan = plan_step_back(part, intent, fresh, StepContext(now=tools.clock.time(), dependents=dependents))
    if not isinstance(plan, ExperimentPlan):
        return plan
    plan = replace(plan, clashes=told_apart(plan.clashes, part, entries))

    async def send(approved: Approved[ExperimentPlan]) -> BackEnded:
        save_context = StepSaveContext(
            client.experiments, tools.journal, tools.signature, tools.clock, tools.tell
        )
        ended = await save_step(approved, save_context, undoes)
        words = plan.verb.done if ended.ending == "saved" else ended.reason
        return BackEnded(plan.key, ended.ending, words, ended.note or ended.next)

    return PreparedUndo(plan, send, place)


async def _dependents(client: Client, fresh: Experiment) -> tuple[str, ...]:
    """Keys of flags that are on and ask for the flag of this experiment."""
    if fresh.feature_flag is None:
        return ()
    found = await client.flags.dependents(fresh.feature_flag.id)
    return tuple(row.key for row in await _rows(client, tuple(one.id for one in found)) if row.active)


async def _event(
    part: Entry, tools: UndoTools, undoes: str, entries: Sequence[Entry]
) -> PreparedUndo | Blocked | None:
    definitions, context = tools.client.event_definitions, DefinitionContext(tools.clock.time())
    if is_deletion(part):
        found: EventPlan | AlreadySo = plan_recreation(part.key, part.before, context)
    else:
        again = is_recreation(part)
        fresh = await (definitions.by_name(part.key) if again else definitions.get(part.uuid))
        found = plan_event_undo(part, fresh, context)
    if isinstance(found, AlreadySo):
        return ALREADY
    plan = replace(found, clashes=told_apart(found.clashes, part, entries))

    async def send(approved: Approved[EventPlan]) -> BackEnded:
        save_context = DefinitionSaveContext(definitions, tools.journal, tools.signature, tools.clock)
        (ended,) = [one async for one in save_all(approved, save_context, {plan.key: undoes})]
        words = plan.verb.done if ended.ending == "saved" else ended.reason
        return BackEnded(plan.key, ended.ending, words, ended.next)

    return PreparedUndo(plan, send)


async def _scheduled(part: Entry, tools: UndoTools, undoes: str) -> PreparedUndo | Blocked | None:
    schedule = tools.client.schedule
    try:
        fresh = await tools.client.flags.get(part.record)
    except NotFound:
        return Blocked("gone", "its flag is not there any more")
    plan = await plan_unscheduling(part, fresh, schedule, tools.clock.time())
    if not isinstance(plan, RelatedPlan):
        return plan
    plan = replace(plan, undoes=undoes)
    request = send_later(inverse_of(part), plan.id, schedule)

    async def send(approved: Approved[RelatedPlan]) -> BackEnded:
        save_context = RelatedSaveContext(tools.journal, tools.signature, tools.clock)
        ended = await send_related(approved, request, save_context)
        words = plan.verb.done if ended.ending == "saved" else ended.note
        return BackEnded(plan.key, ended.ending, words, ended.error.next if ended.error else "")

    return PreparedUndo(plan, send)

"""Plan the rest of a set, after looking up the changes that an earlier run applied."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from flagtui.changes.adapter import WriteContext
from flagtui.changes.journal_entries import Entry
from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.planner import PlanContext, Planned
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.applied_changes import lost_since
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange, OutdatedChanges
from flagtui.changes.sets.set_planner import SetPlanner
from flagtui.changes.sets.set_progress import SetProgress, settle_open
from flagtui.changes.skipped import Skipped


class SetPlan(msgspec.Struct, frozen=True):
    """The plans of a set. It can be sent unless something is pending, outdated or blocked."""

    progress: SetProgress
    """What an earlier run applied."""
    left: Sequence[StagedChange] = ()
    """The changes that are not applied yet."""
    planned: Planned[StagedChange, Proposal] | None = None
    """None when nothing is left, or when an earlier run is pending."""
    outdated: Sequence[OutdatedChange] = ()
    """Changes whose record has changed since."""
    done: Sequence[StagedChange] = ()
    """No-ops, whose record has the values already."""
    lost: Sequence[Skipped] = ()
    """Where nothing is left: applied changes that are no longer in effect."""

    @property
    def pending(self) -> Sequence[Entry]:
        """Changes of an earlier run whose outcome is not known yet; nothing may be sent until then."""
        progress = self.progress
        return [entry for entry in progress.open if entry.ending == "" or entry in progress.pending]

    @property
    def blocked(self) -> Sequence[Skipped]:
        """Changes that cannot be made, or whose record cannot be read."""
        skipped = () if self.planned is None else self.planned.skipped
        return [each for each in skipped if not each.is_no_op]


async def plan_set(
    change_set: ChangeSet, context: PlanContext, writing: WriteContext, *, is_overwriting: bool = False
) -> SetPlan:
    """Look up an earlier run, then read and plan the rest. Raises ApiError, JournalUnwritable.

    With `is_overwriting`, records that have changed since are planned too.
    """
    progress = await settle_open(change_set, context.client, writing)
    before = SetPlan(progress, progress.left_of(change_set))
    if before.pending:
        return before
    if not before.left:
        return replace(before, lost=await lost_since(change_set.changes, progress, context.client))
    planner = SetPlanner(
        context,
        changes=change_set.changes,
        new_ids=progress.new_ids,
        since=OutdatedChanges(change_set, OwnChanges.of(progress.journal, writing.signature)),
        is_overwriting=is_overwriting,
    )
    planned = await planner.plan(before.left)
    return SetPlan(progress, before.left, planned, planner.outdated, planner.done)

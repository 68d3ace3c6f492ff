"""The changes of other records and the counts of users around the moment in the line of the activity."""

from collections.abc import Iterable, Sequence, Set
from typing import Final

from flagtui.details.user_counts import UserCounts
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.counted_users import UserChange
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.activity_listing import AFTER, Centre
from flagtui.store.moment_changes import MomentChanges, merge_rows, read_moment_changes
from flagtui.store.workspace import Workspace

FRESH: Final = 5.0
"""Seconds for which the list of event definitions counts as just loaded."""
SAME: Final = 60.0
"""Seconds by which a moment may move, as `20m` does while more is typed, without being read again."""


class MomentFacts:
    """The changes around one moment in one project."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._counts = UserCounts(workspace.client, workspace.flags.get)
        self._changes: MomentChanges | None = None
        self._merged: tuple[Sequence[ChangeRow], Set[str], Sequence[ChangeRow]] = ((), set(), ())
        self._is_stale = False
        """Whether they must be read again; until then they stay listed, and marked."""
        self._counted: tuple[Sequence[ChangeRow], float] = ((), 0.0)

    def missing(self, centre: Centre | None) -> tuple[str, ...]:
        """Return in words which changes around the moment are not listed."""
        if centre is None or self._changes is None or not self._is_read(centre):
            return () if centre is None else ("reading other records",)
        return self._changes.missing

    @property
    def trouble(self) -> str:
        """Return why users could not be counted."""
        return self._counts.trouble

    def users(self, row: ChangeRow) -> UserChange | None:
        """Return the users who got or lost the flag with a change; None while that is not known."""
        return self._counts.of(row)

    def rows(
        self, feed: Sequence[ChangeRow], centre: Centre | None, marked: Sequence[Activity]
    ) -> Sequence[ChangeRow]:
        """Return the entries of the feed, around a moment with the changes of other records read last.

        Those that are marked stay, also without a moment and when it moves.
        """
        read = self._changes.entries if centre is not None and self._changes is not None else ()
        others = {entry.identity: entry for entry in (*marked, *read)}
        if self._merged[0] is not feed or self._merged[1] != others.keys():
            self._merged = feed, others.keys(), merge_rows(feed, others.values())
        return self._merged[2]

    def forget(self) -> None:
        """Read everything again for the next moment."""
        self._is_stale, self._counted = True, ((), 0.0)

    async def read_others(self, centre: Centre) -> None:
        """Read the changes of experiments and event definitions, unless they were read."""
        if not self._is_read(centre):
            self._changes = await read_moment_changes(
                self._workspace.client, centre, lambda: self._events(centre)
            )
            self._is_stale = False

    async def count_users(self, feed: Sequence[ChangeRow], centre: Centre) -> None:
        """Count the users of the changes of flags in the window, unless they were counted."""
        counted, at = self._counted
        if feed is not counted or abs(at - centre.at) > SAME:
            self._counted = feed, centre.at
            self._counts.follow(feed)
            await self._counts.learn([row for row in feed if centre.holds(row.at)])

    async def count_one(self, feed: Sequence[ChangeRow], row: ChangeRow) -> bool:
        """Count the users of one change; return whether that is more than was known."""
        if row.kind != "flags" or self._counted[0] is not feed or self.users(row) is not None:
            return False
        await self._counts.learn([row])
        return self.users(row) is not None

    def _is_read(self, centre: Centre) -> bool:
        changes = self._changes
        return changes is not None and not self._is_stale and abs(changes.centre.at - centre.at) <= SAME

    async def _events(self, centre: Centre) -> Iterable[EventDefinitionRow]:
        """Return the event definitions, read again if the list is older than the end of the window."""
        workspace, loading = self._workspace, self._workspace.loading("events")
        end = min(centre.at + AFTER, workspace.now - FRESH)
        if loading.loaded_at is None or loading.loaded_at < end:
            await workspace.refresh("events")
        if loading.trouble is not None:
            raise loading.trouble
        return workspace.events.rows

"""The users who got or lost a flag with a change of it, by the server's counts of its conditions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from flagtui.models.activity import as_switch
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.condition_queries import ConditionQuery, deciding_conditions
from flagtui.models.counted_users import UserChange
from flagtui.models.filters import Filters
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.rows import FlagRow

MOST_CONDITIONS: Final = 12
"""Conditions of one change that are counted; each is a request."""


class ServedState(msgspec.Struct, frozen=True):
    """The parts of a flag that decide who gets it; None is not known."""

    active: bool | None = None
    filters: Filters | None = None
    exists: bool = True


class FlagStep(msgspec.Struct, frozen=True):
    """A flag before and after one change."""

    before: ServedState
    after: ServedState

    @property
    def is_still(self) -> bool:
        """Return whether the change moved nothing that decides who gets the flag."""
        return self.before == self.after

    @property
    def is_half_known(self) -> bool:
        """Return whether the whole flag, as it is now, may supply what the log lacks."""
        return not self.is_still and self.shares is None

    @property
    def shares(self) -> dict[str, tuple[ConditionQuery, float, float]] | None:
        """Return each counted condition with its share before and after; None while a part is not known."""
        sides = [_served_queries(self.before), _served_queries(self.after)]
        shares: dict[str, tuple[ConditionQuery, float, float]] = {}
        for place, served in enumerate(sides):
            if served is None:
                return None
            for query in served:
                _, old, new = shares.get(query.identity, (query, 0.0, 0.0))
                share = max(query.share, (old, new)[place])
                shares[query.identity] = (query, share, new) if place == 0 else (query, old, share)
        return shares

    def count(self, counts: Mapping[str, BlastRadius]) -> UserChange | None:
        """Return the users that these counts give; None while one is missing."""
        if self.is_still:
            return UserChange()
        shares = self.shares
        if shares is None:
            return None
        moved = {id: each for id, each in shares.items() if each[1] != each[2]}
        if not moved.keys() <= counts.keys():
            return None
        units = {query.group_type for query, _, _ in moved.values()}
        if len(units) > 1:
            return None
        gained = sum(counts[id].at(new - old) for id, (_, old, new) in moved.items() if new > old)
        lost = sum(counts[id].at(old - new) for id, (_, old, new) in moved.items() if old > new)
        total = max((counts[id].total for id in moved), default=0)
        return UserChange(
            min(gained, total),
            min(lost, total),
            total,
            is_bound=len(shares) > 1 or self._is_decided_before,
            unit="users" if units <= {None} else "groups",
        )

    @property
    def _is_decided_before(self) -> bool:
        return any(side.filters and side.filters.is_decided_before for side in (self.before, self.after))

    def missing(self, counts: Mapping[str, BlastRadius]) -> list[ConditionQuery]:
        """Return the conditions to count; none where they cannot be counted, or are too many."""
        moved = [query for query, old, new in (self.shares or {}).values() if old != new]
        if len(moved) > MOST_CONDITIONS or not all(query.is_countable for query in moved):
            return []
        return [query for query in moved if query.identity not in counts]


def _served_queries(state: ServedState) -> list[ConditionQuery] | None:
    if not state.exists or state.active is False:
        return []
    if state.active is None or state.filters is None or not state.filters.is_editable:
        return None
    return [*deciding_conditions(state.filters)]


CurrentFlag = Callable[[int, int | None], ServedState | None]
"""Returns a flag as it is now, by id and version; None where it, or that version, is not known."""


def steps_of(rows: Sequence[ChangeRow], current: CurrentFlag) -> dict[str, FlagStep]:
    """Return each change of a flag with the flag before and after it, by the id of its entry.

    `rows` are all changes since the oldest of them. What an entry does not log is what a later one changed,
    and otherwise what the flag is now.
    """
    after: dict[int, ServedState] = {}
    steps: dict[str, FlagStep] = {}
    for row in sorted((row for row in rows if row.flag_id is not None), key=lambda row: -row.place):
        id = row.flag_id or 0
        if id not in after:
            after[id] = current(id, row.version) or ServedState()
        steps[row.id] = step = _step(row, after[id])
        after[id] = step.before
    return steps


def _step(row: ChangeRow, later: ServedState) -> FlagStep:
    """Return the change; the flag after it is as a later change has it, as far as this one logs nothing."""
    active, filters, exists = later.active, later.filters, later.exists
    was_active, was_filters, did_exist = active, filters, exists
    for change in row.entry.changes:
        if change.field == "active":
            active, was_active = as_switch(change.after), as_switch(change.before)
        elif change.field == "filters":
            filters, was_filters = Filters.of(change.after), Filters.of(change.before)
    for kind in row.kinds:
        if kind in ("created", "restored"):
            exists, did_exist = True, False
        elif kind == "deleted":
            exists, did_exist = False, True
    return FlagStep(ServedState(was_active, was_filters, did_exist), ServedState(active, filters, exists))


def state_of(row: FlagRow, filters: Filters | None = None) -> ServedState:
    """Return the flag of a row; `filters` are known once the whole flag is read."""
    return ServedState(row.active and not row.archived, filters, not row.deleted)

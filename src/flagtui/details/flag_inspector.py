"""Load the details of flags for the preview and the page, and cache them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.suggestions import PropertySuggestions
from flagtui.models.condition_queries import OPTED_IN, TOO_LONG, ConditionQuery, deciding_conditions
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Counted, CountedReach, FlagDetails
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.changes.sets.change_set import StagedChange

KEPT: Final = 200
FEW: Final = 6
"""The most conditions counted at a time, and automatically; each is a request."""
COUNTED: Final = 200
"""The most conditions counted of one flag: servers allow 480 requests a minute."""


DetailT = TypeVar("DetailT")


class Inspector:
    """Loads the details of flags and caches them until the flag's version changes or they expire."""

    def __init__(
        self,
        client: Client,
        staged: Callable[[int], StagedChange | None] = lambda _id: None,
        learn_row: Callable[[FlagRow], object] = lambda _row: None,
    ) -> None:
        """`staged` returns the staged change of a flag, with which its details are shown.

        `learn_row` is called with the row of each flag that was read.
        """
        self._client = client
        self._staged = staged
        self._learn_row = learn_row
        self._kept: OrderedDict[int, tuple[FlagDetails, StagedChange | None]] = OrderedDict()
        self._outdated: set[int] = set()
        """Ids of the flags whose cached details are shown until they have been read again."""
        self.expirations = 0
        """A number that changes when details have to be read again."""
        self.cohorts = ProjectCohorts(client)
        self.definitions = LocalDefinitions(client, self.cohorts)
        self.suggestions = PropertySuggestions(client, self.definitions)

    def cached_details(self, row: FlagRow) -> FlagDetails:
        """Return the cached details of the row's version and staged change, without a request."""
        details, staged = self._kept.get(row.id, (None, None))
        if details is None or not row.has_version_of(details.row) or staged != self._staged(row.id):
            return FlagDetails(row)
        return replace(details, row=row)

    def expire(self, ids: Iterable[int] | None = None) -> None:
        """Have the details of these flags, or of all, read again.

        Experiments, dependents, schedules and the reach change without the version of the flag.
        """
        outdated = {*(self._kept if ids is None else ids)}
        self.expirations += bool(outdated)
        self._outdated |= outdated

    async def load(self, row: FlagRow) -> AsyncIterator[FlagDetails]:
        """Yield the details as they arrive. Errors become `trouble`."""
        details = self.cached_details(row)
        is_whole = details.reach is not None and details.changes is not None and not details.has_failed
        if is_whole and row.id not in self._outdated:
            yield details
            return
        failed_before, change = self._client.link.failed_reads, self._staged(row.id)
        try:
            flag = await self._client.flags.get(row.id)
        except ApiError as error:
            yield replace(details, trouble=error.what)
            return
        self._outdated.discard(row.id)
        self.cohorts.learn_names(flag)
        read = flag.row()
        if change is not None:
            # Loaded here: without staged changes, no page needs it.
            from flagtui.details.staged_details import flag_as_staged

            staged, flag = await flag_as_staged(flag, change)
            details = replace(details, staged=staged)
        details = replace(details, flag=flag, row=row if read.has_version_of(row) else flag.row())
        yield details
        self._learn_row(read)
        (dependents, no_dependents), (page, no_changes), reach, _ = await asyncio.gather(
            _try_request(lambda: self._client.flags.dependents(row.id)),
            _try_request(lambda: self._client.flags.activity(row.id, limit=8)),
            self._reach(flag),
            self._name_groups(flag),
        )
        details = replace(
            details,
            changes=page.entries if page is not None else details.changes or (),
            no_changes=no_changes,
            reach=reach,
            no_dependents=no_dependents,
            has_failed=self._client.link.failed_reads > failed_before,
        )
        if dependents is not None:
            details = replace(details, dependents=tuple(dependent.key for dependent in dependents))
        self._keep(details, change)
        yield details

    async def _name_groups(self, flag: Flag) -> None:
        """Load the definitions if the flag's conditions need the names of group types."""
        if flag.targeting.names_groups and not self.definitions.is_read:
            await self.definitions.read()

    def _keep(self, details: FlagDetails, change: StagedChange | None) -> None:
        self._kept[details.row.id] = details, change
        self._kept.move_to_end(details.row.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    async def load_all(self, row: FlagRow) -> AsyncIterator[FlagDetails]:
        """Yield the details with status and schedule, which only the flag's page shows."""
        details, change = self.cached_details(row), self._staged(row.id)
        is_outdated = row.id in self._outdated
        async for details in self.load(row):
            yield details
        if details.flag is None:
            return
        if is_outdated or not details.status or details.schedule is None:
            scheduled = {"model_name": "FeatureFlag", "record_id": str(row.id)}
            (status, no_status), (schedule, no_schedule) = await asyncio.gather(
                _try_request(lambda: self._client.flags.status(row.id)),
                _try_request(lambda: self._client.schedule.all(scheduled)),
            )
            details = replace(
                details,
                status=status,
                no_status=no_status,
                schedule=schedule if schedule is not None else details.schedule,
                no_schedule=no_schedule,
            )
            self._keep(details, change)
            yield details
        if details.flag is not None and details.reach is not None and details.reach.uncounted:
            async for reach in self._counting(details.flag, Urgency.BACKGROUND):
                details = replace(details, reach=reach)
                self._keep(details, change)
                yield details

    async def _reach(self, flag: Flag) -> CountedReach:
        """Return the reach for the preview; many conditions are counted only on the flag's page."""
        if not flag.targeting.is_editable:
            return CountedReach(reason="not counted for rules")
        many = len(flag.targeting.deciding)
        if many > COUNTED:
            return CountedReach(reason=f"{many:,} conditions are too many to count")
        if not all(each.is_countable for each in deciding_conditions(flag.targeting)):
            return CountedReach(reason=TOO_LONG)
        if many > FEW:
            return CountedReach(reason=f"{many} conditions, counted when it is opened", uncounted=many)
        return [reach async for reach in self._counting(flag, Urgency.PERSON)][-1]

    async def _counting(self, flag: Flag, urgency: Urgency) -> AsyncIterator[CountedReach]:
        """Count the conditions on the server, a few at a time; identical properties are counted once."""
        waiting = [*deciding_conditions(flag.targeting)]
        opted_in = f"plus {OPTED_IN}" if flag.targeting.feature_enrollment else ""
        counts: dict[str, BlastRadius] = {}
        parts: list[Counted] = []
        if not waiting:
            yield CountedReach(reason=_without_conditions(flag))
        while waiting:
            few, waiting = waiting[:FEW], waiting[FEW:]
            new = {each.identity: each for each in few if each.identity not in counts}
            try:
                answers = await asyncio.gather(*(self.count(each, urgency) for each in new.values()))
            except ApiError as error:
                yield CountedReach(reason=error.what, parts=tuple(parts))
                return
            counts |= dict(zip(new, answers, strict=True))
            parts += [count_of(each, counts[each.identity]) for each in few]
            reach = reach_of(tuple(parts), len(waiting))
            is_bound = reach.is_bound or flag.targeting.is_decided_before
            yield replace(reach, is_bound=is_bound, opted_in=opted_in)

    async def count(self, query: ConditionQuery, urgency: Urgency) -> BlastRadius:
        """Count the users or groups that match a condition."""
        condition = dict(query.condition.raw)
        return await self._client.flags.blast_radius(condition, query.group_type, urgency=urgency)


async def _try_request(ask: Callable[[], Awaitable[DetailT]]) -> tuple[DetailT | None, str]:
    """Return the response; on an error None and its message.

    `ask` is called only once this runs: a cancellation before that leaves no request without a reader.
    """
    try:
        return await ask(), ""
    except ApiError as error:
        return None, error.what


def _without_conditions(flag: Flag) -> str:
    if flag.targeting.feature_enrollment:
        return f"{OPTED_IN}, not counted by the server"
    return f"no one: {flag.targeting.why_no_conditions}"


def count_of(query: ConditionQuery, reach: BlastRadius) -> Counted:
    unit = "users" if query.group_type is None else "groups"
    return Counted(query.number, reach.affected, query.condition.rollout, reach.total, unit)


def reach_of(parts: tuple[Counted, ...], uncounted: int = 0) -> CountedReach:
    """Return the sum of the counted conditions; none if some count groups and others users."""
    units = {part.unit for part in parts}
    if uncounted:
        words = f"{len(parts):,} of {len(parts) + uncounted:,} conditions counted so far"
        return CountedReach(reason=words, parts=parts, uncounted=uncounted)
    if len(units) > 1:
        return CountedReach(reason="some conditions count groups, others users", parts=parts)
    total = max((part.total for part in parts), default=0)
    affected = min(total, sum(part.reached for part in parts))
    return CountedReach(
        affected, total, is_bound=len(parts) > 1, parts=parts, unit=units.pop() if units else "users"
    )

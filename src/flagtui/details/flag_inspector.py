"""Everything about one flag for the pane beside the list: asked for when the cursor rests, then kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Final, TypeVar

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.details.local_definitions import Cohorts, LocalDefinitions
from flagtui.models.activity import Activity
from flagtui.models.filters import OPTED_IN, Asked, asked_of
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BlastRadius
from flagtui.models.flag_details import Counted, CountedReach, FlagDetails, Names
from flagtui.models.rows import FlagRow

KEPT: Final = 200
FEW: Final = 6
"""Conditions counted on the server at a time, and without being asked to; each is a request."""
COUNTED: Final = 200
"""Conditions of one flag that are counted at most: servers allow 480 requests a minute."""


Answer = TypeVar("Answer")


class Inspector:
    """Asks the server about single flags; an answer is kept until the flag's version moves on."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._kept: OrderedDict[int, FlagDetails] = OrderedDict()
        self.cohorts = Cohorts(client)
        self.definitions = LocalDefinitions(client, self.cohorts)

    @property
    def names(self) -> Names:
        """What groups and cohorts are called, as far as it was read."""
        return Names(
            groups=self.definitions.group_names,
            cohorts=self.cohorts.names,
            matching_version=self.definitions.matching_version,
        )

    def known(self, row: FlagRow) -> FlagDetails:
        """What is known without asking, for the row as it is now."""
        details = self._kept.get(row.id)
        if details is None or details.row.version != row.version or details.row.updated_at != row.updated_at:
            return FlagDetails(row, names=self.names)
        return replace(details, row=row, names=self.names)

    async def look(self, row: FlagRow) -> AsyncIterator[FlagDetails]:
        """The flag as more and more of it arrives. Errors become words: the list itself is fine."""
        details = self.known(row)
        if details.reach is not None and details.changes is not None:
            yield details
            return
        try:
            flag = await self._client.flags.get(row.id)
        except ApiError as error:
            yield replace(details, trouble=error.what)
            return
        self.cohorts.hear(flag)
        details = replace(details, flag=flag)
        yield details
        (dependents, no_dependents), changes, reach, _ = await asyncio.gather(
            _try_to_ask(lambda: self._client.flags.dependents(row.id)),
            self._changes(row),
            self._reach(flag),
            self._name_groups(flag),
        )
        details = replace(
            details, changes=changes, reach=reach, names=self.names, no_dependents=no_dependents
        )
        if dependents is not None:
            details = replace(details, dependents=tuple(dependent.key for dependent in dependents))
        self._keep(details)
        yield details

    async def _name_groups(self, flag: Flag) -> None:
        """Reads the definitions once a flag needs them: only they name group types."""
        if names_groups(flag) and not self.definitions.is_read:
            await self.definitions.read()

    def _keep(self, details: FlagDetails) -> None:
        self._kept[details.row.id] = details
        self._kept.move_to_end(details.row.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    async def look_closer(self, row: FlagRow) -> AsyncIterator[FlagDetails]:
        """The same, and what only the flag's own screen shows: status and schedule."""
        details = self.known(row)
        async for details in self.look(row):
            yield details
        if details.flag is None:
            return
        if not details.status or details.schedule is None:
            scheduled = {"model_name": "FeatureFlag", "record_id": str(row.id)}
            (status, no_status), (schedule, no_schedule) = await asyncio.gather(
                _try_to_ask(lambda: self._client.flags.status(row.id)),
                _try_to_ask(lambda: self._client.schedule.all(scheduled)),
            )
            details = replace(
                details, status=status, no_status=no_status, schedule=schedule, no_schedule=no_schedule
            )
            self._keep(details)
            yield details
        if details.flag is not None and details.reach is not None and details.reach.uncounted:
            async for reach in self._counting(details.flag, Urgency.BACKGROUND):
                details = replace(details, reach=reach)
                self._keep(details)
                yield details

    async def _changes(self, row: FlagRow) -> tuple[Activity, ...]:
        page, _ = await _try_to_ask(lambda: self._client.flags.activity(row.id, limit=8))
        return page.entries if page is not None else ()

    async def _reach(self, flag: Flag) -> CountedReach:
        """The reach for the preview; a flag with many conditions is counted only when it is opened."""
        if not flag.targeting.is_editable:
            return CountedReach(reason="its rules are of a newer kind")
        many = len(flag.targeting.deciding)
        if many > COUNTED:
            return CountedReach(reason=f"{many:,} conditions are too many to count")
        if many > FEW:
            return CountedReach(reason=f"{many} conditions, counted when it is opened", uncounted=many)
        return [found async for found in self._counting(flag, Urgency.PERSON)][-1]

    async def _counting(self, flag: Flag, urgency: Urgency) -> AsyncIterator[CountedReach]:
        """Every condition counted on the server, a few at a time; the same properties are counted once."""
        waiting = [*asked_of(flag.targeting)]
        counted: dict[str, BlastRadius] = {}
        parts: list[Counted] = []
        if not waiting:
            yield CountedReach(reason=_without_conditions(flag))
        while waiting:
            few, waiting = waiting[:FEW], waiting[FEW:]
            new = {one.identity: one for one in few if one.identity not in counted}
            try:
                answers = await asyncio.gather(*(self._count(one, urgency) for one in new.values()))
            except ApiError as error:
                yield CountedReach(reason=error.what, parts=tuple(parts))
                return
            counted |= dict(zip(new, answers, strict=True))
            parts += [_part(one, counted[one.identity]) for one in few]
            yield replace(reach_of(tuple(parts), len(waiting)), besides=_besides(flag))

    async def _count(self, asked: Asked, urgency: Urgency) -> BlastRadius:
        condition = dict(asked.condition.raw)
        return await self._client.flags.blast_radius(condition, asked.group_type, urgency=urgency)


async def _try_to_ask(ask: Callable[[], Awaitable[Answer]]) -> tuple[Answer | None, str]:
    """Return what the server answers; None, and why, where it does not.

    It is asked once this begins: where this is cancelled before, no request is left without a reader.
    """
    try:
        return await ask(), ""
    except ApiError as error:
        return None, error.what


def _without_conditions(flag: Flag) -> str:
    if flag.targeting.feature_enrollment:
        return f"{OPTED_IN}, whom the server does not count"
    return f"nobody: {flag.targeting.why_no_conditions}"


def _besides(flag: Flag) -> str:
    return f"besides {OPTED_IN}" if flag.targeting.feature_enrollment else ""


def _part(asked: Asked, found: BlastRadius) -> Counted:
    unit = "users" if asked.group_type is None else "groups"
    return Counted(asked.number, found.affected, asked.condition.rollout, found.total, unit)


def names_groups(flag: Flag) -> bool:
    """Whether the conditions in words need the names of group types."""
    targeting = flag.targeting
    return any(targeting.group_type_of(condition) is not None for condition in targeting.conditions)


def reach_of(parts: tuple[Counted, ...], uncounted: int = 0) -> CountedReach:
    """The sum of what was counted; conditions that count different things have none."""
    units = {part.unit for part in parts}
    if uncounted:
        words = f"{len(parts)} of {len(parts) + uncounted} conditions counted so far"
        return CountedReach(reason=words, parts=parts, uncounted=uncounted)
    if len(units) > 1:
        return CountedReach(reason="some conditions count groups, others users", parts=parts)
    total = max((part.total for part in parts), default=0)
    affected = min(total, sum(part.reached for part in parts))
    return CountedReach(
        affected, total, is_bound=len(parts) > 1, parts=parts, unit=units.pop() if units else "users"
    )

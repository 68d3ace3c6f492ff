"""The cohorts of a project by name: heard in passing, and asked for where a name is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import ApiError

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.models.activity import Activity
    from flagtui.models.flag import Flag
    from flagtui.models.flag_answers import Cohort

USABLE: Final = {"hide_behavioral_cohorts": True}
"""Conditions cannot ask for cohorts that go by events."""


class Cohorts:
    """Those conditions can ask for. `names` holds what is known so far, by number."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._is_asked = False
        self.names: dict[int, str] = {}

    async def all(self) -> tuple[Cohort, ...]:
        """As the server lists them now. Raises ApiError: not every key may list them."""
        self._is_asked = True
        try:
            found = await self._client.cohorts.all(USABLE)
        except asyncio.CancelledError:
            # The caller was cancelled; the next one has to ask again.
            self._is_asked = False
            raise
        self.names |= {one.id: one.name for one in found if one.name}
        return found

    async def learn(self) -> None:
        """Their names, asked for once; without them conditions go by number."""
        if not self._is_asked:
            try:
                await self.all()
            except ApiError:
                return

    async def learn_those_in(self, entries: Iterable[Activity]) -> bool:
        """Their names where entries of a log ask for cohorts nobody named yet; whether there are new ones."""
        if self._is_asked:
            return False
        from flagtui.models.filters import Filters

        asked = {
            cohort
            for entry in entries
            for change in entry.changes
            if change.field == "filters"
            for side in (change.before, change.after)
            for cohort in Filters.of(side).cohorts
        }
        if asked <= self.names.keys():
            return False
        await self.learn()
        return True

    def hear(self, flag: Flag) -> None:
        """A flag that is read by itself names the cohorts its conditions ask for."""
        for condition in flag.targeting.conditions:
            for item in condition.properties:
                if item.cohort_id is not None and item.label:
                    self.names[item.cohort_id] = item.label

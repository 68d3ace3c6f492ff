"""Everything needed to evaluate flags here, as the server hands it out: read when asked for, then kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.models.activity import Activity
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import Cohort, LocalEvaluation


class LocalDefinitions:
    """The document of one project. `trouble` says why there is none, or why it is not the newest."""

    def __init__(self, client: Client, cohorts: Cohorts) -> None:
        self._client = client
        self.cohorts = cohorts
        self._turn = asyncio.Lock()
        self._time_zone = ""
        self.document: LocalEvaluation | None = None
        self.trouble: ApiError | None = None

    @property
    def is_read(self) -> bool:
        """Whether the server was asked already, with whatever success."""
        return self.document is not None or self.trouble is not None

    @property
    def group_names(self) -> Mapping[int, str]:
        """Group types by index; empty while nobody asked."""
        found = self.document.group_type_mapping if self.document else {}
        return {int(index): name for index, name in found.items() if index.isascii() and index.isdigit()}

    @property
    def matching_version(self) -> int:
        """How values are compared with true and false, as far as the document says it."""
        return 2 if self.document and self.document.raw.get("property_matching_version") == 2 else 1

    async def read(self) -> LocalEvaluation | None:
        """The newest document; one that did not change is not sent again."""
        async with self._turn:
            try:
                found = await self._client.evaluation.local_evaluation(
                    etag=self.document.etag if self.document else ""
                )
            except ApiError as error:
                self.trouble = error
                return self.document
            self.trouble = None
            self.document = found or self.document
            return self.document

    async def zone(self) -> str:
        """The project's time zone, asked for once; UTC for a key that may not read its project."""
        if not self._time_zone:
            try:
                self._time_zone = (await self._client.projects.get(self._client.project)).timezone
            except ApiError:
                self._time_zone = "UTC"
        return self._time_zone


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
        for item in flag.targeting.properties:
            if item.cohort_id is not None and item.label:
                self.names[item.cohort_id] = item.label

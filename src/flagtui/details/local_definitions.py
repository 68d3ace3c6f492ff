"""Load the definitions for local evaluation, on demand, and cache them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.models.activity import Activity
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.flag_responses import Cohort, LocalEvaluation


def names_in(document: LocalEvaluation, cohorts: Mapping[int, str] = NO_NAMES.cohorts) -> Names:
    """Return the names of group types beside those of cohorts, and how values are compared."""
    types = document.group_type_mapping.items()
    groups = {int(index): name for index, name in types if index.isascii() and index.isdigit()}
    is_newer = document.raw.get("property_matching_version") == 2
    return Names(groups=groups, cohorts=cohorts, matching_version=2 if is_newer else 1)


class LocalDefinitions:
    """The definitions of one project. `trouble` is the error if they are missing or stale."""

    def __init__(self, client: Client, cohorts: ProjectCohorts) -> None:
        self._client = client
        self.cohorts = cohorts
        self._turn = asyncio.Lock()
        self._time_zone = ""
        self.document: LocalEvaluation | None = None
        self.trouble: ApiError | None = None

    @property
    def is_read(self) -> bool:
        """Whether the definitions were requested, successfully or not."""
        return self.document is not None or self.trouble is not None

    @property
    def names(self) -> Names:
        """The names of group types and cohorts loaded so far; without a document, values compare as in 1."""
        if self.document is None:
            return Names(cohorts=self.cohorts.names)
        return names_in(self.document, self.cohorts.names)

    async def read(self) -> LocalEvaluation | None:
        """Return the current document; an unchanged one is not sent again (ETag)."""
        async with self._turn:
            try:
                document = await self._client.evaluation.local_evaluation(
                    etag=self.document.etag if self.document else ""
                )
            except ApiError as error:
                self.trouble = error
                return self.document
            self.trouble = None
            self.document = document or self.document
            return self.document

    async def zone(self) -> str:
        """Return the project's time zone, cached; UTC if the key cannot read the project."""
        if not self._time_zone:
            try:
                self._time_zone = (await self._client.projects.get(self._client.project)).timezone
            except ApiError:
                self._time_zone = "UTC"
        return self._time_zone


USABLE: Final = {"hide_behavioral_cohorts": True}
"""Conditions cannot use behavioural cohorts."""


class ProjectCohorts:
    """The cohorts that conditions can use. `names` has the names loaded so far, by id."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._is_requested = False
        self.names: dict[int, str] = {}

    async def all(self) -> tuple[Cohort, ...]:
        """Return the cohorts that the server lists.

        Raises:
            ApiError: The key may not list cohorts, or the request fails.
        """
        self._is_requested = True
        try:
            cohorts = await self._client.cohorts.all(USABLE)
        except asyncio.CancelledError:
            # The next caller has to send the request again.
            self._is_requested = False
            raise
        self.names |= {cohort.id: cohort.name for cohort in cohorts if cohort.name}
        return cohorts

    async def learn(self) -> None:
        """Load the names once; without them, conditions show numbers."""
        if not self._is_requested:
            try:
                await self.all()
            except ApiError:
                return

    async def learn_those_in(self, entries: Iterable[Activity]) -> bool:
        """Load the names if log entries have unnamed cohorts, and return whether names were loaded."""
        if self._is_requested:
            return False
        cohorts = {
            cohort
            for entry in entries
            for change in entry.changes
            if change.field == "filters"
            for side in (change.before, change.after)
            for cohort in Filters.of(side).cohorts
        }
        if cohorts <= self.names.keys():
            return False
        await self.learn()
        return True

    def learn_names(self, flag: Flag) -> None:
        """Store the cohort names that a flag read on its own includes."""
        for item in flag.targeting.properties:
            if item.cohort_id is not None and item.label:
                self.names[item.cohort_id] = item.label

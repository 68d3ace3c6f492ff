"""Everything needed to evaluate flags here, as the server hands it out: read when asked for, then kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from flagtui.api.errors import ApiError
from flagtui.models.json_value import JSON, as_dict, as_id, as_list

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.evaluate.definitions import Definitions
    from flagtui.models.activity import Activity
    from flagtui.models.flag import Flag
    from flagtui.models.flag_answers import Cohort, LocalEvaluation


class LocalDefinitions:
    """The document of one project. `trouble` says why there is none, or why it is not the newest."""

    def __init__(self, client: Client, cohorts: Cohorts) -> None:
        self._client = client
        self._cohorts = cohorts
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

    async def definitions(self, also: Sequence[Mapping[str, JSON]] = ()) -> Definitions | None:
        """What the evaluator works with, with these flags as they were read; None without a document."""
        from flagtui.evaluate.definitions import Definitions

        document, time_zone = await asyncio.gather(self.read(), self._zone())
        if document is None:
            return Definitions.of([dict(raw) for raw in also], time_zone=time_zone) if also else None
        if document.cohorts:
            await self._cohorts.learn()
        names = dict(self._cohorts.names)
        return await asyncio.to_thread(_definitions, document.raw, also, names, time_zone)

    async def _zone(self) -> str:
        """The project's time zone, asked for once; UTC for a key that may not read its project."""
        if not self._time_zone:
            try:
                self._time_zone = (await self._client.projects.get(self._client.project)).timezone
            except ApiError:
                self._time_zone = "UTC"
        return self._time_zone


def _definitions(
    raw: Mapping[str, Any], also: Sequence[Mapping[str, JSON]], names: Mapping[int, str], time_zone: str
) -> Definitions:
    from flagtui.evaluate.definitions import Definitions

    flags = [flag for flag in raw.get("flags") or () if isinstance(flag, dict)]
    # Read on their own they are newer, and name cohorts as people do.
    newer = {flag.get("key"): dict(flag) for flag in also}
    kept = [with_cohort_names(flag, names) for flag in flags if flag.get("key") not in newer]
    return Definitions.of_document({**raw, "flags": [*kept, *newer.values()]}, time_zone=time_zone)


def with_cohort_names(flag: dict[str, JSON], names: Mapping[int, str]) -> dict[str, JSON]:
    """The flag with the names of the cohorts it asks for, as a flag read by itself has them."""
    filters = as_dict(flag.get("filters"))
    groups = as_list(filters.get("groups"))
    if not names or not any(_asks_for_cohort(group) for group in groups):
        return flag
    named = [_named(group, names) if _asks_for_cohort(group) else group for group in groups]
    return {**flag, "filters": {**filters, "groups": named}}


def _asks_for_cohort(group: JSON) -> bool:
    return any(as_dict(item).get("type") == "cohort" for item in as_list(as_dict(group).get("properties")))


def _named(group: JSON, names: Mapping[int, str]) -> JSON:
    def named(item: JSON) -> JSON:
        known = names.get(as_id(as_dict(item).get("value")) or 0)
        is_nameless = known is not None and as_dict(item).get("type") == "cohort"
        return {**item, "cohort_name": known} if is_nameless else item

    return {**group, "properties": [named(item) for item in group["properties"]]}


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

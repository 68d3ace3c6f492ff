"""Small records that are simply kept: holdouts, shared metrics, scheduled changes, cohorts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from flagtui.api.request import Answer, Query
from flagtui.api.resource import Resource
from flagtui.models.cohort import Cohort
from flagtui.models.experiment import Holdout, SavedMetric
from flagtui.models.json_value import JSON, as_list
from flagtui.models.scheduled_change import ScheduledChange

Kept = TypeVar("Kept", Holdout, SavedMetric, ScheduledChange, Cohort)


@dataclass(frozen=True, eq=False)
class ListedRecords(Resource, Generic[Kept]):
    """Looked at as a whole."""

    family: str
    """The first half of the operations' names."""
    kind: type[Kept]

    async def all(self, filters: Query | None = None) -> tuple[Kept, ...]:
        """Every one of them."""
        found: dict[int, Kept] = {}
        while True:
            query = {"limit": 100, "offset": len(found) or None, **(filters or {})}
            page = (await self._ask(f"{self.family}.list", query=query)).record("results")
            known = len(found)
            for item in as_list(page.get("results")):
                if isinstance(item, dict):
                    record = self.kind.of(item)
                    found[record.id] = record
            if not page.get("next") or len(found) == known:
                return tuple(found.values())


@dataclass(frozen=True, eq=False)
class KeptRecords(ListedRecords[Kept]):
    """Make, read, change and really delete; each write is sent once."""

    async def get(self, id: int) -> Kept:
        """One of them."""
        return self._read(await self._ask(f"{self.family}.get", {"id": id}), id)

    async def create(self, body: Mapping[str, JSON]) -> Kept:
        """A new one."""
        return self._read(await self._ask(f"{self.family}.create", body=dict(body)))

    async def update(self, id: int, changes: Mapping[str, JSON]) -> Kept:
        """Changes just these fields."""
        return self._read(await self._ask(f"{self.family}.update", {"id": id}, body=dict(changes)), id)

    async def delete(self, id: int) -> None:
        """Deletes it for good."""
        (await self._ask(f"{self.family}.delete", {"id": id})).expect_nothing()

    def _read(self, answer: Answer, id: int | None = None) -> Kept:
        record = self.kind.of(answer.record("id"))
        if record.id <= 0 or (id is not None and record.id != id):
            raise answer.unreadable("it is not the record that was asked for")
        return record

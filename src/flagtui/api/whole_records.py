"""Whole records as typed models: read and changed one at a time, small ones listed as a whole."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar

from flagtui.api.capabilities import NOT_HERE, one_by_one, retagged
from flagtui.api.clock import Urgency
from flagtui.api.request import Answer, Query
from flagtui.api.resource import Resource
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment, Holdout, SavedMetric
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BulkTags, Cohort, ScheduledChange
from flagtui.models.json_value import JSON, as_id
from flagtui.models.record import Record

Kind = TypeVar("Kind", Flag, Experiment, EventDefinition, Holdout, SavedMetric, ScheduledChange, Cohort)
Number = TypeVar("Number", int, str)

HEAVY: Final = 128 * 1024
"""Bytes from which a record is read in a thread: keys go on being heard meanwhile."""
_KNOWN_BY: Final[Mapping[type[Record], tuple[str, str]]] = {
    Flag: ("flag", "key"),
    Experiment: ("experiment", "name"),
    EventDefinition: ("event definition", "name"),
}
"""What a record is called, and what it always has beside its id."""


@dataclass(frozen=True, eq=False)
class Records(Resource, Generic[Kind]):
    """Operations that answer with records of one kind."""

    family: ClassVar[str]
    """The first half of the operations' names."""
    kind: ClassVar[type[Any]]

    def _read(self, answer: Answer, id: int | str | None = None) -> Kind:
        record: Kind = read_record(answer, self.kind, id)
        return record


class WholeRecords(Records[Kind]):
    """Records read and written one at a time; each write is sent once."""

    async def get(self, id: int | str, *, urgency: Urgency = Urgency.PERSON) -> Kind:
        """The whole record, also one that is archived or deleted."""
        return await self._whole("get", id, urgency=urgency)

    async def _whole(
        self, word: str, id: int | str, body: JSON = None, *, urgency: Urgency = Urgency.PERSON
    ) -> Kind:
        """An operation on one record, which answers with the whole of it."""
        answer = await self._ask(f"{self.family}.{word}", {"id": id}, body=body, urgency=urgency)
        if len(answer.body) > HEAVY:
            return await asyncio.to_thread(self._read_heavy, answer, id)
        return self._read(answer, id)

    def _read_heavy(self, answer: Answer, id: int | str) -> Kind:
        """The record with the views of it that are kept: whoever draws it need not make them."""
        record = self._read(answer, id)
        if isinstance(record, Flag):
            record.row()
        return record

    async def _patch(self, id: int | str, changes: Mapping[str, JSON]) -> Kind:
        return await self._whole("update", id, dict(changes))

    async def _retag_together(self, ids: Sequence[Number], action: str, tags: Sequence[str]) -> BulkTags:
        """`action` is add, remove or set. One by one on servers that cannot do it together."""

        async def retag(id: Number) -> Any:
            record: Any = await self.get(id)
            return await self._patch(id, {"tags": retagged(record.tags, action, tags)})

        body = {"ids": list(ids), "action": action, "tags": list(tags)}
        try:
            answer = await self._ask(f"{self.family}.bulk_update_tags", body=body)
            return BulkTags.of(answer.record("updated"))
        except NOT_HERE:
            changed, errors = await one_by_one(ids, retag)
            found = [{"id": record.id, "tags": list(record.tags)} for record in changed]
            return BulkTags.of({"updated": found, "skipped": errors})


class ListedRecords(Records[Kind]):
    """Small records that are looked at as a whole."""

    async def all(self, filters: Query | None = None) -> tuple[Kind, ...]:
        """Every one of them."""
        found: list[Kind] = [self.kind.of(one) async for one in self._objects(f"{self.family}.list", filters)]
        return tuple({record.id: record for record in found}.values())


class KeptRecords(WholeRecords[Kind], ListedRecords[Kind]):
    """The same to make, read, change and really delete, such as holdouts; each write is sent once."""

    async def create(self, body: Mapping[str, JSON]) -> Kind:
        """A new one."""
        return self._read(await self._ask(f"{self.family}.create", body=dict(body)))

    async def update(self, id: int, changes: Mapping[str, JSON]) -> Kind:
        """Changes just these fields."""
        return await self._patch(id, changes)

    async def delete(self, id: int) -> None:
        """Deletes it for good."""
        (await self._ask(f"{self.family}.delete", {"id": id})).expect_nothing()


class Holdouts(KeptRecords[Holdout]):
    """People kept out of experiments."""

    family, kind = "holdouts", Holdout


class SavedMetrics(KeptRecords[SavedMetric]):
    """Metrics that experiments can share."""

    family, kind = "saved_metrics", SavedMetric


class Schedule(KeptRecords[ScheduledChange]):
    """Changes that flags are due for; list one flag's with `record_id`."""

    family, kind = "schedule", ScheduledChange


class Cohorts(ListedRecords[Cohort]):
    """Groups of people that conditions can ask for; `hide_behavioral_cohorts` leaves the others out."""

    family, kind = "cohorts", Cohort


def read_record(answer: Answer, kind: type[Kind], id: int | str | None = None) -> Kind:
    """The record in an answer. Raises Unreadable when there is none, or another one than was asked for."""
    noun, *needed = _KNOWN_BY.get(kind, ("record",))
    record = kind.of(answer.record("id", *needed))
    known = record.id if isinstance(record.id, str) else as_id(record.id)
    if not known or (id is not None and known != id):
        raise answer.unreadable(f"it is not the {noun} that was asked for")
    return record

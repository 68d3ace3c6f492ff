"""Whole records as typed models: read and changed one at a time; small ones are listed whole."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from flagtui.api.clock import Urgency
from flagtui.api.errors import Unreadable
from flagtui.api.operations import NOT_HERE, edit_tags, one_by_one
from flagtui.api.request import Query, Response
from flagtui.api.resource import HEAVY, Resource, read_off_loop
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment, Holdout, SavedMetric
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BulkTags, ChangeRequest, Cohort, ScheduledChange
from flagtui.models.json_value import JSON, as_id, read_json_with_any_number
from flagtui.models.record import Record

ApiRecord = TypeVar(
    "ApiRecord",
    Flag,
    Experiment,
    EventDefinition,
    Holdout,
    SavedMetric,
    ScheduledChange,
    Cohort,
    ChangeRequest,
)
Number = TypeVar("Number", int, str)

_KNOWN_BY: Final[Mapping[type[Record], tuple[str, str]]] = {
    Flag: ("flag", "key"),
    Experiment: ("experiment", "name"),
    EventDefinition: ("event definition", "name"),
}
"""Each kind's noun, and the field it always has in addition to its id."""


class Records(Resource, Generic[ApiRecord]):
    """Operations that return records of one kind."""

    family: ClassVar[str]
    """The first half of the operations' names."""
    kind: ClassVar[type[Any]]

    def _read(self, response: Response, id: int | str | None = None) -> ApiRecord:
        """Return the record; a heavy one with conditions or variants, so that drawing it costs nothing.

        Raises `Unreadable` when it is missing or another one.
        """
        noun, *needed = _KNOWN_BY.get(self.kind, ("record",))
        record: ApiRecord = self.kind.of(response.record("id", *needed))
        record_id = record.id if isinstance(record.id, str) else as_id(record.id)
        if not record_id or (id is not None and record_id != id):
            raise response.unreadable(f"it is not the {noun} that was asked for")
        if isinstance(record, Flag) and not record.key:
            # Everything about a flag names it by its key; a strict question has it typed.
            raise response.unreadable("the flag has no key")
        if isinstance(record, Flag | Experiment) and len(response.body) > HEAVY:
            record.row()
        return record


class WholeRecords(Records[ApiRecord]):
    """Records read and written one at a time; each write is sent once."""

    async def get(self, id: int | str, *, urgency: Urgency = Urgency.PERSON) -> ApiRecord:
        """Return the whole record, also an archived or deleted one."""
        return await self._whole("get", id, urgency=urgency)

    async def _whole(
        self, word: str, id: int | str, body: JSON = None, *, urgency: Urgency = Urgency.PERSON
    ) -> ApiRecord:
        """Run an operation on one record and return the whole record."""
        response = await self._ask(f"{self.family}.{word}", {"id": id}, body=body, urgency=urgency)
        return await read_off_loop(response, lambda response: self._read(response, id))


class TaggedRecords(WholeRecords[ApiRecord]):
    """Whole records with tags."""

    async def bulk_update_tags(self, ids: Sequence[Number], action: str, tags: Sequence[str]) -> BulkTags:
        """Add, remove or set (`action`) the tags of up to 500 records; one by one without the endpoint."""

        async def retag(id: Number) -> Any:
            record: Any = await self.get(id)
            return await self._whole("update", id, {"tags": edit_tags(record.tags, action, tags)})

        try:
            return await self.edit_tags(ids, action, tags)
        except NOT_HERE:
            changed, errors = await one_by_one(ids, retag)
            updated = [{"id": record.id, "tags": list(record.tags)} for record in changed]
            return BulkTags.of({"updated": updated, "skipped": errors})

    async def edit_tags(self, ids: Sequence[Number], action: str, tags: Sequence[str]) -> BulkTags:
        """Do the same in one request; there is no fallback: see `NOT_HERE`."""
        body = {"ids": list(ids), "action": action, "tags": list(tags)}
        response = await self._ask(f"{self.family}.bulk_update_tags", body=body)
        return BulkTags.of(response.record("updated"))


class LoggedRecords(WholeRecords[ApiRecord]):
    """Whole records whose changes are in the activity."""

    async def activity(
        self, id: int | None = None, *, limit: int = 10, page: int = 1, urgency: Urgency = Urgency.PERSON
    ) -> ActivityPage:
        """Return the changes of this record, or of all flags, newest first.

        Pages count from 1, while `has_more`. Only the newest servers have that of experiments.
        """
        query = {"limit": limit, "page": page}
        word, ids = ("activity", None) if id is None else ("activity_of", {"id": id})
        response = await self._ask(f"{self.family}.{word}", ids, query=query, urgency=urgency)

        def read_page(response: Response) -> ActivityPage:
            try:
                return ActivityPage.of(response.record("results"))
            except Unreadable:
                raw = response.record("results", read=read_json_with_any_number)
                return ActivityPage.without_invalid_numbers(raw)

        return await read_off_loop(response, read_page)

    async def entries(self, id: int | None = None, *, at_most: int = 1_000) -> AsyncIterator[Activity]:
        """Yield the activity entries, each once, loading pages as needed, at most `at_most`."""
        seen: set[str] = set()
        page = 1
        while len(seen) < at_most:
            urgency = Urgency.PERSON if page == 1 else Urgency.LOADING
            batch = await self.activity(id, limit=100, page=page, urgency=urgency)
            fresh = [entry for entry in batch.entries if entry.identity not in seen]
            for entry in fresh[: at_most - len(seen)]:
                seen.add(entry.identity)
                yield entry
            if not fresh or not batch.has_more:
                return
            page += 1


class ListedRecords(Records[ApiRecord]):
    """Small records that are listed whole."""

    async def all(self, filters: Query | None = None) -> tuple[ApiRecord, ...]:
        records: list[ApiRecord] = [
            self.kind.of(item) async for item in self._objects(f"{self.family}.list", filters)
        ]
        return tuple({record.id: record for record in records}.values())


class KeptRecords(WholeRecords[ApiRecord], ListedRecords[ApiRecord]):
    """Small records that can be created, read, changed and permanently deleted; each write is sent once."""

    async def create(self, body: Mapping[str, JSON]) -> ApiRecord:
        return self._read(await self._ask(f"{self.family}.create", body=dict(body)))

    async def update(self, id: int, changes: Mapping[str, JSON]) -> ApiRecord:
        """Change only these fields."""
        return await self._whole("update", id, dict(changes))

    async def delete(self, id: int) -> None:
        """Delete the record permanently."""
        (await self._ask(f"{self.family}.delete", {"id": id})).expect_nothing()


class Holdouts(KeptRecords[Holdout]):
    """Users excluded from experiments."""

    family, kind = "holdouts", Holdout


class SavedMetrics(KeptRecords[SavedMetric]):
    """Metrics that experiments can share."""

    family, kind = "saved_metrics", SavedMetric


class Schedule(KeptRecords[ScheduledChange]):
    """Scheduled changes of flags; `record_id` lists those of one flag."""

    family, kind = "schedule", ScheduledChange


class ChangeRequests(WholeRecords[ChangeRequest]):
    """Changes that wait, or waited, for approval."""

    family, kind = "change_requests", ChangeRequest


class Cohorts(ListedRecords[Cohort]):
    """Groups of users that conditions can name; `hide_behavioral_cohorts` excludes those computed from
    events.
    """

    family, kind = "cohorts", Cohort

"""Records with the values of a change set: what later changes are planned on, and what users are served."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_plan import stored_event_value
from flagtui.changes.flags.flag_plan import stored_value
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.journal_entries import restore_payloads
from flagtui.changes.planner import PlanContext, PlannedRecord
from flagtui.changes.sets.change_set import ChangeSet, StagedChange, outdated_error
from flagtui.changes.sets.plan_changes import experiment_value
from flagtui.evaluate import wire
from flagtui.models.account import User
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.filters import Filters, flags_needed
from flagtui.models.flag import Flag
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON, as_dict, as_id, as_text
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow
from flagtui.store.kinds import EXPERIMENTS, FLAGS, KINDS

_IN_ROWS: Final = frozenset(("key", "name", "active", "archived"))


def values_on(flag: Flag, change: StagedChange) -> dict[str, JSON]:
    """Return the new values, with the masked payloads of an encrypted flag as the server sent them."""
    return restore_payloads(change.values, flag.filters) if is_masked(flag, change) else dict(change.values)


def base_on(flag: Flag, change: StagedChange) -> dict[str, JSON]:
    """Return the values that the change is based on, in the same form."""
    return restore_payloads(change.base, flag.filters) if is_masked(flag, change) else dict(change.base)


def is_masked(flag: Flag, change: StagedChange) -> bool:
    """Return whether the payloads in the change are masked."""
    return flag.has_encrypted_payloads or change.values.get("has_encrypted_payloads") is True


def is_outdated(record: Flag | EventDefinition | Experiment, change: StagedChange) -> bool:
    """Return whether the record has changed since: by its version, or by the fields if it has none."""
    if isinstance(record, Flag):
        return record.version != change.version or has_moved(record, change)
    return any(not same(value_of(record, name), value) for name, value in change.base.items())


def value_of(record: EventDefinition | Experiment, name: str) -> JSON:
    """Return the current value of a field in the form in which sets store it."""
    if isinstance(record, Experiment):
        return experiment_value(record, name)
    return stored_event_value(record, name)


def has_moved(flag: Flag, change: StagedChange) -> bool:
    """Return whether a value that the change is based on is another one now."""
    base = base_on(flag, change)
    return any(not means_same(stored_value(flag, name), base[name], (name,)) for name in base)


def record_after(record: PlannedRecord, change_set: ChangeSet) -> PlannedRecord:
    """Return the record with the values of its change in the set.

    Raises ChangeSetError when it has changed since.
    """
    kinds = {Flag: FLAGS.entry, EventDefinition: EVENT, Experiment: EXPERIMENTS.entry}
    change = change_set.change_of(kinds[type(record)], record.id)
    if change is None:
        return record
    if is_outdated(record, change):
        version = getattr(record, "version", None)
        raise outdated_error(
            change, ", ".join(change.base) if version is None else f"v{change.version} → v{version}"
        )
    if isinstance(record, Experiment):
        return Experiment.of({**record.raw, **change.values})
    return flag_after(record, change) if isinstance(record, Flag) else event_after(record, change)


def flag_after(flag: Flag, change: StagedChange) -> Flag:
    """Return the flag with the values of its change."""
    return Flag.of({**flag.raw, **values_on(flag, change)})


def created_flag(change: StagedChange, place: int) -> Flag:
    """Return a flag that the set creates, to plan more changes of it; `place` is from 1, and its own."""
    blank = {name: field.blank for name, field in FLAG_FIELDS.items() if field.is_edited}
    flag = Flag.of({**blank, "active": True, **change.values})
    return flag.model_copy(update={"id": -place})


def event_after(event: EventDefinition, change: StagedChange) -> EventDefinition:
    """Return the definition with the values of its change."""
    values = dict(change.values)
    if "owner" in values:
        values["owner"] = None if values["owner"] is None else {"id": values["owner"]}
    # The server's own rules: verifying un-hides, hiding un-verifies.
    if values.get("verified") is True:
        values["hidden"] = False
    elif values.get("hidden") is True:
        values["verified"] = False
    return EventDefinition.of({**event.raw, **values})


def flags_after(
    flags: Iterable[Mapping[str, JSON]], changes: Sequence[StagedChange]
) -> list[dict[str, JSON]]:
    """Return the JSON of the flags after the set, to evaluate them.

    A deleted flag is off; the id of a new flag is its name in the set, by which others depend on it.
    """
    by_id = {change.record: change for change in changes if change.kind == FLAGS.entry}
    after = []
    for flag in flags:
        change = by_id.get(as_id(flag.get("id")) or 0)
        values = {} if change is None else values_on(Flag.of(dict(flag)), change)
        after.append({**flag, **values, **({"active": False} if values.get("deleted") is True else {})})
    new = [change for change in by_id.values() if change.is_new]
    return [*after, *({"active": True, **change.values, "id": change.record} for change in new)]


def rows_after(rows: Iterable[FlagRow], changes: Sequence[StagedChange]) -> Iterator[FlagRow]:
    """Yield the rows after the set, as far as plans read them: state, key, tags and dependencies."""
    by_id = {change.record: change.values for change in changes if change.kind == "flag"}
    for row in rows:
        values = by_id.get(row.id)
        if values is None:
            yield row
        elif values.get("deleted") is not True:
            moved: dict[str, Any] = {name: values[name] for name in values.keys() & _IN_ROWS}
            if "filters" in values:
                moved["depends_on"] = flags_needed(values["filters"])
            yield msgspec.structs.replace(row, **moved)


def row_values(values: Mapping[str, JSON]) -> dict[str, object]:
    """Return changed fields as a list shows them: with the values derived from the targeting of a flag."""
    if "filters" not in values:
        return dict(values)
    filters = Filters.of(values["filters"])
    rollout = filters.rollout if filters.is_editable else None
    derived = {"rollout": rollout, "conditional": filters.is_conditional, "depends_on": filters.depends_on}
    return {**values, **derived}


def references_in(values: Mapping[str, JSON]) -> Iterator[int | str]:
    """Yield the flags that the conditions in `filters` depend on: numbers, and names of new flags."""
    for item in wire.dependencies(values.get("filters")):
        key = item.get("key")
        number = as_id(key)
        yield as_text(key) if number is None else number


def resolve_references(values: Mapping[str, JSON], new_ids: Mapping[str, int]) -> dict[str, JSON]:
    """Return the values with numbers in place of the names of new flags. Raises KeyError without one."""
    if not any(
        isinstance(reference, str) and reference.startswith(NEW_FLAG) for reference in references_in(values)
    ):
        return dict(values)

    def resolve(item: JSON) -> JSON:
        key = as_text(as_dict(item).get("key"))
        is_new = as_dict(item).get("type") == "flag" and key.startswith(NEW_FLAG)
        return {**item, "key": str(new_ids[key])} if is_new else item

    filters = wire.map_conditions(
        values["filters"], lambda condition: wire.map_properties(condition, resolve)
    )
    return {**values, "filters": filters}


class AfterSet(PlanContext):
    """A project as it is after a set of changes, for planning more of them and the set as a whole."""

    def __init__(self, inner: PlanContext, changes: Sequence[StagedChange]) -> None:
        super().__init__(
            inner.client,
            inner.clock,
            uncounted=inner.uncounted,
            is_explained=inner.is_explained,
            may_add_flags=inner.may_add_flags,
        )
        self._inner = inner
        self._changes = changes
        self._rows: dict[bool, asyncio.Task[Sequence[FlagRow]]] = {}

    @property
    def is_current(self) -> bool:
        return False

    @cached_property
    def known_flags(self) -> Sequence[FlagRow] | None:
        rows = self._inner.known_flags
        return None if rows is None else [*rows_after(rows, self._changes)]

    def known_people(self) -> Mapping[int, str]:
        return self._inner.known_people()

    async def me(self) -> User | None:
        return await self._inner.me()

    async def names(self, *records: Mapping[str, JSON]) -> Names:
        return await self._inner.names(*records)

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        if has_archived not in self._rows:
            self._rows[has_archived] = asyncio.ensure_future(self._read_rows(has_archived))
        return await self._rows[has_archived]

    async def _read_rows(self, has_archived: bool) -> Sequence[FlagRow]:
        rows = await self._inner.all_flags(has_archived=has_archived)
        return [*rows_after(rows, self._changes)]

    async def read_flag(self, id: int) -> Flag:
        return await self._inner.read_flag(id)

    async def read_experiment(self, id: int) -> Experiment:
        return await self._inner.read_experiment(id)

    async def read_event(self, id: str) -> EventDefinition:
        return await self._inner.read_event(id)

    def name(self, kind: Any, id: int | str) -> str:
        names = {change.identity: change.key for change in self._changes}
        return names.get((KINDS[kind].entry, id)) or self._inner.name(kind, id)

    def forget(self, kind: Any, id: int | str) -> None:
        self._inner.forget(kind, id)

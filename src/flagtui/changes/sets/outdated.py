"""Staged changes whose record has changed since: by whom, and the three sides of each value that differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from flagtui.api.heavy_work import off_loop
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import MISSING, FieldConflict, merge, same
from flagtui.changes.event_definitions.definition_plan import merged_tags
from flagtui.changes.flags.flag_plan import SETS, merged_value, stored_value
from flagtui.changes.flags.flag_words import hidden_conflict
from flagtui.changes.journal_entries import moment
from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.sets.after_set import base_on, has_moved, is_masked, is_outdated, value_of, values_on
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

Record: TypeAlias = Flag | EventDefinition | Experiment


class OutdatedChange(msgspec.Struct, frozen=True):
    """A change whose record has changed since, with the three sides of the values that differ."""

    change: StagedChange
    name: str
    """The current name of the record. Raw."""
    version: int | None
    """The current version of the flag; None for a record without versions."""
    conflicts: tuple[FieldConflict, ...]
    """Values that both sides changed; empty when only other values of the record were changed."""
    is_own: bool = False
    """Whether this user made every change since, as far as the journal has them."""
    last_by: str = ""
    """Who changed the record last, as the server reports it. Raw."""
    has_values: bool = False
    """Whether the record has the values of the change already."""
    is_deleted: bool = False
    """Whether the record was deleted since, which the set does not do."""

    @property
    def is_in_effect(self) -> bool:
        """Whether the change is a no-op on the current record."""
        return self.has_values and not self.is_deleted

    @property
    def words(self) -> str:
        """`changed since (v12 → v14, last by bob@acme.test), in conflict with 1 value of this set`."""
        # A change of tags by name makes no version and names no editor.
        is_counted = self.version not in (None, self.change.version)
        versions = f"v{self.change.version} → v{self.version}" if is_counted else ""
        who = f"last by {self.last_by}" if self.last_by and (is_counted or self.version is None) else ""
        who = "by you, outside this set" if self.is_own else who
        # Servers add to the key of a deleted flag.
        is_renamed = self.name != self.change.key and not self.is_deleted
        name = f"now called {self.name}" if is_renamed else ""
        details = ", ".join(filter(None, (versions, who, name)))
        if self.is_deleted:
            return f"deleted since{f' ({details})' if details else ''}"
        if self.has_values:
            return f"changed since{f' ({details})' if details else ''} and has these values already"
        count = f"{len(self.conflicts):,}" if self.conflicts else "no"
        where = f"in conflict with {count} value{'s' * (len(self.conflicts) != 1)} of this set"
        return f"changed since{f' ({details})' if details else ''}, {where}"


class OutdatedChanges:
    """Compares the changes of a set with the current records and the journal of this user."""

    def __init__(self, change_set: ChangeSet, own: OwnChanges) -> None:
        self._begun = moment(change_set.made_at)
        self._own = own
        self._by_set = own.of_batch(change_set.id)

    def compare(self, record: Record, change: StagedChange) -> OutdatedChange | None:
        """Return the change as an outdated one; None while it can be applied as it is."""
        if not is_outdated(record, change) or self._is_undone(record, change):
            return None
        # Values of this user are marked.
        conflicts = self._own_of(change).mark(_conflicts(record, change))
        is_done, name = has_values(record, change), name_of(record)
        is_deleted = getattr(record, "deleted", False) is True and "deleted" not in change.values
        if not isinstance(record, Flag) or record.version is None or change.version is None:
            is_own = bool(conflicts) and all(conflict.by == "you" for conflict in conflicts)
            return OutdatedChange(change, name, None, conflicts, is_own, "", is_done, is_deleted)
        is_own = self._own_of(change).has_made_all(change.version, record.version)
        last_by = "" if record.last_modified_by is None else record.last_modified_by.label
        return OutdatedChange(change, name, record.version, conflicts, is_own, last_by, is_done, is_deleted)

    async def compare_off_loop(self, record: Record, change: StagedChange) -> OutdatedChange | None:
        """Compare them as `compare` does, a heavy record in a thread, so that keys are handled meanwhile."""
        return await off_loop(lambda: self.compare(record, change), record.raw)

    def _is_undone(self, record: Record, change: StagedChange) -> bool:
        """Return whether only this set changed the record since, and that was undone."""
        if not isinstance(record, Flag) or record.version is None or change.version is None:
            return False
        by_set = self._by_set.of_record(change.kind, change.record, change.version, self._begun)
        return by_set.has_made_all(change.version, record.version) and not has_moved(record, change)

    def _own_of(self, change: StagedChange) -> OwnChanges:
        return self._own.of_record(change.kind, change.record, change.version, self._begun)


def name_of(record: Record) -> str:
    """Return the key of a flag, the name of any other record. Raw."""
    return record.key if isinstance(record, Flag) else record.name


def _conflicts(record: Record, change: StagedChange) -> Iterator[FieldConflict]:
    if isinstance(record, Flag):
        yield from _flag_conflicts(record, change)
        return
    for name, base in change.base.items():
        now, mine = value_of(record, name), change.values[name]
        # As of flags, tags that are added or removed never conflict.
        if name != "tags" and not same(now, base) and not same(now, mine):
            yield FieldConflict((name,), base, mine, now)


def _flag_conflicts(flag: Flag, change: StagedChange) -> Iterator[FieldConflict]:
    values, base = values_on(flag, change), base_on(flag, change)
    # Additions to and removals from unordered lists never conflict.
    for name in base.keys() - SETS:
        _merged, conflicts = merge(base[name], values[name], stored_value(flag, name), (name,), means_same)
        yield from map(hidden_conflict, conflicts) if is_masked(flag, change) else conflicts


def has_values(record: Record, change: StagedChange) -> bool:
    """Return whether the record has the values of the change."""
    if not isinstance(record, Flag):
        return all(same(now, mine) for now, mine in _sides_of(record, change))
    values, base = values_on(record, change), base_on(record, change)
    for name in base:
        now = stored_value(record, name)
        merged, conflicts = merged_value(name, base[name], values[name], now)
        if conflicts or not means_same(merged, now, (name,)):
            return False
    return True


def _sides_of(record: EventDefinition | Experiment, change: StagedChange) -> Iterator[tuple[JSON, JSON]]:
    """Yield the current value of each field, and that of the change on top of it."""
    for name, mine in change.values.items():
        now = value_of(record, name)
        if name == "tags":
            base = change.base.get(name, MISSING)
            yield merged_tags(MISSING, now, now), merged_tags(base, mine, now)
        else:
            yield now, mine

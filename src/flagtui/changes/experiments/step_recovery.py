"""Compare steps of experiments in the journal, whose outcome is open, with the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import NotFound
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.difference import same
from flagtui.changes.entry_kind import Recovery, RecoveryVerdict
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.step_save import MAKING, find_made
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.journal import Numbered
from flagtui.changes.journal_entries import Entry, restore_payloads
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_id, as_text

Alike = Callable[[JSON, JSON], bool]
_DERIVED: Final = ("status", "archived", "deleted", "feature_flag.active")
"""Derived fields of a step, which users do not set."""


async def recover_step(entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
    """Compare an entry with the server; `if_absent` is the verdict on a change that is not there.

    Raises `ApiError`.
    """
    step = BY_VERB.get(entry.verb)
    if step is not None and step.name in MAKING:
        return await _recover_new(entry, client, if_absent)
    if not entry.record:
        return Recovery(entry, "not known")
    here = Numbered(entry.record)
    try:
        record = await client.experiments.get(entry.record)
    except NotFound:
        # Deleted ones cannot be read.
        deleted = entry.after.get("deleted")
        kept: RecoveryVerdict = if_absent if deleted is False else "not known"
        return Recovery(entry, "applied" if deleted is True else kept, here)
    if step is not None and step.name == "cohort":
        return Recovery(entry, "applied" if record.exposure_cohort else if_absent, here)
    return Recovery(entry, _verdict(entry, record, if_absent), here)


async def _recover_new(entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
    project = as_id(entry.after.get("project"))
    experiments = (client if project is None else client.for_project(project)).experiments
    key, name = entry.after.get("feature_flag_key"), as_text(entry.after.get("name"))
    original_id = entry.before.get("id") if project is None else None
    id = await find_made(experiments, key, name, entry.key, original_id)
    return Recovery(entry, if_absent) if id is None else Recovery(entry, "applied", Numbered(id))


def _verdict(entry: Entry, record: Experiment, if_absent: RecoveryVerdict) -> RecoveryVerdict:
    names = [name for name in entry.after if name in _DERIVED or name == "filters" or name in record.raw]
    if not names:
        return "not known"
    if all(_is_now(entry, record, name, entry.after[name]) for name in names):
        return "applied"
    journaled = [name for name in names if name in entry.before]
    if journaled and all(_is_now(entry, record, name, entry.before[name]) for name in journaled):
        return if_absent
    # Servers fill in omitted parts of a setting or a metric.
    if all(_is_now(entry, record, name, entry.after[name], _holds) for name in names):
        return "applied"
    # Experiments have no versions: what is neither as before nor as wanted was changed since.
    return "changed since"


def _is_now(entry: Entry, record: Experiment, name: str, value: JSON, alike: Alike = same) -> bool:
    flag = record.feature_flag
    if name in _DERIVED:
        derived = (record.state, record.archived, record.deleted, None if flag is None else flag.active)
        return same(derived[_DERIVED.index(name)], value)
    if name == "filters":
        filters, sides = {} if flag is None else flag.filters, {"filters": value}
        kept = restore_payloads(sides, filters) if entry.is_secret else sides
        return means_same(filters, as_dict(kept["filters"]), ("filters",))
    stored = stored_field(record, name)
    return means_same(stored, value, (name,)) or alike(stored, value)


def _holds(stored: JSON, requested: JSON) -> bool:
    """Return whether every requested value is present."""
    if isinstance(requested, dict):
        return isinstance(stored, dict) and all(
            _holds(stored.get(key), part) for key, part in requested.items()
        )
    if isinstance(requested, list):
        kept = stored if isinstance(stored, list) else []
        return len(kept) == len(requested) and all(map(_holds, kept, requested))
    return same(stored, requested) or not (stored or requested)

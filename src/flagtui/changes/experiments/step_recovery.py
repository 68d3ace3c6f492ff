"""What an experiment tells of a step without an ending."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import NotFound
from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.journal_values import MAKING
from flagtui.changes.experiments.step_save import Numbered
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import SEARCHABLE
from flagtui.changes.journal_entries import Entry, with_payloads
from flagtui.changes.unanswered import LookedUp, Truth
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_id, as_text

if TYPE_CHECKING:
    from flagtui.api import Client

Alike = Callable[[JSON, JSON], bool]
_DERIVED: Final = ("status", "archived", "deleted", "feature_flag.active")
"""What is told of a step and is no field that people write."""


async def look(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """One open entry held against its experiment. Raises ApiError."""
    step = BY_VERB.get(entry.verb)
    if step is not None and step.name in MAKING:
        return await _look_for_new(entry, client, not_there)
    if not entry.record:
        return LookedUp(entry, "not known")
    try:
        record = await client.experiments.get(entry.record)
    except NotFound:
        return LookedUp(entry, _gone(entry, not_there), Numbered(entry.record))
    if step is not None and step.name == "cohort":
        return LookedUp(entry, "applied" if record.exposure_cohort else not_there, Numbered(entry.record))
    return LookedUp(entry, _truth(entry, record, not_there), Numbered(entry.record))


async def _look_for_new(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """A new one is known by the key of its flag, and by its name as far as that was chosen."""
    project = as_id(entry.after.get("project"))
    experiments = (client if project is None else client.for_project(project)).experiments
    name, key = as_text(entry.after.get("name")), entry.after.get("feature_flag_key")
    original = entry.before.get("id") if project is None else None
    offset = 0
    while True:
        asked = {"search": (name or entry.key)[:SEARCHABLE], "limit": 100, "offset": offset or None}
        page = await experiments.page(asked)
        for row in page.rows:
            if row.key == key and row.id != original and (not name or row.name == name):
                return LookedUp(entry, "applied", Numbered(row.id))
        offset += page.size
        if not page.size or offset >= page.total:
            return LookedUp(entry, not_there)


def _gone(entry: Entry, not_there: Truth) -> Truth:
    """Deleted ones cannot be read."""
    if entry.after.get("deleted") is False:
        return not_there
    return "applied" if entry.after.get("deleted") is True else "not known"


def _truth(entry: Entry, record: Experiment, not_there: Truth) -> Truth:
    names = [name for name in entry.after if name in _DERIVED or name == "filters" or name in record.raw]
    if not names:
        return "not known"
    if all(_is_now(entry, record, name, entry.after[name]) for name in names):
        return "applied"
    known = [name for name in names if name in entry.before]
    if known and all(_is_now(entry, record, name, entry.before[name]) for name in known):
        return not_there
    # Servers fill in what was left out of a setting or a metric.
    if all(_is_now(entry, record, name, entry.after[name], _holds) for name in names):
        return "applied"
    # Experiments have no versions: what is neither as before nor as wanted was changed since.
    return "changed since"


def _is_now(entry: Entry, record: Experiment, name: str, value: JSON, alike: Alike = same) -> bool:
    match name:
        case "status":
            return same(record.state, value)
        case "archived":
            return same(record.archived, value)
        case "deleted":
            return same(record.deleted, value)
        case "feature_flag.active":
            return record.feature_flag is not None and same(record.feature_flag.active, value)
        case "filters":
            filters = record.feature_flag.filters if record.feature_flag is not None else {}
            sides = {"filters": value}
            kept = with_payloads(sides, filters) if entry.is_secret else sides
            return means_same(filters, as_dict(kept["filters"]), ("filters",))
    stored = stored_field(record, name)
    return means_same(stored, value, (name,)) or alike(stored, value)


def _holds(stored: JSON, wanted: JSON) -> bool:
    """Whether all that was wanted is there, whatever is there besides."""
    if isinstance(wanted, dict):
        return isinstance(stored, dict) and all(_holds(stored.get(key), part) for key, part in wanted.items())
    if isinstance(wanted, list):
        kept = stored if isinstance(stored, list) else []
        return len(kept) == len(wanted) and all(map(_holds, kept, wanted))
    return same(stored, wanted) or not (stored or wanted)

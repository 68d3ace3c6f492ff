"""Steps an earlier run left open: what became of them, found out by reading."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from flagtui.api.errors import ApiError, NotFound
from flagtui.api.request import Query
from flagtui.changes.difference import same
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.journal_values import MAKING
from flagtui.changes.experiments.step_save import Numbered
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import SEARCHABLE, WATCH_FOR
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, Signature, with_payloads
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_id, as_text
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import ExperimentRow

Truth = Literal["is done", "was not done", "is not known", "cannot be told any more; it was changed since"]


class ExperimentReader(Protocol):
    """Reads the experiments of one project: `client.experiments`."""

    async def get(self, id: int) -> Experiment: ...
    async def page(self, filters: Query | None = None) -> RowPage[ExperimentRow]: ...


Elsewhere = Callable[[int], ExperimentReader]
"""The same of another project of this server, by its number."""

Alike = Callable[[JSON, JSON], bool]
_ENDINGS: Final[dict[Truth, Ending]] = {"is done": "saved", "was not done": "failed"}
"""What can be told for good; the rest stays open."""
_DERIVED: Final = ("status", "archived", "deleted", "feature_flag.active")
"""What is told of a step and is no field that people write."""


@dataclass(frozen=True, slots=True)
class FoundStep:
    """What today's experiment says about a step nobody saw the end of."""

    entry: Entry
    truth: Truth
    record: int = 0
    """The number of the experiment it was taken with, or that it made."""

    @property
    def is_known(self) -> bool:
        return self.truth != "is not known"

    @property
    def words(self) -> str:
        return f"{self.entry.key}: {self.entry.verb} {self.truth}"


async def recover_steps(
    journal: Journal, experiments: ExperimentReader, here: Signature, elsewhere: Elsewhere | None = None
) -> list[FoundStep]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    now, place = journal.clock(), (here.host, here.project)
    entries = [
        entry
        for entry in await asyncio.to_thread(journal.unresolved)
        if entry.kind == "experiment" and (entry.signature.host, entry.signature.project) == place
    ]
    found = [await _look(entry, experiments, elsewhere, now) for entry in entries]
    for one in found:
        if (ending := _ENDINGS.get(one.truth)) is not None:
            note = "found out at the next start"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, Numbered(one.record), note)
    return found


async def _look(
    entry: Entry, experiments: ExperimentReader, elsewhere: Elsewhere | None, now: float
) -> FoundStep:
    not_there: Truth = "was not done" if now - entry.at > WATCH_FOR else "is not known"
    step = BY_VERB.get(entry.verb)
    try:
        if step is not None and step.name in MAKING:
            return await _look_for_new(entry, experiments, elsewhere, not_there)
        if not entry.record:
            return FoundStep(entry, "is not known")
        record = await experiments.get(entry.record)
    except NotFound:
        return FoundStep(entry, _gone(entry, not_there), entry.record)
    except ApiError:
        return FoundStep(entry, "is not known")
    if step is not None and step.name == "cohort":
        return FoundStep(entry, "is done" if record.exposure_cohort else not_there, entry.record)
    return FoundStep(entry, _truth(entry, record, not_there), entry.record)


async def _look_for_new(
    entry: Entry, experiments: ExperimentReader, elsewhere: Elsewhere | None, not_there: Truth
) -> FoundStep:
    """A new one is known by the key of its flag, and by its name as far as that was chosen."""
    project = as_id(entry.after.get("project"))
    if project is not None:
        if elsewhere is None:
            return FoundStep(entry, "is not known")
        experiments = elsewhere(project)
    name, key = as_text(entry.after.get("name")), entry.after.get("feature_flag_key")
    original = entry.before.get("id") if project is None else None
    offset = 0
    while True:
        asked = {"search": (name or entry.key)[:SEARCHABLE], "limit": 100, "offset": offset or None}
        page = await experiments.page(asked)
        for row in page.rows:
            if row.key == key and row.id != original and (not name or row.name == name):
                return FoundStep(entry, "is done", row.id)
        offset += page.size
        if not page.size or offset >= page.total:
            return FoundStep(entry, not_there)


def _gone(entry: Entry, not_there: Truth) -> Truth:
    """Deleted ones cannot be read."""
    if entry.after.get("deleted") is False:
        return not_there
    return "is done" if entry.after.get("deleted") is True else "is not known"


def _truth(entry: Entry, record: Experiment, not_there: Truth) -> Truth:
    names = [name for name in entry.after if name in _DERIVED or name == "filters" or name in record.raw]
    if not names:
        return "is not known"
    if all(_is_now(entry, record, name, entry.after[name]) for name in names):
        return "is done"
    known = [name for name in names if name in entry.before]
    if known and all(_is_now(entry, record, name, entry.before[name]) for name in known):
        return not_there
    # Servers fill in what was left out of a setting or a metric.
    if all(_is_now(entry, record, name, entry.after[name], _holds) for name in names):
        return "is done"
    # Experiments have no versions: what is neither as before nor as wanted was changed since.
    return "cannot be told any more; it was changed since"


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

"""Steps an earlier run left open: what became of them, found out by reading."""

import asyncio
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.entries import Ending, Entry, Signature
from flagtui.changes.experiments.fields import stored_field
from flagtui.changes.experiments.saving import Numbered
from flagtui.changes.journal import Journal
from flagtui.changes.normalising import means_same
from flagtui.changes.resolving import WATCH_FOR
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON

Truth = Literal["is done", "was not done", "is not known", "cannot be told any more; it was changed since"]


class Reader(Protocol):
    """Whoever reads one experiment."""

    async def get(self, id: int) -> Experiment: ...


_ENDINGS: Final[dict[Truth, Ending]] = {"is done": "saved", "was not done": "failed"}
"""What can be told for good; the rest stays open."""


@dataclass(frozen=True, slots=True)
class FoundStep:
    """What today's experiment says about a step nobody saw the end of."""

    entry: Entry
    truth: Truth

    @property
    def words(self) -> str:
        return f"{self.entry.key}: {self.entry.verb} {self.truth}"


async def recover_steps(journal: Journal, experiments: Reader, here: Signature) -> list[FoundStep]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    now, place = journal.clock(), (here.host, here.project)
    entries = [
        entry
        for entry in await asyncio.to_thread(journal.unresolved)
        if entry.kind == "experiment" and (entry.signature.host, entry.signature.project) == place
    ]
    found = [FoundStep(entry, await _truth(entry, experiments, now)) for entry in entries]
    for one in found:
        if (ending := _ENDINGS.get(one.truth)) is not None and isinstance(one.entry.record, int):
            note = "found out at the next start"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, Numbered(one.entry.record), note)
    return found


async def _truth(entry: Entry, experiments: Reader, now: float) -> Truth:
    if not isinstance(entry.record, int) or not entry.record or not entry.after:
        return "is not known"
    try:
        record = await experiments.get(entry.record)
    except NotFound:
        return "is done" if entry.after.get("deleted") is True else "is not known"
    except ApiError:
        return "is not known"
    told = {name: value for name, value in entry.after.items() if name in _TOLD or name in record.raw}
    if not told or "feature_flag_key" in told:
        return "is not known"
    if all(means_same(_now(record, name), value, (name,)) for name, value in told.items()):
        return "is done"
    if not all(
        means_same(_now(record, name), entry.before[name], (name,)) for name in told if name in entry.before
    ):
        # Experiments have no versions: what is neither as before nor as wanted was changed by somebody since.
        return "cannot be told any more; it was changed since"
    return "was not done" if now - entry.at > WATCH_FOR else "is not known"


_TOLD = ("status", "archived", "deleted", "conclusion")


def _now(record: Experiment, name: str) -> JSON:
    match name:
        case "status":
            return record.state
        case "archived":
            return record.archived
        case "deleted":
            return record.deleted
    return stored_field(record, name)

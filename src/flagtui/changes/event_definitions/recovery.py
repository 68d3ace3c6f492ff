"""Changes of events that an earlier run left open: what became of them, found out by reading."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.difference import same
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.event_definitions.plan import MADE_AGAIN, stored
from flagtui.changes.event_definitions.resolving import Reader
from flagtui.changes.event_definitions.undo import is_deletion, is_recreation, open_entries
from flagtui.changes.journal import Journal
from flagtui.models.event_definition import EventDefinition

Truth = Literal["applied", "not applied", "not known"]


@dataclass(frozen=True, slots=True)
class Found:
    """What today's definition says about a change nobody saw the end of."""

    entry: Entry
    truth: Truth
    record: EventDefinition | None = None

    @property
    def id(self) -> str:
        return self.record.id if self.record else self.entry.uuid

    @property
    def version(self) -> int | None:
        return None

    @property
    def words(self) -> str:
        said = {"applied": "is done", "not applied": "was not done", "not known": "is still not known"}
        return f"{self.entry.key}: {self.entry.verb} {said[self.truth]}"


async def recover(journal: Journal, definitions: Reader, here: Signature) -> list[Found]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    entries = open_entries(await asyncio.to_thread(journal.unresolved), here)
    found = [await _look(entry, definitions) for entry in entries]
    for one in found:
        if one.truth != "not known":
            ending: Literal["saved", "failed"] = "saved" if one.truth == "applied" else "failed"
            note = f"found {one.truth} by reading it again"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, one, note)
    return found


async def _look(entry: Entry, definitions: Reader) -> Found:
    try:
        record = await (
            definitions.by_name(entry.key) if is_recreation(entry) else definitions.get(entry.uuid)
        )
    except NotFound:
        return Found(entry, "applied" if is_deletion(entry) else "not applied")
    except ApiError:
        return Found(entry, "not known")
    if is_deletion(entry):
        return Found(entry, "not applied", record)
    wanted = {name: value for name, value in entry.after.items() if name in MADE_AGAIN}
    is_there = all(same(stored(record, name), value) for name, value in wanted.items())
    return Found(entry, "applied" if is_there else "not applied", record)

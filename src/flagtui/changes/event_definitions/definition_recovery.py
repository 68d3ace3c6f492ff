"""Changes of events that an earlier run left open: what became of them, found out by reading."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.difference import same
from flagtui.changes.event_definitions.definition_lookup import DefinitionReader
from flagtui.changes.event_definitions.definition_plan import MADE_AGAIN, stored
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation, open_entries
from flagtui.changes.flags.flag_lookup import WATCH_FOR
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

Truth = Literal["applied", "not applied", "changed since", "not known"]
_ENDINGS: Final[dict[Truth, Ending]] = {"applied": "saved", "not applied": "failed"}
"""What can be told for good; the rest stays open."""


@dataclass(frozen=True, slots=True)
class FoundDefinition:
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
    def is_known(self) -> bool:
        return self.truth in ("applied", "not applied")

    @property
    def words(self) -> str:
        said: dict[Truth, str] = {
            "applied": "is done",
            "not applied": "was not done",
            "changed since": "cannot be told any more; it was changed since",
            "not known": "is still not known",
        }
        return f"{self.entry.key}: {self.entry.verb} {said[self.truth]}"


async def recover(journal: Journal, definitions: DefinitionReader, here: Signature) -> list[FoundDefinition]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    entries = open_entries(await asyncio.to_thread(journal.unresolved), here)
    now = journal.clock()
    found = [await _look(entry, definitions, now) for entry in entries]
    for one in found:
        if (ending := _ENDINGS.get(one.truth)) is not None:
            note = f"found {one.truth} by reading it again"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, one, note)
    return found


async def _look(entry: Entry, definitions: DefinitionReader, now: float) -> FoundDefinition:
    """One open entry held against the definition; within a minute the server may still do it."""
    not_there: Truth = "not applied" if now - entry.at > WATCH_FOR else "not known"
    try:
        record = await (
            definitions.by_name(entry.key) if is_recreation(entry) else definitions.get(entry.uuid)
        )
    except NotFound:
        return FoundDefinition(entry, "applied" if is_deletion(entry) else not_there)
    except ApiError:
        return FoundDefinition(entry, "not known")
    if is_deletion(entry):
        return FoundDefinition(entry, not_there, record)
    if _is_now(record, entry.after):
        return FoundDefinition(entry, "applied", record)
    # Definitions have no versions: what is neither as before nor as wanted was changed since.
    is_as_before = is_recreation(entry) or _is_now(record, entry.before)
    return FoundDefinition(entry, not_there if is_as_before else "changed since", record)


def _is_now(record: EventDefinition, values: Mapping[str, JSON]) -> bool:
    known = {name: value for name, value in values.items() if name in MADE_AGAIN}
    return all(same(stored(record, name), value) for name, value in known.items())

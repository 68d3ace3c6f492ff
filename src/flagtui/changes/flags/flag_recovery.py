"""Changes an earlier run left open: what became of them, found out by reading, at the next start."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import WATCH_FOR, FlagReader, find
from flagtui.changes.flags.flag_plan import stored_value
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, Signature, with_payloads
from flagtui.changes.verbs import verb
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

Truth = Literal["applied", "not applied", "changed since", "gone", "not known"]
_ENDINGS: Final[Mapping[Truth, Ending]] = {"applied": "saved", "not applied": "failed", "gone": "failed"}
"""What can be told for good; the rest stays open."""


@dataclass(frozen=True, slots=True)
class FoundFlag:
    """What today's record says about a change nobody saw the end of."""

    entry: Entry
    truth: Truth
    record: Flag | None = None

    @property
    def is_known(self) -> bool:
        return self.truth in ("applied", "not applied")

    @property
    def words(self) -> str:
        """The state, not the cause: who did it cannot be known from the record alone."""
        key, at = self.entry.key, self.record.version if self.record else None
        version = f" (version {at})" if at is not None else ""
        asked = f"“{self.entry.verb}”"
        match self.truth:
            case "applied":
                return f"{key} {verb(self.entry.verb).done}{version}: the change arrived"
            case "not applied":
                return f"{key} is as it was{version}: {asked} did not arrive"
            case "changed since":
                return f"{key} was changed since{version}: whether {asked} arrived cannot be told"
            case "gone":
                return f"{key} is not there any more"
        return f"{key}: whether {asked} arrived is still not known"


async def recover(journal: Journal, flags: FlagReader, here: Signature) -> list[FoundFlag]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    now = journal.clock()
    found = [
        await look(entry, flags, now) for entry in _of_here(await asyncio.to_thread(journal.unresolved), here)
    ]
    for one in found:
        if (ending := _ENDINGS.get(one.truth)) is not None:
            note = f"found {one.truth} at the next start"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, one.record, note)
    return found


async def look(entry: Entry, flags: FlagReader, now: float) -> FoundFlag:
    """One open entry held against the record; within a minute the server may still do it."""
    try:
        record = await (flags.get(entry.record) if entry.record else find(entry.key, flags))
    except NotFound:
        return FoundFlag(entry, "gone")
    except ApiError:
        return FoundFlag(entry, "not known")
    is_late = now - entry.at > WATCH_FOR
    if record is None:
        return FoundFlag(entry, "not applied" if is_late else "not known")
    return FoundFlag(entry, _truth(entry, record, is_late), record)


def _truth(entry: Entry, record: Flag, is_late: bool) -> Truth:
    after = with_payloads(entry.after, record.filters) if entry.is_secret else entry.after
    if entry.version is not None and record.version is not None and record.version <= entry.version:
        return "not applied" if is_late else "not known"
    if entry.hides_a_payload:
        return "changed since"
    if all(_is_now(record, name, value) for name, value in after.items()):
        return "applied"
    if entry.version is not None and record.version is not None and record.version == entry.version + 1:
        # The one write since was not ours, or it would show.
        return "not applied"
    return "changed since"


def _is_now(record: Flag, name: str, value: JSON) -> bool:
    return means_same(stored_value(record, name), value, (name,))


def _of_here(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    place = (here.host, here.project)
    return [
        entry
        for entry in entries
        if entry.kind == "flag" and (entry.signature.host, entry.signature.project) == place
    ]

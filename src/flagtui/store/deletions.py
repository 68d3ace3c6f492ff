"""Flags that were deleted lately and not brought back, as the activity tells it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.times import unix

PAGE: Final = 100
PAGES: Final = 3
"""How far back the activity is read; the server pages it slowly."""


class Feed(Protocol):
    """What is asked of the server, as `client.flags` offers it."""

    async def activity(self, id: int | None = None, *, limit: int = 10, page: int = 1) -> ActivityPage: ...


@dataclass(frozen=True, slots=True)
class Deletion:
    """One flag that can perhaps be restored. Texts are raw."""

    id: int
    key: str
    """As it was before it was deleted."""
    who: str
    at: float | None


async def recent_deletions(feed: Feed) -> tuple[Deletion, ...]:
    """Newest first. Raises ApiError when the key may not read the activity."""
    entries: list[Activity] = []
    for number in range(1, PAGES + 1):
        page = await feed.activity(limit=PAGE, page=number)
        entries += page.entries
        if not page.has_more:
            break
    return deletions_in(entries)


def deletions_in(entries: Iterable[Activity]) -> tuple[Deletion, ...]:
    """Of these entries, newest first, the deletions nobody took back afterwards."""
    decided: set[int] = set()
    found: list[Deletion] = []
    for entry in entries:
        record, went = entry.record_id, _went(entry)
        if record is None or went is None or record in decided:
            continue
        decided.add(record)
        if went:
            key = entry.name.removesuffix(f":deleted:{record}")
            who = entry.user.label if entry.user is not None else ""
            found.append(Deletion(record, key, who, unix(entry.created_at)))
    return tuple(found)


def _went(entry: Activity) -> bool | None:
    """True for a deletion, False for coming back or into being, None for anything else."""
    if entry.activity in ("deleted", "restored", "created"):
        return entry.activity == "deleted"
    return next((change.is_on is True for change in entry.changes if change.field == "deleted"), None)

"""Flags changed since the last load, in as few requests as possible: usually one."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import msgspec

from flagtui.api.clock import Urgency
from flagtui.api.errors import Forbidden, NotFound, NotOffered
from flagtui.api.flags import Flags
from flagtui.models.activity import Activity
from flagtui.models.rows import FlagRow

WORTH_ASKING: Final = 20
"""More changed flags than this are read as part of the whole list: 100 of them are one request."""
_FIRST_LOOK: Final = 10
_SECOND_LOOK: Final = 100


class Mark(msgspec.Struct, frozen=True):
    """A moment at which the list was complete. Take it before loading, so that no change is missed."""

    newest: str | None = None
    """Newest entry of the activity feed, empty for an empty feed; None where the key may not read it."""
    updated_at: float = 0.0
    """Latest time of change in the list; used where there is no feed."""
    total: int = 0
    """Number of flags in the list; used where there is no feed."""


class Differences(msgspec.Struct, frozen=True):
    """Changes that make a list current."""

    mark: Mark
    rows: tuple[FlagRow, ...] = ()
    """Flags that were changed, created, archived or restored, in their current state."""
    gone: tuple[int, ...] = ()
    """Ids of flags that were deleted."""
    must_reload: bool = False
    """Whether the whole list must be loaded: too many changes, or changes that cannot be listed."""


async def take_mark(flags: Flags, *, urgency: Urgency = Urgency.LOADING) -> Mark:
    """Return the current mark of the activity feed."""
    try:
        page = await flags.activity(limit=1, urgency=urgency)
    except (Forbidden, NotFound, NotOffered):
        return Mark()
    return Mark(newest=page.entries[0].identity if page.entries else "")


def complete_mark(mark: Mark, total: int, updated_at: float) -> Mark:
    """Return the mark with total and time of the loaded list, for keys that may not read the feed."""
    return Mark(mark.newest, updated_at, total)


async def changes_since(flags: Flags, mark: Mark) -> Differences:
    """Return the changes since the mark: one request, and one more for each changed flag."""
    if mark.newest is None:
        return await _newest_page(flags, mark)
    try:
        entries = await _entries_since(flags, mark.newest)
    except (Forbidden, NotFound, NotOffered):
        return Differences(Mark(None, mark.updated_at, mark.total), must_reload=True)
    if entries is None:
        return Differences(await take_mark(flags, urgency=Urgency.BACKGROUND), must_reload=True)
    ids = tuple(dict.fromkeys(id for entry in entries if (id := entry.record_id) is not None))
    now = Mark(entries[0].identity if entries else mark.newest, mark.updated_at, mark.total)
    if len(ids) > WORTH_ASKING:
        return Differences(now, must_reload=True)
    return await _read_again(flags, now, ids)


async def _entries_since(flags: Flags, newest: str) -> tuple[Activity, ...] | None:
    """Return the entries newer than `newest`, newest first; None when it is not among the latest."""
    for limit in (_FIRST_LOOK, _SECOND_LOOK):
        page = await flags.activity(limit=limit, urgency=Urgency.BACKGROUND)
        identities = [entry.identity for entry in page.entries]
        if newest in identities:
            return page.entries[: identities.index(newest)]
        if not page.has_more and not newest:
            return page.entries
    return None


async def _read_again(flags: Flags, now: Mark, ids: tuple[int, ...]) -> Differences:
    rows: list[FlagRow] = []
    gone: list[int] = []
    for id in ids:
        row: FlagRow | None = None
        with suppress(NotFound, Forbidden):
            row = (await flags.get(id, urgency=Urgency.BACKGROUND)).row()
        if row is None or row.deleted:
            gone.append(id)
        else:
            rows.append(row)
    return Differences(now, tuple(rows), tuple(gone))


async def _newest_page(flags: Flags, mark: Mark) -> Differences:
    filters = {"order": "-updated_at", "limit": WORTH_ASKING}
    page = await flags.page(filters, urgency=Urgency.BACKGROUND)
    dated = [row for row in page.rows if row.updated_at is not None]
    fresh = tuple(row for row in dated if (row.updated_at or 0.0) > mark.updated_at)
    newest = max((row.updated_at or 0.0 for row in dated), default=mark.updated_at)
    now = Mark(None, max(newest, mark.updated_at), page.total)
    made = sum(1 for row in fresh if (row.created_at or 0.0) > mark.updated_at)
    # Every row on the page is older, or something was deleted, or flags without a time hide the rest.
    is_cut = len(fresh) == len(page.rows) > 0 and page.total > len(page.rows)
    must_reload = is_cut or page.total != mark.total + made or (page.total > 0 and not dated)
    return Differences(now, () if must_reload else fresh, must_reload=must_reload)

"""Flags changed since the last load, in as few requests as possible: usually one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from flagtui.api.clock import Urgency
from flagtui.api.errors import Forbidden, NotFound
from flagtui.api.flags import Flags
from flagtui.api.operations import NOT_HERE
from flagtui.models.activity import Activity
from flagtui.models.rows import FlagRow

WORTH_ASKING: Final = 20
"""More changed flags than this are read as part of the whole list: 100 of them are one request."""
_FIRST_LOOK: Final = 10
_SECOND_LOOK: Final = 100
_LATE: Final = 5
"""Places below the newest entry where another may still appear: servers date entries, then store them."""


class Mark(msgspec.Struct, frozen=True):
    """A moment at which the list was complete. Take it before loading, so that no change is missed."""

    recent: tuple[str, ...] | None = None
    """Identities of the latest entries of the activity feed; None where the key may not read it."""
    updated_at: float = 0.0
    """Latest time of change in the list; used where there is no feed."""
    total: int = 0
    """Number of flags in the list; used where there is no feed."""


class Differences(msgspec.Struct, frozen=True):
    """Changes that make a list current."""

    mark: Mark
    rows: tuple[FlagRow, ...] = ()
    """Flags that were changed, created, archived or restored, and perhaps others, in their current state."""
    gone: tuple[int, ...] = ()
    """Ids of flags that were deleted."""
    must_reload: bool = False
    """Whether the whole list must be loaded: too many changes, or changes that cannot be listed."""


async def take_mark(flags: Flags, *, urgency: Urgency = Urgency.LOADING) -> Mark:
    """Return the current mark of the activity feed."""
    try:
        page = await flags.activity(limit=_FIRST_LOOK, urgency=urgency)
    except (Forbidden, NotFound, *NOT_HERE):
        return Mark()
    return Mark(_identities(page.entries))


def complete_mark(mark: Mark, total: int, updated_at: float) -> Mark:
    """Return the mark with total and time of the loaded list, for keys that may not read the feed."""
    return Mark(mark.recent, updated_at, total)


async def changes_since(flags: Flags, mark: Mark) -> Differences:
    """Return the changes since the mark: one request, and one more for each changed flag."""
    if mark.recent is None:
        return await _newest_page(flags, mark)
    try:
        page = await _page_down_to(flags, mark.recent)
    except (Forbidden, NotFound, *NOT_HERE):
        return Differences(Mark(None, mark.updated_at, mark.total), must_reload=True)
    if page is None:
        return Differences(await take_mark(flags, urgency=Urgency.BACKGROUND), must_reload=True)
    now = Mark(_identities(page), mark.updated_at, mark.total)
    entries = _new_entries(page, mark.recent)
    ids = tuple(dict.fromkeys(id for entry in entries if (id := entry.record_id) is not None))
    if len(ids) > WORTH_ASKING:
        return Differences(now, must_reload=True)
    return await _read_again(flags, now, ids)


def _identities(entries: Sequence[Activity]) -> tuple[str, ...]:
    return tuple(entry.identity for entry in entries[:_FIRST_LOOK])


async def _page_down_to(flags: Flags, recent: Sequence[str]) -> Sequence[Activity] | None:
    """Return the latest entries, down to those of the mark; None when these are not among the latest."""
    for limit in (_FIRST_LOOK, _SECOND_LOOK):
        page = await flags.activity(limit=limit, urgency=Urgency.BACKGROUND)
        seen = sum(entry.identity in recent for entry in page.entries)
        is_enough = seen >= min(_LATE, len(recent)) or (limit == _SECOND_LOOK and seen > 0)
        if is_enough if recent else not page.has_more:
            return page.entries
    return None


def _new_entries(page: Sequence[Activity], recent: Sequence[str]) -> list[Activity]:
    """Return the entries newer than those of the mark and between them, newest first."""
    known_places = [place for place, entry in enumerate(page) if entry.identity in recent]
    newer = page[: known_places[-1]] if known_places else page
    return [entry for entry in newer if entry.identity not in recent]


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
    if mark.total and not mark.updated_at:
        # Old servers, whose flags have no time of change, fail over the order.
        return Differences(Mark(), must_reload=True)
    filters = {"order": "-updated_at", "limit": WORTH_ASKING}
    page = await flags.page(filters, urgency=Urgency.BACKGROUND)
    dated = [row for row in page.rows if row.updated_at is not None]
    fresh = [row for row in dated if (row.updated_at or 0.0) > mark.updated_at]
    newest = max((row.updated_at or 0.0 for row in dated), default=mark.updated_at)
    now = Mark(None, max(newest, mark.updated_at), page.total)
    made = sum(1 for row in fresh if (row.created_at or 0.0) > mark.updated_at)
    # Every row on the page is older, or something was deleted, or flags without a time hide the rest.
    is_cut = len(fresh) == len(page.rows) > 0 and page.total > len(page.rows)
    times = [row.updated_at or 0.0 for row in dated]
    is_ordered = times == sorted(times, reverse=True)
    must_reload = (
        is_cut or not is_ordered or page.total != mark.total + made or (page.total > 0 and not dated)
    )
    # All of them: servers date a change before they store it, so others can have later times.
    return Differences(now, () if must_reload else tuple(page.rows), must_reload=must_reload)

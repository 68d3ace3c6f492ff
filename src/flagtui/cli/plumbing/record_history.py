"""The changes of single records, as their activity has them."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from flagtui.api.whole_records import ApiRecord, LoggedRecords
from flagtui.cli.plumbing.option_rules import limit_option
from flagtui.cli.plumbing.output.lines import keep_first
from flagtui.cli.plumbing.selection import several
from flagtui.cli.plumbing.since_option import since_option
from flagtui.local_time import unix
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow, change_row

MOST_CHANGES: Final = 100
"""Changes of a record that are printed unless more are asked for."""
HISTORY_SINCE: Final = since_option("Print only changes since then")
HISTORY_LIMIT: Final = limit_option(MOST_CHANGES, "Print at most N entries of each.")


async def read_changes(
    records: LoggedRecords[ApiRecord], ids: Sequence[int], limit: int, since: float | None = None
) -> list[ChangeRow]:
    """Return at most `limit` changes of each record, newest first, from a Unix time on. Raises ApiError."""

    async def read(id: int) -> list[ChangeRow]:
        entries: list[Activity] = []
        async for entry in records.entries(id, at_most=limit + 1):
            at = unix(entry.created_at)
            if since is not None and at is not None and at < since:
                break
            entries.append(entry)
        kept = keep_first(entries, limit, MOST_CHANGES)
        return [change_row(entry, -count) for count, entry in enumerate(kept)]

    return [*chain.from_iterable(await several(ids, read))]

"""The changes of single records, as their activity has them."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from flagtui.api.whole_records import ApiRecord, LoggedRecords
from flagtui.cli.plumbing.option_rules import limit_option
from flagtui.cli.plumbing.output.lines import keep_first
from flagtui.cli.plumbing.selection import several
from flagtui.models.activity_rows import ChangeRow, change_row

MOST_CHANGES: Final = 100
"""Changes of a record that are printed unless more are asked for."""
HISTORY_LIMIT: Final = limit_option(MOST_CHANGES, "Print at most N entries of each.")


async def read_changes(records: LoggedRecords[ApiRecord], ids: Sequence[int], limit: int) -> list[ChangeRow]:
    """Return at most `limit` changes of each record, newest first. Raises ApiError."""

    async def read(id: int) -> list[ChangeRow]:
        entries = [entry async for entry in records.entries(id, at_most=limit + 1)]
        kept = keep_first(entries, limit, MOST_CHANGES)
        return [change_row(entry, -count) for count, entry in enumerate(kept)]

    return [*chain.from_iterable(await several(ids, read))]

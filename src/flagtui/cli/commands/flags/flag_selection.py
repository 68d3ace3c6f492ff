"""The flags that the words of a command mean, as typed records: for what changes them."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from flagtui.cli.commands.flags.flag_objects import objects_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.near_names import not_found
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import RecordSelection, is_id, only_one, several
from flagtui.models.flag import Flag
from flagtui.store.activity_feed import recent_deletions

if TYPE_CHECKING:
    from flagtui.cli.plumbing.bulk_reader import BulkReader

FindFlags = Callable[[ProjectSession, RecordSelection, "BulkReader | None"], Awaitable[list[Flag]]]
"""Reads the flags of a selection."""


async def flags_of(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> list[Flag]:
    """Return each flag once.

    Raises ApiError, and Trouble if one is missing or `bulk` refuses so many: then no flag is changed.
    """
    return [Flag.of(raw) for raw in await objects_of(session, selection, bulk)]


async def flags_to_change(
    session: ProjectSession,
    selection: RecordSelection,
    terms: WriteTerms,
    bulk: "BulkReader | None" = None,
    find: FindFlags = flags_of,
) -> list[Flag]:
    """Return each flag once, with `--stage` also named ones that the staged set creates.

    Raises as `flags_of` does.
    """
    if not terms.agreement.stage:
        return await find(session, selection, bulk)
    # Loading what stages would delay every other change.
    from flagtui.cli.plumbing.staging import created_flags

    created = created_flags(session, selection.names)
    names = tuple(name for name in selection.names if name not in created)
    left = RecordSelection(names, selection.queries)
    return [*(await find(session, left, bulk) if names or left.queries else ()), *created.values()]


async def flag_of(session: ProjectSession, selection: RecordSelection) -> Flag:
    """Return the only flag. Raises ApiError, and Trouble if it is missing or several are named."""
    return only_one(await flags_of(session, selection), "flag")


async def deleted_flags_of(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> list[Flag]:
    """Return the deleted flags of these keys or ids, which no list has. Raises as `flags_of` does."""
    if selection.queries or any(":" in name for name in selection.names):
        raise Trouble("deleted flags are in no list.", "Name their keys or ids.", code="usage")
    deletions = {deletion.key: deletion.id for deletion in await recent_deletions(session.client.flags)}
    ids: list[int] = []
    missing: list[str] = []
    for name in selection.names:
        if name in deletions:
            ids.append(deletions[name])
        elif is_id(name):
            ids.append(int(name))
        else:
            missing.append(name)
    if missing:
        raise not_found("deleted flag", missing, deletions, "activity kind:deleted")
    unique, read = list(dict.fromkeys(ids)), partial(several, find=session.client.flag_objects.get)
    return [Flag.of(raw) for raw in await (read(unique) if bulk is None else bulk.read(unique, read))]

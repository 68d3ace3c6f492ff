"""The flags that the words of a command mean, as the JSON objects the server sent: for what shows them."""

from typing import TYPE_CHECKING, Final

from flagtui.api.errors import NotFound
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import FLAGS, RecordSelection, is_id, read_address, several
from flagtui.models.flag_rows import row_of_object
from flagtui.models.json_value import JSON, as_id
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.cli.plumbing.bulk_reader import BulkReader

FlagObject = dict[str, JSON]
NAMING: Final = ("flags.local_evaluation", "flags.definitions", "projects.get")
"""Operations that read the names of what conditions refer to by number."""
_SHOWN: Final = frozenset(
    (
        *("filters", "version", "tags", "ensure_experience_continuity", "is_remote_configuration"),
        *("has_encrypted_payloads", "created_at", "updated_at"),
    )
)
"""Fields of a whole flag that are shown and that a list may omit."""


async def rows_of(session: ProjectSession, selection: RecordSelection) -> list[FlagRow]:
    """Return the row of each flag once; a query costs only the list. Raises ApiError, Trouble."""
    named = map(row_of_object, (await _named_flags(session, selection)).values())
    listed = [row for line in selection.queries for row in await FLAGS.rows(session, line)]
    return [*{row.id: row for row in (*named, *listed)}.values()]


async def objects_of(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> list[FlagObject]:
    """Return each flag once. Raises ApiError, and Trouble when one is missing or `bulk` refuses so many."""
    named = await _named_flags(session, selection, bulk)
    rows = {row.id: row for line in selection.queries for row in await FLAGS.rows(session, line)}
    unread = {id: row for id, row in rows.items() if id not in named}
    get = session.client.flag_objects.get
    if bulk is None:
        return [*named.values(), *await several([*unread], get)]
    bulk.check_rows([*unread.values()])
    return [*named.values(), *await bulk.read([*unread], get)]


async def listed_objects_of(session: ProjectSession, selection: RecordSelection) -> list[FlagObject]:
    """Return each flag once, those of a query as the list has them, to be shown. Raises as above."""
    objects = await _named_flags(session, selection)
    for line in selection.queries:
        query, me = await FLAGS.read_checked(session, line)
        if "archived" in query.shows:
            return await objects_of(session, selection)
        listed = {row_of_object(raw).id: raw for raw in await session.client.flag_objects.all()}
        rows = [*map(row_of_object, listed.values())]
        session.keep_rows(FLAGS.kind, rows)
        matches = [row.id for row in FLAGS.search(rows, line, "", me) if row.id not in objects]
        # Older servers omit fields from the list.
        partial = [id for id in matches if not listed[id].keys() >= _SHOWN]
        whole = dict(zip(partial, await several(partial, session.client.flag_objects.get), strict=True))
        objects |= {id: whole.get(id, listed[id]) for id in matches}
    return [*objects.values()]


async def _named_flags(
    session: ProjectSession, selection: RecordSelection, bulk: "BulkReader | None" = None
) -> dict[int | None, FlagObject]:
    """Return the flags that are named, by id. Raises ApiError, and Trouble when one is missing."""
    read = several if bulk is None else bulk.read
    objects = await read(selection.names, lambda name: _find(session, name))
    flags = await FLAGS.require(session, selection.names, objects)
    return {as_id(flag.get("id")): flag for flag in flags}


async def _find(session: ProjectSession, name: str) -> FlagObject | None:
    """Return the flag with this key, else with this id. Raises Trouble for a number that is both."""
    id = read_address(session, name, FLAGS.kind)
    by_key = await session.client.flag_objects.find(name) if id is None else None
    if id is None and not is_id(name):
        return by_key
    try:
        by_id = await session.client.flag_objects.get(int(name) if id is None else id)
    except NotFound:
        return by_key
    if by_key is not None and as_id(by_key.get("id")) != as_id(by_id.get("id")):
        fix = f"Choose one: 'id:{name}' or 'key:/^{name}$/'."
        raise Trouble(f"{name} is the key of one flag and the id of {by_id.get('key')}.", fix, code="usage")
    return by_id

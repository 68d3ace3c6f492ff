"""The flags that the words of a command mean: JSON as the server sent it to show, typed records to change.

The types of records load when they are needed, since showing a flag takes less than loading them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import (
    FLAGS,
    MANY,
    RecordSelection,
    Word,
    number_in,
    only_one,
    read_address,
    several,
)
from flagtui.models.flag_rows import row_of_object
from flagtui.models.json_value import JSON, as_id
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text

if TYPE_CHECKING:
    from flagtui.cli.plumbing.bulk_reader import BulkReader
    from flagtui.cli.plumbing.options import WriteTerms
    from flagtui.models.flag import Flag

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


async def read_by_ids(
    session: ProjectSession, ids: Sequence[int], bulk: BulkReader | None = None
) -> list[FlagObject]:
    """Return the flags with these ids. Raises ApiError, and Trouble if `bulk` refuses so many."""
    get = session.client.flag_objects.get
    flags = await _read(session, ids, get, bulk)
    return [flag for flag in flags if flag is not None]


async def listed_objects_of(session: ProjectSession, selection: RecordSelection) -> list[FlagObject]:
    """Return each flag once, those of a query as the list has them, to be shown. Raises as above."""
    objects = await _named_flags(session, selection)
    if selection.queries:
        from flagtui.cli.plumbing.listed_records import list_matches

        matches, _rows = await list_matches(session, FLAGS, selection.queries)
        new = {flag.row.id: flag.raw for flag in matches if flag.row.id not in objects}
        # Older servers omit fields from the list.
        partial_ids = [id for id, raw in new.items() if not raw.keys() >= _SHOWN]
        whole = dict(zip(partial_ids, await read_by_ids(session, partial_ids), strict=True))
        objects = {**objects, **new, **whole}
    return [*objects.values()]


async def _named_flags(
    session: ProjectSession, selection: RecordSelection, bulk: BulkReader | None = None
) -> dict[int | None, FlagObject]:
    """Return the flags that are named, by id. Raises ApiError, and Trouble when one is missing."""
    objects = await _read(session, selection.names, lambda name: _find(session, name), bulk)
    if missing := [name for name, raw in zip(selection.names, objects, strict=True) if raw is None]:
        _check_staged(session, missing)
        await _check_deleted(session, missing)
        raise await FLAGS.unknown(session, missing)
    return {as_id(flag.get("id")): flag for flag in objects if flag is not None}


def _check_staged(session: ProjectSession, missing: Sequence[str]) -> None:
    """Raise Trouble for a missing flag that the staged set creates."""
    # Loading what stages would delay every other command.
    from flagtui.cli.plumbing.staging import created_flags

    created: Iterable[str] = ()
    with suppress(Trouble):
        created = created_flags(session, missing)
    for key in created:
        what = f"there is no flag {safe_text(key, 80)} yet: the staged set creates it."
        fix = f"Change it there with --stage, or create it: {next_command('apply', 'staged')}"
        raise Trouble(what, fix, code="not_found")


async def _check_deleted(session: ProjectSession, missing: Sequence[str]) -> None:
    """Raise Trouble for a missing flag that was deleted, as far as the key may read the activity."""
    from flagtui.local_time import ago
    from flagtui.store.activity_feed import recent_deletions

    with suppress(ApiError):
        for deletion in await recent_deletions(session.client.flags.activity):
            if deletion.key in missing:
                who = f" by {safe_text(deletion.who, 80)}" if deletion.who else ""
                when = f" {ago(deletion.at, session.now)}" if deletion.at is not None else ""
                what = f"the flag {safe_text(deletion.key, 80)} was deleted{who}{when}; nothing was done."
                fix = f"Restore it: {next_command('flags', 'restore', deletion.key)}"
                raise Trouble(what, fix, code="not_found")


async def _read(
    session: ProjectSession,
    words: Sequence[Word],
    read_single: Callable[[Word], Awaitable[FlagObject | None]],
    bulk: BulkReader | None,
) -> list[FlagObject | None]:
    """Return the flags of names or ids; None for a missing one. Raises ApiError, Trouble."""
    read: Callable[[Sequence[Word]], Awaitable[list[FlagObject | None]]] = partial(several, find=read_single)
    if len(words) >= MANY:
        from flagtui.cli.plumbing.listed_records import ListReader

        listed = ListReader(
            session, FLAGS, words, read_single, read=lambda raw: raw, id_in=partial(_id_in, session)
        )
        read = listed.read
    return await (read(words) if bulk is None else bulk.read(words, read))


def _id_in(session: ProjectSession, word: object) -> int | None:
    """Return the id that a word is, or names by an address. Raises Trouble for a page elsewhere."""
    text = str(word)
    number = number_in(text)
    return read_address(session, text, FLAGS.kind) if number is None else number


async def _find(session: ProjectSession, name: str) -> FlagObject | None:
    """Return the flag with this key, else with this id. Raises Trouble for a number that is both."""
    id = read_address(session, name, FLAGS.kind)
    by_key = await session.client.flag_objects.find(name) if id is None else None
    if id is None and (id := number_in(name)) is None:
        return by_key
    try:
        by_id = await session.client.flag_objects.get(id)
    except NotFound:
        return by_key
    if by_key is not None and as_id(by_key.get("id")) != as_id(by_id.get("id")):
        fix = f"Choose one: 'id:{id}' or 'key:/^{name}$/'."
        raise Trouble(f"{name} is the key of one flag and the id of {by_id.get('key')}.", fix, code="usage")
    return by_id


FindFlags = Callable[[ProjectSession, RecordSelection, "BulkReader | None"], Awaitable["list[Flag]"]]
"""Reads the flags of a selection."""


async def flags_of(
    session: ProjectSession, selection: RecordSelection, bulk: BulkReader | None = None
) -> list[Flag]:
    """Return each flag once.

    Raises ApiError, and Trouble if one is missing or `bulk` refuses so many: then no flag is changed.
    """
    from flagtui.models.flag import Flag

    named = await _named_flags(session, selection, bulk)
    rows = {row.id: row for line in selection.queries for row in await FLAGS.rows(session, line)}
    unread = {id: row for id, row in rows.items() if id not in named}
    if bulk is not None:
        bulk.check_rows([*unread.values()])
    listed = await read_by_ids(session, [*unread], bulk) if unread else []
    return [Flag.of(raw) for raw in (*named.values(), *listed)]


async def flags_to_change(
    session: ProjectSession,
    selection: RecordSelection,
    terms: WriteTerms,
    bulk: BulkReader | None = None,
    find: FindFlags = flags_of,
) -> list[Flag]:
    """Return each flag once; with `--stage` as it is after the staged set, which may make or rename it.

    Raises as `flags_of` does.
    """
    if not terms.agreement.stage:
        return await find(session, selection, bulk)
    # Loading what stages would delay every other change.
    from flagtui.cli.plumbing.staging import created_flags, records_after, staged_flag_ids

    created, ids = created_flags(session, selection.names), staged_flag_ids(session)
    names = tuple(ids.get(name, name) for name in selection.names if name not in created)
    left = RecordSelection(names, selection.queries)
    listed = await find(session, left, bulk) if names or left.queries else ()
    return [*records_after(session, listed), *created.values()]


async def flag_of(session: ProjectSession, selection: RecordSelection) -> Flag:
    """Return the only flag. Raises ApiError, and Trouble if it is missing or several are named."""
    return only_one(await flags_of(session, selection), "flag")


async def deleted_flags_of(
    session: ProjectSession, selection: RecordSelection, bulk: BulkReader | None = None
) -> list[Flag]:
    """Return the deleted flags of these keys or ids, which no list has. Raises as `flags_of` does."""
    from flagtui.cli.plumbing.near_names import not_found
    from flagtui.models.flag import Flag
    from flagtui.store.activity_feed import recent_deletions

    if selection.queries or any(":" in name for name in selection.names):
        see = f"Name their keys or ids; see: {next_command('activity', 'is:deleted')}"
        raise Trouble("deleted flags are in no list.", see, code="usage")
    deletions = {
        deletion.key: deletion.id for deletion in await recent_deletions(session.client.flags.activity)
    }
    ids: list[int] = []
    missing: list[str] = []
    for name in selection.names:
        if name in deletions:
            ids.append(deletions[name])
        elif (number := number_in(name)) is not None:
            ids.append(number)
        else:
            missing.append(name)
    if missing:
        raise not_found("deleted flag", missing, deletions, "activity is:deleted")
    unique, read = list(dict.fromkeys(ids)), partial(several, find=session.client.flag_objects.get)
    return [Flag.of(raw) for raw in await (read(unique) if bulk is None else bulk.read(unique, read))]

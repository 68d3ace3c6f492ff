"""The flags that the words of a command mean, as they are now."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from flagtui.api.errors import NotFound
from flagtui.cli.errors import Trouble
from flagtui.cli.project_session import ProjectSession
from flagtui.cli.row_source import FLAGS, names_of
from flagtui.cli.selection import Wanted, not_found
from flagtui.models.flag import Flag

AT_ONCE: Final = 8
"""Flags that are read at the same time."""
Word = TypeVar("Word")
Found = TypeVar("Found")


async def flags_of(session: ProjectSession, wanted: Wanted) -> list[Flag]:
    """Each once. Raises ApiError, and Trouble when one is missing: then the others are left alone, too."""
    flags = await several(wanted.names, lambda name: find_flag(session, name))
    missing = [name for name, flag in zip(wanted.names, flags, strict=True) if flag is None]
    if missing:
        raise not_found("flag", missing, names_of(FLAGS, await FLAGS.every(session)))
    known = {flag.id: flag for flag in flags if flag is not None}
    ids = [row.id for line in wanted.queries for row in await FLAGS.rows(session, line)]
    unread = [id for id in dict.fromkeys(ids) if id not in known]
    read = await several(unread, session.client.flags.get)
    return [*known.values(), *read]


async def find_flag(session: ProjectSession, name: str) -> Flag | None:
    """The flag with this key, else with this id. Raises Trouble for a number that is both."""
    by_key = await session.client.flags.find(name)
    if not (name.isascii() and name.isdigit() and len(name) < 19):
        return by_key
    try:
        by_id = await session.client.flags.get(int(name))
    except NotFound:
        return by_key
    if by_key is not None and by_key.id != by_id.id:
        fix = f"Say which: 'id:{name}' or 'key:/^{name}$/'."
        raise Trouble(f"{name} is the key of one flag and the id of {by_id.key}.", fix, code="usage")
    return by_id


async def deleted_flags_of(session: ProjectSession, wanted: Wanted) -> list[Flag]:
    """The deleted flags of these keys or ids, which no list has. Raises Trouble, ApiError."""
    from flagtui.store.deletions import recent_deletions

    if wanted.queries:
        raise Trouble("deleted flags are in no list.", "Name their keys or ids.", code="usage")
    deletions = {one.key: one.id for one in await recent_deletions(session.client.flags)}
    ids: list[int] = []
    missing: list[str] = []
    for name in wanted.names:
        if name in deletions:
            ids.append(deletions[name])
        elif name.isascii() and name.isdigit() and len(name) < 19:
            ids.append(int(name))
        else:
            missing.append(name)
    if missing:
        raise not_found("deleted flag", missing, deletions)
    return await several(list(dict.fromkeys(ids)), session.client.flags.get)


async def several(words: Sequence[Word], find: Callable[[Word], Awaitable[Found]]) -> list[Found]:
    """What is found for each, a few at a time, in their order. Raises ApiError."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(word: Word) -> Found:
        async with turn:
            return await find(word)

    return list(await asyncio.gather(*map(one, words)))

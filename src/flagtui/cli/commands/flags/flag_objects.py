"""The flags that the words of a command mean, as the JSON objects the server sent: for what shows them."""

import asyncio
from collections.abc import Iterable
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import FLAGS, Wanted, several
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_id, as_list

FlagObject = dict[str, JSON]
NAMING: Final = ("flags.local_evaluation", "flags.definitions", "projects.get")
"""The operations that tell what conditions name by number."""
PATIENCE: Final = 2.5
"""Seconds to wait for names, without which everything can be told as well."""


async def objects_of(session: ProjectSession, wanted: Wanted) -> list[FlagObject]:
    """Each once. Raises ApiError, and Trouble when one is missing."""
    found = await several(wanted.names, lambda name: _find(session, name))
    missing = [name for name, one in zip(wanted.names, found, strict=True) if one is None]
    if missing:
        raise await FLAGS.unknown(session, missing)
    known = {as_id(one.get("id")): one for one in found if one is not None}
    ids = [row.id for line in wanted.queries for row in await FLAGS.rows(session, line)]
    unread = [id for id in dict.fromkeys(ids) if id not in known]
    return [*known.values(), *await several(unread, session.client.flag_objects.get)]


async def names_for(session: ProjectSession, flags: Iterable[FlagObject]) -> Names:
    """What group types are called, where conditions go by one and the server tells it in time."""
    if not any(map(_goes_by_groups, flags)):
        return NO_NAMES
    try:
        async with asyncio.timeout(PATIENCE):
            document = await session.client.evaluation.local_evaluation()
    except (ApiError, TimeoutError):
        return NO_NAMES
    known = document.group_type_mapping if document is not None else {}
    return Names(groups={int(index): name for index, name in known.items() if is_id(index)})


def _goes_by_groups(flag: FlagObject) -> bool:
    filters = as_dict(flag.get("filters"))
    sides = [filters, *map(as_dict, as_list(filters.get("groups")))]
    return any(one.get("aggregation_group_type_index") is not None for one in sides)


def is_id(word: str) -> bool:
    """Whether a word can be the number of a record."""
    return word.isascii() and word.isdigit() and len(word) < 19


async def _find(session: ProjectSession, name: str) -> FlagObject | None:
    """The flag with this key, else with this id. Raises Trouble for a number that is both."""
    by_key = await session.client.flag_objects.find(name)
    if not is_id(name):
        return by_key
    try:
        by_id = await session.client.flag_objects.get(int(name))
    except NotFound:
        return by_key
    if by_key is not None and as_id(by_key.get("id")) != as_id(by_id.get("id")):
        fix = f"Say which: 'id:{name}' or 'key:/^{name}$/'."
        raise Trouble(f"{name} is the key of one flag and the id of {by_id.get('key')}.", fix, code="usage")
    return by_id

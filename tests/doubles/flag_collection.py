"""Flags by number, and a collection that has loaded some."""

import msgspec

from flagtui.models.rows import FlagRow
from flagtui.store.collection import Collection


def flag(number: int, version: int | None = 1, **fields: object) -> FlagRow:
    return msgspec.convert({"id": number, "key": f"flag-{number}", "version": version, **fields}, FlagRow)


def loaded(*rows: FlagRow) -> Collection[FlagRow]:
    collection: Collection[FlagRow] = Collection()
    collection.begin_load()
    collection.add_page(rows, len(rows))
    collection.finish_load()
    return collection


def ids(collection: Collection[FlagRow]) -> list[int]:
    return [row.id for row in collection.rows]

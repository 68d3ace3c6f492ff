"""Flags by number, and a collection that has loaded some."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from flagtui.models.rows import FlagRow
from flagtui.store.collection import Collection


def flag(number: int, version: int | None = 1, **fields: object) -> FlagRow:
    return FlagRow(number, f"flag-{number}", version=version, **cast("dict[str, Any]", fields))


def empty() -> Collection[FlagRow]:
    return Collection()


def load_rows(*rows: FlagRow) -> Collection[FlagRow]:
    collection = empty()
    load(collection, *rows)
    return collection


def load(
    collection: Collection[FlagRow],
    *rows: FlagRow,
    unreadable: Iterable[int] = (),
    is_whole: bool = True,
    covers: Callable[[FlagRow], bool] | None = None,
) -> None:
    """All of a list, in one page."""
    unread = tuple(unreadable)
    collection.begin_load(is_whole=is_whole)
    collection.add_page(rows, len(rows) + len(unread), unread)
    collection.finish_load(*([covers] if covers else []))


def ids(collection: Collection[FlagRow]) -> list[int]:
    return [row.id for row in collection.rows]

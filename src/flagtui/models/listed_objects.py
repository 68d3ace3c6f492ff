"""Rows of list pages with the objects they were read from, so that no request per record is needed."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow, FlagRow, RowPage, read_objects

ListedRow = TypeVar("ListedRow", EventDefinitionRow, FlagRow)


class ListedObject(Struct, Generic[ListedRow], frozen=True):
    """A row of a list, with its JSON object."""

    row: ListedRow
    raw: dict[str, JSON]
    """Empty where no one reads it: all objects of a list would need many times the memory of its rows."""

    @property
    def id(self) -> int | str:
        return self.row.id


def choose_all(rows: Sequence[Any]) -> Sequence[Any]:
    return rows


def read_listed_objects(
    body: bytes,
    read_rows: Callable[[bytes], RowPage[ListedRow]],
    read_id: Callable[[JSON], int | str | None],
    choose: Callable[[Sequence[ListedRow]], Iterable[ListedRow]] = choose_all,
) -> RowPage[ListedObject[ListedRow]]:
    """Return the rows of a page, the chosen ones with their objects. Raises NotJson."""
    page = read_rows(body)
    raws: dict[int | str | None, dict[str, JSON]] = {}
    if chosen := {row.id for row in choose(page.rows)}:
        raws = {id: raw for raw in read_objects(body) if (id := read_id(raw.get("id"))) in chosen}
    return page.with_rows(tuple(ListedObject(row, raws.get(row.id, {})) for row in page.rows))

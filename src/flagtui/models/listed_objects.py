"""Rows of list pages with the objects they were read from, so that no request per record is needed."""

from typing import Generic, TypeVar

from msgspec import Struct

from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id
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


def read_listed_definitions(body: bytes) -> RowPage[ListedObject[EventDefinitionRow]]:
    """Return the rows of a page of the event definition list with their objects. Raises NotJson."""
    page = read_event_definition_page(body)
    raws = {str(raw.get("id")): raw for raw in read_objects(body)}
    return page.with_rows(tuple(ListedObject(row, raws[row.id]) for row in page.rows))


def read_stale_flags(body: bytes) -> RowPage[ListedObject[FlagRow]]:
    """Return the rows of a page of the flag list, the stale ones with their objects. Raises NotJson."""
    page = read_flag_page(body)
    raws: dict[int | None, dict[str, JSON]] = {}
    if any(row.is_stale for row in page.rows):
        raws = {as_id(raw.get("id")): raw for raw in read_objects(body)}
    return page.with_rows(
        tuple(ListedObject(row, raws.get(row.id, {}) if row.is_stale else {}) for row in page.rows)
    )

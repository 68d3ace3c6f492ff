"""Stale flags read from list pages: whole, so that no request per flag is needed."""

from msgspec import Struct

from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, as_id
from flagtui.models.rows import FlagRow, RowPage, read_objects


class ListedStaleFlag(Struct, frozen=True):
    """A row of the flag list, with the JSON object of a stale flag."""

    row: FlagRow
    raw: dict[str, JSON]
    """Empty for other flags: the objects of a whole list would need many times the memory of its rows."""

    @property
    def id(self) -> int:
        return self.row.id


def read_stale_page(body: bytes) -> RowPage[ListedStaleFlag]:
    """Return the rows of a page of the flag list, the stale ones with their objects. Raises NotJson."""
    page = read_flag_page(body)
    raws: dict[int | None, dict[str, JSON]] = {}
    if any(row.is_stale for row in page.rows):
        raws = {as_id(raw.get("id")): raw for raw in read_objects(body)}
    flags = tuple(ListedStaleFlag(row, raws.get(row.id, {}) if row.is_stale else {}) for row in page.rows)
    return page.with_rows(flags)

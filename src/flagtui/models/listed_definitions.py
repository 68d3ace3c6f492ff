"""Event definitions read from list pages whole, so that no request per event is needed."""

from msgspec import Struct

from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.json_value import JSON, as_dict, as_list, read_json_for_rows
from flagtui.models.rows import EventDefinitionRow, RowPage


class ListedDefinition(Struct, frozen=True):
    """A row of the list, with the JSON object it was read from."""

    row: EventDefinitionRow
    raw: dict[str, JSON]

    @property
    def id(self) -> str:
        """Return the id of the definition."""
        return self.row.id


def read_listed_definition_page(body: bytes) -> RowPage[ListedDefinition]:
    """Return the rows of a page of the event definition list with their objects. Raises NotJson."""
    page = read_event_definition_page(body)
    items = as_list(as_dict(read_json_for_rows(body)).get("results"))
    raws = {str(item.get("id")): item for item in items if isinstance(item, dict)}
    definitions = tuple(ListedDefinition(row, raws[row.id]) for row in page.rows)
    return RowPage(definitions, page.total, page.unreadable, page.server_time, page.is_capped, page.has_more)

"""Event definitions read from list pages whole, so that no request per event is needed."""

from msgspec import Struct

from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow, RowPage, read_objects


class ListedDefinition(Struct, frozen=True):
    """A row of the list, with the JSON object it was read from."""

    row: EventDefinitionRow
    raw: dict[str, JSON]

    @property
    def id(self) -> str:
        return self.row.id


def read_listed_definition_page(body: bytes) -> RowPage[ListedDefinition]:
    """Return the rows of a page of the event definition list with their objects. Raises NotJson."""
    page = read_event_definition_page(body)
    raws = {str(raw.get("id")): raw for raw in read_objects(body)}
    definitions = tuple(ListedDefinition(row, raws[row.id]) for row in page.rows)
    return page.with_rows(definitions)

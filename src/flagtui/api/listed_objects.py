"""Lists whose records are read whole, for commands that need more than rows have."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flagtui.api.resource import PagedRecords
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import as_id
from flagtui.models.listed_objects import ListedObject, ListedRow, choose_all, read_listed_objects
from flagtui.models.rows import EventDefinitionRow, FlagRow, RowPage


@dataclass(frozen=True, eq=False)
class ListedObjects(PagedRecords[ListedObject[ListedRow]]):
    """The records of one list, chosen ones whole; the same requests as for their rows."""

    choose: Callable[[Sequence[ListedRow]], Iterable[ListedRow]] = choose_all
    """Returns the rows of a page whose objects are kept; called in a thread for a large page."""


class ListedFlags(ListedObjects[FlagRow]):
    """The flags of one project."""

    family = "flags"

    def read_page(self, body: bytes) -> RowPage[ListedObject[FlagRow]]:
        return read_listed_objects(body, read_flag_page, as_id, self.choose)


class ListedDefinitions(ListedObjects[EventDefinitionRow]):
    """The event definitions of one project."""

    family = "event_definitions"

    def read_page(self, body: bytes) -> RowPage[ListedObject[EventDefinitionRow]]:
        return read_listed_objects(body, read_event_definition_page, str, self.choose)

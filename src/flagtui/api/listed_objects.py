"""Lists whose records are read whole, for commands that print more than rows have."""

from dataclasses import dataclass

from flagtui.api.resource import PagedRecords
from flagtui.models.listed_objects import ListedObject, read_listed_definitions, read_stale_flags
from flagtui.models.rows import EventDefinitionRow, FlagRow


@dataclass(frozen=True, eq=False)
class ListedDefinitions(PagedRecords[ListedObject[EventDefinitionRow]]):
    """The event definitions of one project; the same requests as their list."""

    read_page = staticmethod(read_listed_definitions)
    family = "event_definitions"


@dataclass(frozen=True, eq=False)
class StaleFlags(PagedRecords[ListedObject[FlagRow]]):
    """The flags of one project, stale ones whole; the same requests as the flag list."""

    read_page = staticmethod(read_stale_flags)
    family = "flags"

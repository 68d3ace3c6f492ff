"""The list of event definitions whole, for commands that print all of a record."""

from dataclasses import dataclass

from flagtui.api.resource import PagedRecords
from flagtui.models.listed_definitions import ListedDefinition, read_listed_definition_page


@dataclass(frozen=True, eq=False)
class ListedDefinitions(PagedRecords[ListedDefinition]):
    """The event definitions of one project; the same requests as their list."""

    read_page = staticmethod(read_listed_definition_page)
    family = "event_definitions"

"""The list of flags with stale ones whole, for the report on them."""

from dataclasses import dataclass

from flagtui.api.resource import PagedRecords
from flagtui.models.stale_flags import ListedStaleFlag, read_stale_page


@dataclass(frozen=True, eq=False)
class StaleFlags(PagedRecords[ListedStaleFlag]):
    """The flags of one project; the same requests as the flag list."""

    read_page = staticmethod(read_stale_page)
    family = "flags"

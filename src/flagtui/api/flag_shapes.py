"""The list of flags with variants and the shape of payloads, for files of types."""

from flagtui.api.resource import PagedRecords
from flagtui.models.flag_shapes import FlagShape, read_shape_page


class FlagShapes(PagedRecords[FlagShape]):
    """The flags of one project as code sees them; the same requests as the flag list."""

    read_page = staticmethod(read_shape_page)
    family = "flags"

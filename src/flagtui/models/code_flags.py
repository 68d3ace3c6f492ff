"""A flag as a scan of code needs it: its row, and what libraries make of its conditions."""

import msgspec

from flagtui.models.rows import FlagRow

ServedValue = bool | str | None
"""The value that everyone gets; None where it depends on the user, or is unknown."""


class CodeFlag(msgspec.Struct, frozen=True):
    """A flag of the server, or one that was deleted."""

    row: FlagRow
    everyone: ServedValue = None
    not_local: str = ""
    """Why libraries on servers cannot evaluate it locally; empty where they can, or it is unknown."""
    has_value: bool = True
    """False for a flag from the list of the app, which has no conditions."""

    @property
    def id(self) -> int:
        """Return the id of the flag."""
        return self.row.id

    @property
    def key(self) -> str:
        """Return the key of the flag."""
        return self.row.key

"""Every fact that findings are based on: flags and events by key."""

from collections.abc import Iterable, Mapping

import msgspec

from flagtui.models.code_flags import CodeFlag, StoredFlags
from flagtui.models.rows import EventDefinitionRow


class CodeFacts(msgspec.Struct, frozen=True):
    """Facts about the keys in code."""

    flags: Mapping[str, CodeFlag]
    """By key, archived and deleted ones too."""
    events: Mapping[str, EventDefinitionRow] | None
    """By name; None where they could not be read."""
    taken_at: float
    """When the server sent them, Unix seconds."""
    project: str = ""
    """The id of their project; empty for that of the profile."""

    @classmethod
    def of(
        cls,
        flags: Iterable[CodeFlag] | StoredFlags,
        events: Iterable[EventDefinitionRow] | None,
        taken_at: float,
        project: str = "",
    ) -> "CodeFacts":
        """Return the facts of these records."""
        by_name = None if events is None else {row.name: row for row in events}
        by_key = flags if isinstance(flags, StoredFlags) else {flag.key: flag for flag in flags}
        return cls(by_key, by_name, taken_at, project)

"""Everything a library needs to evaluate flags by itself."""

from flagtui.models.json_value import JSON
from flagtui.models.record import Items, Record


class LocalEvaluation(Record):
    """Flags, cohorts and group types as of one moment; `etag` names that moment."""

    flags: Items = ()
    group_type_mapping: dict[str, str] = {}
    cohorts: dict[str, JSON] = {}
    etag: str = ""

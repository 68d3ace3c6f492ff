"""Everything a library needs to evaluate flags by itself."""

from flagtui.models.json_value import JSON
from flagtui.models.record import Items, NamedTexts, Record


class LocalEvaluation(Record):
    """Flags, cohorts and group types as of one moment; `etag` names that moment."""

    flags: Items = ()
    group_type_mapping: NamedTexts = {}
    cohorts: dict[str, JSON] = {}
    etag: str = ""

"""Refusals of a change that the row of a flag shows before anything is read."""

from typing import Final

from flagtui.models.rows import FlagRow

NO_ACCESS: Final = "you may view this flag but not change it"
IS_DELETED: Final = "the flag has been deleted"
OUT_OF_DELETED: Final = "restore it first"
IS_ARCHIVED: Final = "the flag is archived"
OUT_OF_ARCHIVE: Final = "unarchive it first"
RULES_ARE_FIXED: Final = (
    "of a flag with rules (configuration version 2) only state, name and tags can be changed here"
)
_COPIES: Final = frozenset({"copy", "dashboard", "cohort"})
"""Commands that leave the flag itself as it is."""
_NEED_FILTERS: Final = frozenset({"rollout", "archive", "unarchive", "schedule", "copy"})
"""Commands that servers refuse for a flag with rules."""


def refuse_row(row: FlagRow, verb: str) -> str:
    """Return why the command of that name on the command line cannot succeed; empty where it can."""
    if not row.can_edit and verb not in _COPIES:
        return NO_ACCESS
    if row.deleted and verb not in _COPIES:
        return f"{IS_DELETED}; {OUT_OF_DELETED}"
    if row.type == "rules" and verb in _NEED_FILTERS:
        return RULES_ARE_FIXED
    if row.archived and verb == "enable":
        return f"{IS_ARCHIVED}; {OUT_OF_ARCHIVE}"
    return ""

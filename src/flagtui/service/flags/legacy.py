"""The shape flags had on servers of autumn 2025."""

import sqlite3

from flagtui.service.answers import text_of, value_of
from flagtui.service.flags.status import groups_of, variants_of

_LATER = (
    "archived",
    "experiment_set_metadata",
    "evaluation_contexts",
    "bucketing_identifier",
    "is_used_in_replay_settings",
    "is_eligible_for_experiment",
)


def legacy_text(text: str, row: sqlite3.Row) -> str:
    """The JSON text of a flag without later fields and with the ones that have gone since."""
    flag = value_of(text)
    flag["evaluation_tags"] = flag["evaluation_contexts"]
    for name in _LATER:
        del flag[name]
    groups = groups_of(flag["filters"])
    simple = not variants_of(flag["filters"]) and all(not group.get("properties") for group in groups)
    flag["is_simple_flag"] = simple
    flag["rollout_percentage"] = groups[0].get("rollout_percentage") if simple and len(groups) == 1 else None
    flag["rollback_conditions"] = value_of(row["rollback_conditions"])
    flag["performed_rollback"] = (
        None if row["performed_rollback"] is None else bool(row["performed_rollback"])
    )
    return text_of(flag)

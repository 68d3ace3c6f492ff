"""What is sent: only the changed fields, `filters` always whole, and what the server compares against.

On older servers a PATCH of `filters` replaces everything and one without `groups` is ignored; newer ones
merge. A whole object in which removed keys are cleared by name means the same to all of them.
"""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from flagtui.models.json_value import JSON, as_dict, as_list

if TYPE_CHECKING:
    from flagtui.models.flag import Flag

INJECTED: Final = ("cohort_name", "group_key_names")
"""Keys of a property that the server adds when it is read."""
NOT_COMPARABLE: Final = frozenset(
    {"tags", "evaluation_tags", "evaluation_contexts", "analytics_dashboards", "has_encrypted_payloads"}
)
"""Fields the server cannot compare in `original_flag`: it would conflict every time, or fail."""
_CLEARED: Final[Mapping[str, JSON]] = {"groups": [], "payloads": {}}
"""Older servers refuse a null there."""


def clean_filters(filters: JSON) -> dict[str, JSON]:
    """A copy of `filters` without what the server only adds for readers."""
    kept: dict[str, JSON] = copy.deepcopy(as_dict(filters))
    for groups in ("groups", "super_groups", "holdout_groups"):
        for group in as_list(kept.get(groups)):
            for item in as_list(as_dict(group).get("properties")):
                for name in INJECTED:
                    as_dict(item).pop(name, None)
    if kept.get("version") == 1:
        # Reading gives it, writing refuses it.
        del kept["version"]
    return kept


def whole_filters(wanted: JSON, stored: JSON) -> dict[str, JSON]:
    """`filters` as it is sent: complete, with every key that has gone cleared by name."""
    sent = clean_filters(wanted)
    for key in clean_filters(stored):
        sent.setdefault(key, copy.deepcopy(_CLEARED.get(key)))
    sent.setdefault("groups", [])
    return sent


def sent_fields(values: Mapping[str, JSON], fresh: "Flag") -> dict[str, JSON]:
    """The fields of the request."""
    fields = {
        name: whole_filters(value, fresh.filters) if name == "filters" else value
        for name, value in values.items()
    }
    if "filters" in fields and fresh.has_encrypted_payloads:
        # Without it the server would store the decrypted payload it showed us as plain text.
        fields.setdefault("has_encrypted_payloads", True)
    return fields


def original_fields(fields: Mapping[str, JSON], fresh: "Flag") -> dict[str, JSON]:
    """The values those fields were read with, as far as the server can compare them."""
    return {
        name: clean_filters(fresh.raw[name]) if name == "filters" else fresh.raw[name]
        for name in fields
        if name in fresh.raw and name not in NOT_COMPARABLE
    }

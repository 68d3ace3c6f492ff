"""Filters from a body to a row: merged with the stored ones, checked, and normalised."""

import json
import sqlite3
from typing import Any

from flagtui.evaluate import wire
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.flags.filter_links import check_links
from flagtui.service.flags.filter_rules import check_list_lengths, check_rules
from flagtui.service.flags.filter_shapes import check_shape, fail
from flagtui.service.flags.representation import opened_payloads, properties_of
from flagtui.service.flags.status import groups_of
from flagtui.service.responses import text_of, value_of

Filters = dict[str, Json]
_ALIASES = {"min": "gte", "max": "lte"}
_SHOWN_ONLY = ("cohort_name", "group_key_names", "dependency_chain")
_GONE = ("super_groups", "holdout_groups")


def read_filters(call: Call, fields: Fields, row: sqlite3.Row | None) -> Filters | None:
    """Return the filters to store; None when the body leaves them as they are."""
    sent = fields.mapping("filters")
    if sent is None:
        return None
    stored = _stored_filters(call, row)
    _check_config_version(fields, sent, stored)
    merged = _merge(call, sent, stored, is_new=row is None)
    if merged is None:
        return None
    check_shape(merged, call.generation)
    _check_size(call, merged)
    tidy = _tidy(merged)
    if row is None and not tidy["groups"]:
        raise fail("Feature flags must have at least one condition set (group).")
    if tidy.get("early_exit") and not call.project.settings.get("early_exit"):
        raise fail("early_exit is not available for this organization.")
    check_links(call, tidy, stored, row)
    if (longest := call.generation.longest_property_list) is not None:
        check_list_lengths(tidy, longest)
    check_rules(tidy, strict=call.settings.strict_filters, is_older=call.generation.is_older)
    _check_size(call, tidy)
    return tidy


def with_changes(call: Call, row: sqlite3.Row, changes: Filters) -> Filters:
    """Return the stored filters with these keys replaced, checked like an update on every generation."""
    stored = _stored_filters(call, row)
    sent = {name: value for name, value in stored.items() if name != "version"} | changes
    filters = read_filters(call, Fields({"filters": sent}), row) or stored
    return open_to_everyone(filters) if row["is_remote_configuration"] else filters


def _stored_filters(call: Call, row: sqlite3.Row | None) -> Filters:
    if row is None:
        return {}
    filters: Filters = value_of(row["filters"])
    sealed = row["has_encrypted_payloads"]
    return {**filters, "payloads": opened_payloads(call, filters)} if sealed else filters


def _check_config_version(fields: Fields, sent: Filters, stored: Filters) -> None:
    if not wire.has_known_version(stored):
        raise unsupported_config(fields)
    if "version" in sent:
        detail = "filters.version is reserved. Remove it from the request."
        raise fields.fault("filters", detail, "reserved_config_version")


def unsupported_config(fields: Fields) -> Exception:
    """Return the 400 for a flag of a version that this API does not write."""
    detail = "This flag's stored configuration cannot be updated through this API. Contact support."
    return fields.fault("filters", detail, "unsupported_config_version")


def _merge(call: Call, sent: Filters, stored: Filters, *, is_new: bool) -> Filters | None:
    """Replace stored keys by the sent ones. Older servers replaced all of them, or none without groups."""
    if is_new:
        return sent
    if not sent:
        return None
    if not call.generation.merges_filters:
        return sent if "groups" in sent else None
    kept = {name: value for name, value in stored.items() if name not in _GONE}
    return {**kept, **{name: value for name, value in sent.items() if name not in _GONE}}


def _tidy(filters: Filters) -> Filters:
    """Normalise payloads, operator names and group indexes."""
    tidy: Filters = {**filters, "groups": [dict(group) for group in groups_of(filters)]}
    for group in tidy["groups"]:
        if isinstance(group.get("properties"), list):
            group["properties"] = [_tidy_property(item) for item in group["properties"]]
    if isinstance(filters.get("payloads"), dict):
        tidy["payloads"] = {name: payload_text(value) for name, value in filters["payloads"].items()}
    _spread_index(tidy)
    return tidy


def _tidy_property(item: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in item.items() if name not in _SHOWN_ONLY}
    kept["key"] = str(kept["key"])
    if kept.get("operator") in _ALIASES:
        kept["operator"] = _ALIASES[kept["operator"]]
    return kept


def payload_text(value: Json) -> str:
    """Return the payload as it is stored: text that holds JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _spread_index(filters: Filters) -> None:
    """Give conditions without an index the flag's, and the flag the index that all conditions share."""
    groups = filters["groups"]
    if not groups and "aggregation_group_type_index" not in filters:
        return
    inherited = filters.get("aggregation_group_type_index")
    for group in groups:
        group.setdefault("aggregation_group_type_index", inherited)
    indexes = {group["aggregation_group_type_index"] for group in groups}
    if groups:
        filters["aggregation_group_type_index"] = indexes.pop() if len(indexes) == 1 else None


def open_to_everyone(filters: Filters) -> Filters:
    """Return filters that serve remote configuration to everyone: no condition is missing or at 0 %."""
    groups = [dict(group) for group in filters.get("groups") or []] or [{"properties": []}]
    for group in groups:
        group["rollout_percentage"] = group.get("rollout_percentage") or 100
        group.setdefault("variant", None)
        group.setdefault("aggregation_group_type_index", filters.get("aggregation_group_type_index"))
    return {**filters, "groups": groups}


def _check_size(call: Call, filters: Filters) -> None:
    size, most = len(text_of(filters).encode()), call.settings.max_filters_bytes
    if size > most:
        raise fail(
            f"Feature flag filters exceed maximum size of {_shown_size(most)}. "
            f"Current size: {_shown_size(size)}. Please simplify conditions or reduce payload sizes."
        )


def _shown_size(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KB"
    return f"{size / 1024 / 1024:.1f} MB"


def without_additions(filters: Json) -> Json:
    """Return filters without the parts added for readers, so that two versions can be compared."""
    if not isinstance(filters, dict):
        return filters
    copied = value_of(text_of(filters))
    for item in properties_of(copied):
        for name in _SHOWN_ONLY:
            item.pop(name, None)
    return copied

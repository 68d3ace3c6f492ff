"""Cohorts written out as the properties they stand for, for SDKs that do not know cohorts."""

from collections.abc import Mapping

from flagtui.service.answers import text_of, value_of
from flagtui.service.errors import Json


def expanded(filters: str, cohorts: Mapping[str, Json]) -> str:
    """Cohorts that are a plain list of person properties are replaced by them; the others stay."""
    if '"cohort"' not in filters:
        return filters
    decoded = value_of(filters)
    groups = decoded.get("groups")
    for group in groups if isinstance(groups, list) else ():
        if isinstance(group, dict) and isinstance(group.get("properties"), list):
            group["properties"] = [new for item in group["properties"] for new in _written_out(item, cohorts)]
    return text_of(decoded)


def _written_out(item: Json, cohorts: Mapping[str, Json]) -> list[Json]:
    if not isinstance(item, dict) or item.get("type") != "cohort" or item.get("operator") == "not_in":
        return [item]
    plain = _plain_properties(cohorts.get(str(item.get("value"))))
    return [item] if plain is None else plain


def _plain_properties(group: Json) -> list[Json] | None:
    """The properties of a group that asks for all of them, whatever single groups are around it."""
    if not isinstance(group, dict) or not isinstance(group.get("values"), list) or not group["values"]:
        return None
    members = group["values"]
    if len(members) == 1 and isinstance(members[0], dict) and "values" in members[0]:
        return _plain_properties(members[0])
    if group.get("type") != "AND" and len(members) > 1:
        return None
    return members if all(map(_is_plain, members)) else None


def _is_plain(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") == "person" and not item.get("negation")

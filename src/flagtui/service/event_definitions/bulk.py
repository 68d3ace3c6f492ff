"""The same change to many event definitions at once."""

from typing import Final

from flagtui.service.answers import Answer, answer, value_of
from flagtui.service.bodies import RETAGS, Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.event_definitions.fields import settled
from flagtui.service.event_definitions.rows import find_by_id, has_tagging, uuid_text
from flagtui.service.event_definitions.write_operations import check_licence, save

MOST_IDS: Final = 500
MOST_TAGS: Final = 100


def bulk_update_tags(call: Call) -> Answer:
    fields = Fields(call.body())
    ids = read_ids(fields)
    action = fields.required_choice("action", RETAGS)
    given = set(_read_given(fields, action))
    check_licence(call)
    updated: list[Json] = []
    skipped: list[Json] = []
    for definition_id in ids:
        row = find_by_id(call.db, call.project.id, definition_id)
        if row is None:
            skipped.append(not_there(definition_id))
            continue
        tags = sorted(RETAGS[action](set(value_of(row["tags"])), given))
        save(call, row, {"tags": tags})
        updated.append({"id": definition_id, "tags": tags if has_tagging(call) else []})
    return answer({"updated": updated, "skipped": skipped})


def _read_given(fields: Fields, action: str) -> list[str]:
    fields.require("tags")
    tags = fields.tags()
    fields.check_length("tags", tags, MOST_TAGS)
    if not tags and action != "set":
        raise invalid("This list may not be empty.", "tags", "empty")
    return tags


def bulk_update_verified(call: Call) -> Answer:
    """Those that are so already appear in neither list; one fault, and nothing is written."""
    fields = Fields(call.body())
    ids = read_ids(fields)
    fields.require("verified")
    wanted = fields.flag("verified")
    check_licence(call)
    updated: list[Json] = []
    skipped: list[Json] = []
    for definition_id in ids:
        row = find_by_id(call.db, call.project.id, definition_id)
        if row is None:
            skipped.append(not_there(definition_id))
        elif bool(row["verified"]) != wanted:
            save(call, row, settled({"verified": wanted}, row, call))
            updated.append({"id": definition_id, "verified": wanted})
    return answer({"updated": updated, "skipped": skipped})


def read_ids(fields: Fields) -> list[str]:
    """UUIDs, each once, in the order they were sent."""
    items = fields.filled("ids", MOST_IDS)
    return list(dict.fromkeys(_read_id(item, position) for position, item in enumerate(items)))


def _read_id(item: Json, position: int) -> str:
    known = uuid_text(item)
    if known is None:
        raise invalid("Must be a valid UUID.", f"ids__{position}")
    return known


def not_there(definition_id: str) -> Json:
    return {"id": definition_id, "reason": "Not found"}

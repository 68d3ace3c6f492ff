"""Edits of the tags of many records at once: the body, and the outcome for each record."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from flagtui.service.bodies import RETAGS, Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.responses import Response, respond
from flagtui.service.shapes import NUMBER, NUMBERS, TEXT, TEXTS, list_of, whole, words

MOST_IDS, MOST_TAGS, MOST_PAIRS = 500, 100, 10_000
TAGS_BODY: Final = whole(
    {"ids": {**NUMBERS, "minItems": 1, "maxItems": MOST_IDS}, "action": words(RETAGS), "tags": TEXTS}
)
TAGS_DONE: Final = whole(
    {
        "updated": list_of(whole({"id": NUMBER, "tags": TEXTS})),
        "skipped": list_of(whole({"id": NUMBER, "reason": TEXT})),
    }
)


class TagEdit(NamedTuple):
    """Tags to add to records, to remove from them, or to replace theirs."""

    ids: list[int]
    """Each once, in the order they were sent."""
    action: str
    tags: frozenset[str]

    def apply(self, tags: Iterable[str]) -> list[str]:
        """Return the sorted tags of a record after the edit."""
        return sorted(RETAGS[self.action](set(tags), set(self.tags)))


def read_tag_edit(call: Call) -> TagEdit:
    """Return the edit of the body; raises the fault of the first invalid field."""
    fields = Fields(call.body())
    sent = fields.required_items("ids", MOST_IDS)
    ids = [_read_id(fields, value, place) for place, value in enumerate(sent)]
    action = fields.required_choice("action", RETAGS)
    fields.require("tags")
    tags = frozenset(fields.tags())
    fields.check_length("tags", fields.sent["tags"], MOST_TAGS)
    if not tags and action != "set":
        raise fields.fault("tags", f"At least one tag is required to {action} tags.")
    if len(ids) * len(tags) > MOST_PAIRS:
        raise invalid(f"Too many changes at once: at most {MOST_PAIRS:,} pairs of record and tag.")
    return TagEdit(list(dict.fromkeys(ids)), action, tags)


def _read_id(fields: Fields, value: Json, place: int) -> int:
    number = whole_number(value)
    if number is None:
        raise fields.fault(f"ids__{place}", "A valid integer is required.")
    return number


def edit_each(edit: TagEdit, retag: Callable[[int], list[str] | None]) -> Response:
    """Return the outcomes; `retag` edits one record and returns its tags, or None if it may not."""
    outcomes = {number: retag(number) for number in edit.ids}
    updated = [{"id": number, "tags": tags} for number, tags in outcomes.items() if tags is not None]
    skipped = [
        {"id": number, "reason": "Not found or no edit access"}
        for number, tags in outcomes.items()
        if tags is None
    ]
    return respond({"updated": updated, "skipped": skipped})

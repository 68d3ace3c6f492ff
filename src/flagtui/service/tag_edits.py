"""Edits of the tags of many records at once: the body, and the outcome for each record."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, NamedTuple, TypeVar

from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.responses import Response, respond
from flagtui.service.shapes import NUMBER, NUMBERS, TEXT, TEXTS, list_of, whole, words

RETAGS: Final[Mapping[str, Callable[[set[str], set[str]], set[str]]]] = {
    "add": lambda before, given: before | given,
    "remove": lambda before, given: before - given,
    "set": lambda _, given: given,
}
"""The new tags by action, from the previous and the given tags."""
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


IdT = TypeVar("IdT", int, str)
RecordT = TypeVar("RecordT")


class TagEdit(NamedTuple, Generic[IdT]):
    """Tags to add to records, to remove from them, or to replace theirs."""

    ids: list[IdT]
    """Each once, in the order they were sent."""
    action: str
    tags: frozenset[str]

    def apply(self, tags: Iterable[str]) -> list[str]:
        """Return the sorted tags of a record after the edit."""
        return sorted(RETAGS[self.action](set(tags), set(self.tags)))


def read_tag_edit(call: Call, read_ids: Callable[[Fields], list[IdT]]) -> TagEdit[IdT]:
    """Return the edit of the body; raises the fault of the first invalid field."""
    fields = Fields(call.body())
    ids = read_ids(fields)
    action = fields.required_choice("action", RETAGS)
    fields.require("tags")
    tags = frozenset(fields.tags())
    fields.check_length("tags", fields.sent["tags"], MOST_TAGS)
    if not tags and action != "set":
        raise fields.fault("tags", f"At least one tag is required to {action} tags.")
    if len(ids) * len(tags) > MOST_PAIRS:
        raise invalid(f"Too many changes at once: at most {MOST_PAIRS:,} pairs of record and tag.")
    return TagEdit(ids, action, tags)


def read_numbers(fields: Fields) -> list[int]:
    return read_distinct(fields, whole_number, "A valid integer is required.")


def read_distinct(fields: Fields, read: Callable[[Json], IdT | None], wrong: str) -> list[IdT]:
    """Return the ids, each once, in the order they were sent."""
    ids: dict[IdT, None] = {}
    for place, value in enumerate(fields.required_items("ids", MOST_IDS)):
        if (id := read(value)) is None:
            raise fields.fault(f"ids__{place}", wrong)
        ids[id] = None
    return list(ids)


NOT_EDITABLE: Final = "Not found or no edit access"


def edit_each(
    edit: TagEdit[int], editable: Mapping[int, RecordT], retag: Callable[[RecordT], list[str] | str]
) -> Response:
    """Return the outcomes; `retag` edits one record and returns its tags, or the reason why not."""
    outcomes = {id: retag(editable[id]) if id in editable else NOT_EDITABLE for id in edit.ids}
    updated = [{"id": number, "tags": tags} for number, tags in outcomes.items() if isinstance(tags, list)]
    skipped = [{"id": number, "reason": why} for number, why in outcomes.items() if isinstance(why, str)]
    return respond({"updated": updated, "skipped": skipped})

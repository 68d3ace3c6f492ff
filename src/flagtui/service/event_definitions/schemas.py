"""JSON Schema of event definitions, for the schema document."""

from typing import Final

from flagtui.service.errors import Json
from flagtui.service.event_definitions.fields import DEFINITIONS, LONGEST_NAME
from flagtui.service.field_kinds import text
from flagtui.service.shapes import NUMBER, TEXT, TEXTS, TRUTH, UUID, list_of, page_of, record, whole, words
from flagtui.service.tag_edits import MOST_IDS, RETAGS

_IDS: Final[Json] = {**list_of(UUID), "minItems": 1, "maxItems": MOST_IDS}
_SKIPPED: Final = list_of(whole({"id": UUID, "reason": TEXT}))
_NAME: Final = text(LONGEST_NAME, blank=False).schema

DEFINITION: Final = record(DEFINITIONS.answer_schema(), DEFINITIONS.always(), of=DEFINITIONS.record)
DEFINITION_PAGE: Final = page_of(DEFINITION, count_is_capped=TRUTH)
UPDATE_BODY: Final = record(DEFINITIONS.body_schema(), of=DEFINITIONS.record)
CREATE_BODY: Final = record({"name": _NAME, **DEFINITIONS.body_schema()}, ("name",), of=DEFINITIONS.record)

TAGS_BODY: Final = whole({"ids": _IDS, "action": words(RETAGS), "tags": TEXTS})
VERIFIED_BODY: Final = whole({"ids": _IDS, "verified": TRUTH})
TAGS_DONE: Final = whole({"updated": list_of(whole({"id": UUID, "tags": TEXTS})), "skipped": _SKIPPED})
VERIFIED_DONE: Final = whole(
    {"updated": list_of(whole({"id": UUID, "verified": TRUTH})), "skipped": _SKIPPED}
)

METRICS: Final = whole({"query_usage_30_day": NUMBER})
PRIMARY: Final = whole({"primary_properties": {"type": "object", "additionalProperties": TEXT}})
SOURCE: Final = whole(
    {"content": TEXT, "event_count": NUMBER, "schema_hash": TEXT, "generator_version": TEXT}
)

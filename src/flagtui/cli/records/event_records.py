"""Event definitions, as they are printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import age_words, commas, stamped, yes

if TYPE_CHECKING:
    from flagtui.models.rows import EventDefinitionRow


@dataclass(frozen=True)
class EventTypes:
    """Types for all events, as code."""

    language: str
    code: str
    count: int


_ROW: Final["tuple[RecordField[EventDefinitionRow], ...]"] = (
    RecordField("name", "text", "Its name.", lambda row: row.name, True),
    RecordField("verified", "truth", "Whether it is verified.", lambda row: row.verified, True, yes),
    RecordField("hidden", "truth", "Whether it is out of sight.", lambda row: row.hidden, True, yes),
    RecordField("tags", "texts", "Its tags.", lambda row: list(row.tags), True, commas),
    RecordField("owner", "text", "Who looks after it.", lambda row: row.owner, True),
    RecordField(
        "seen_at", "time?", "When it was last sent.", lambda row: stamped(row.seen_at), True, age_words
    ),
    RecordField("description", "text", "What it means.", lambda row: row.description, True),
    RecordField("id", "text", "Its UUID.", lambda row: row.id),
    RecordField("owner_id", "whole?", "The number of the owner.", lambda row: row.owner_id),
    RecordField(
        "created_at",
        "time?",
        "When it was first sent.",
        lambda row: stamped(row.created_at),
        False,
        age_words,
    ),
    RecordField(
        "updated_at", "time?", "When it was changed.", lambda row: stamped(row.updated_at), False, age_words
    ),
    RecordField("enforcement", "text", "allow or reject.", lambda row: row.enforcement),
    RecordField("primary_property", "text", "What tells most about it.", lambda row: row.primary_property),
    RecordField("builtin", "truth", "Whether the product's libraries send it.", lambda row: row.is_builtin),
)

EVENT: Final["RecordKind[EventDefinitionRow]"] = RecordKind("event", "An event definition.", _ROW)
TYPES: Final[RecordKind[EventTypes]] = RecordKind(
    "event-types",
    "Types for all events, as code.",
    (
        RecordField("language", "text", "typescript, golang or python.", lambda one: one.language, True),
        RecordField("events", "whole", "How many events are in it.", lambda one: one.count, True),
        RecordField("code", "text", "The whole file.", lambda one: one.code, True),
    ),
)

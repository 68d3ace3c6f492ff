"""Flags and what is known of them, as they are printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import (
    age_words,
    commas,
    minute_words,
    on_or_off,
    percent_words,
    stamped,
)

if TYPE_CHECKING:
    from flagtui.models.rows import FlagRow

JSON = Any


@dataclass(frozen=True)
class FlagValue:
    """What one person gets of one flag."""

    key: str
    value: JSON
    reason: str = ""
    condition: int | None = None
    """From 1."""
    payload: JSON = None
    source: str = "server"
    why: str = ""
    distinct_id: str = ""
    steps: Sequence[str] = field(default=())


@dataclass(frozen=True)
class FlagDifference:
    """One place in which two versions differ."""

    key: str
    words: str
    where: str
    before: JSON
    after: JSON
    old_version: int | None
    new_version: int | None


@dataclass(frozen=True)
class StaleFlag:
    """A flag that is on and seems not to be needed."""

    row: "FlagRow"
    gives: str
    needed_by: Sequence[str]


@dataclass(frozen=True)
class ScheduledFlagChange:
    """A change that is due."""

    key: str
    id: int
    words: str
    at: float | None
    is_done: bool
    is_recurring: bool
    payload: Mapping[str, JSON]


ROW_FIELDS: Final["tuple[RecordField[FlagRow], ...]"] = (
    RecordField("key", "text", "Its key.", lambda row: row.key, True),
    RecordField("id", "whole", "Its number.", lambda row: row.id, True),
    RecordField("active", "truth", "Whether it is on.", lambda row: row.active, True, on_or_off),
    RecordField("rollout", "number?", "Its highest share.", lambda row: row.rollout, True, percent_words),
    RecordField(
        "type", "text", "boolean, multivariant, experiment, config, rules.", lambda row: row.type, True
    ),
    RecordField("tags", "texts", "Its tags.", lambda row: list(row.tags), True, commas),
    RecordField(
        "updated_at",
        "time?",
        "When it was changed last.",
        lambda row: stamped(row.updated_at),
        True,
        age_words,
    ),
    RecordField("name", "text", "Its description.", lambda row: row.name, True),
    RecordField("archived", "truth", "Whether it is archived.", lambda row: row.archived),
    RecordField("deleted", "truth", "Whether it is deleted.", lambda row: row.deleted),
    RecordField(
        "conditional",
        "truth",
        "Whether all of that share are asked first.",
        lambda row: row.conditional,
    ),
    RecordField("runtime", "text", "server, client or all.", lambda row: row.runtime),
    RecordField("status", "text", "ACTIVE, STALE, …; never on or off.", lambda row: row.status),
    RecordField("stale", "truth", "On, and seems not to be needed.", lambda row: row.is_stale),
    RecordField(
        "created_at", "time?", "When it was made.", lambda row: stamped(row.created_at), False, age_words
    ),
    RecordField(
        "called_at",
        "time?",
        "When it was last asked for.",
        lambda row: stamped(row.called_at),
        False,
        age_words,
    ),
    RecordField("creator", "text", "Who made it.", lambda row: row.creator),
    RecordField("version", "whole?", "One more with every change.", lambda row: row.version),
    RecordField("experiments", "any", "Numbers of experiments on it.", lambda row: list(row.experiments)),
    RecordField("depends_on", "any", "Numbers of flags it asks for.", lambda row: list(row.depends_on)),
    RecordField("can_edit", "truth", "Whether the key's owner may change it.", lambda row: row.can_edit),
)

FLAG: Final["RecordKind[FlagRow]"] = RecordKind("flag", "A flag as the list has it.", ROW_FIELDS)


VALUE: Final[RecordKind[FlagValue]] = RecordKind(
    "flag-value",
    "What a person gets of a flag, and why.",
    (
        RecordField("key", "text", "Of the flag.", lambda one: one.key, True),
        RecordField(
            "value",
            "any",
            "true, false, a variant; null when not known.",
            lambda one: one.value,
            True,
        ),
        RecordField("reason", "text", "What decided.", lambda one: one.reason, True),
        RecordField(
            "condition", "whole?", "Which condition decided, from 1.", lambda one: one.condition, True
        ),
        RecordField("distinct_id", "text", "Of the person.", lambda one: one.distinct_id, True),
        RecordField("payload", "any", "What comes with the value.", lambda one: one.payload),
        RecordField(
            "source", "text", "server, or here: worked out from the definitions.", lambda one: one.source
        ),
        RecordField("why", "text", "The same in a sentence.", lambda one: one.why),
    ),
)

EXPLANATION: Final[RecordKind[FlagValue]] = RecordKind(
    "flag-explanation",
    "Why a person gets this value: condition by condition.",
    (
        *VALUE.fields,
        RecordField(
            "steps",
            "texts",
            "Each condition in a sentence.",
            lambda one: list(one.steps),
            True,
            lambda steps: "\n".join(steps),
        ),
    ),
)

DIFFERENCE: Final[RecordKind[FlagDifference]] = RecordKind(
    "flag-difference",
    "One place in which two versions of a flag differ.",
    (
        RecordField("key", "text", "Of the flag.", lambda one: one.key),
        RecordField("old_version", "whole?", "The older version.", lambda one: one.old_version),
        RecordField("new_version", "whole?", "The newer version.", lambda one: one.new_version),
        RecordField("words", "text", "The difference in words.", lambda one: one.words, True, is_long=True),
        RecordField("where", "text", "Its place in the flag.", lambda one: one.where, True),
        RecordField(
            "before",
            "any",
            "The value of the older version; null where there was none.",
            lambda one: one.before,
        ),
        RecordField(
            "after", "any", "The value of the newer version; null where there is none.", lambda one: one.after
        ),
    ),
)

STALE: Final[RecordKind[StaleFlag]] = RecordKind(
    "stale-flag",
    "A stale flag: what everyone gets of it, and the flags that ask for it.",
    (
        RecordField("key", "text", "Its key.", lambda one: one.row.key, True),
        RecordField("id", "whole", "Its number.", lambda one: one.row.id),
        RecordField(
            "called_at",
            "time?",
            "When it was last asked for.",
            lambda one: stamped(one.row.called_at),
            True,
            age_words,
        ),
        RecordField(
            "gives",
            "text",
            "What everyone gets; empty while it depends on who asks.",
            lambda one: one.gives,
            True,
        ),
        RecordField(
            "needed_by", "texts", "Flags that ask for it.", lambda one: list(one.needed_by), True, commas
        ),
    ),
)

SCHEDULED: Final[RecordKind[ScheduledFlagChange]] = RecordKind(
    "scheduled-change",
    "A change that the server will make.",
    (
        RecordField("key", "text", "Of the flag.", lambda one: one.key, True),
        RecordField("id", "whole", "What --drop takes.", lambda one: one.id, True),
        RecordField("at", "time?", "When it is due.", lambda one: stamped(one.at), True, minute_words),
        RecordField("words", "text", "What shall happen.", lambda one: one.words, True, is_long=True),
        RecordField("done", "truth", "Whether it has happened.", lambda one: one.is_done),
        RecordField(
            "recurring", "truth", "Whether it happens again and again.", lambda one: one.is_recurring
        ),
        RecordField("payload", "object", "The change as the server keeps it.", lambda one: dict(one.payload)),
    ),
)

DEFINITION: Final[RecordKind[Mapping[str, JSON]]] = RecordKind(
    "flag-definition",
    "A flag as libraries evaluate it.",
    (
        RecordField("key", "text", "Its key.", lambda one: str(one.get("key") or ""), True),
        RecordField("id", "whole?", "Its number.", lambda one: one.get("id"), True),
        RecordField(
            "active", "truth", "Whether it is on.", lambda one: one.get("active") is True, True, on_or_off
        ),
        RecordField("definition", "object", "Everything the server hands out.", dict),
    ),
)

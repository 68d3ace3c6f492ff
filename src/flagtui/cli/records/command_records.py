"""The commands of the program themselves, for programs that use it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import commas


@dataclass(frozen=True)
class CommandDescription:
    """One command; JSON values only."""

    name: str
    summary: str
    arguments: Sequence[Mapping[str, Any]]
    options: Sequence[Mapping[str, Any]]
    schema: str
    fields: Sequence[str]
    writes: bool
    operations: Sequence[str]
    examples: Sequence[str]
    exit_codes: Mapping[str, str]


COMMAND: Final[RecordKind[CommandDescription]] = RecordKind(
    "command",
    "A command of this program.",
    (
        RecordField("name", "text", "Its words, after flagtui.", lambda one: one.name, True),
        RecordField("summary", "text", "What it does.", lambda one: one.summary, True),
        RecordField("writes", "truth", "Whether it changes something.", lambda one: one.writes),
        RecordField(
            "arguments",
            "objects",
            "Each: name, many, required.",
            lambda one: [dict(each) for each in one.arguments],
        ),
        RecordField(
            "options",
            "objects",
            "Each: names, value, choices, required, many, default, help.",
            lambda one: [dict(each) for each in one.options],
        ),
        RecordField(
            "output", "text", "The schema of what --json prints; empty for text.", lambda one: one.schema
        ),
        RecordField("fields", "texts", "What --fields takes.", lambda one: list(one.fields), False, commas),
        RecordField("operations", "texts", "What it asks the server.", lambda one: list(one.operations)),
        RecordField("examples", "texts", "How it is used.", lambda one: list(one.examples)),
        RecordField("exit_codes", "object", "What they mean.", lambda one: dict(one.exit_codes)),
    ),
)

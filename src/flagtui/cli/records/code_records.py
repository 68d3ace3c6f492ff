"""References in code and findings about them, as they are printed."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.code.code_findings import CodeFinding, State
from flagtui.code.reference_records import Reference


class CodeReference(msgspec.Struct, frozen=True):
    """A place that names a key, or a record that no code names."""

    key: str
    state: State
    reference: Reference | None = None
    becomes: str = ""
    subject: str = "flag"
    """The kind of a record that no code names."""


def _of(name: str, missing: object = None) -> Callable[[Any], object]:
    """Read an attribute of the reference; `missing` for a record that no code names."""

    def read(record: CodeReference | CodeFinding) -> object:
        return missing if record.reference is None else getattr(record.reference, name)

    return read


_PLACE: Final[RecordField[Any]] = RecordField(
    "place", "text", "File, line and column; empty for a record that no code names.", _of("place", ""), True
)
_POSITION: Final[tuple[RecordField[Any], ...]] = (
    RecordField("file", "text?", "Relative to the top of the repository.", _of("path")),
    RecordField("line", "whole?", "From 1.", _of("line")),
    RecordField("column", "whole?", "From 1, in characters.", _of("column")),
)
CODE_REFERENCE: Final[RecordSchema[CodeReference]] = RecordSchema(
    "code-reference",
    "A place in code that names a flag or an event, or a record that no code names.",
    (
        _PLACE,
        RecordField(
            "kind",
            "text",
            "call, constant, wrapper, string, comment, test or generated; only the first three are a use.",
            _of("kind", ""),
            True,
        ),
        RecordField("key", "text", "The key or event; empty for a computed one.", None, True),
        RecordField("state", "text", "healthy, or the id of the rule that applies.", None, True),
        RecordField("becomes", "text", "What the code becomes without the flag.", None, True),
        RecordField("subject", "text", "flag or event.", lambda it: (it.reference or it).subject),
        *_POSITION,
        RecordField("function", "text?", "The function that receives the key.", _of("function")),
        RecordField("expression", "text?", "How the call computes or names the key.", _of("expression")),
        RecordField("fallback", "any", "The literal value in the call for no response.", _of("fallback")),
        RecordField("accepted", "text?", "The reason after `flagtui: ok`.", _of("accepted")),
    ),
)
CODE_FINDING: Final[RecordSchema[CodeFinding]] = RecordSchema(
    "code-finding",
    "What a rule reports about a key in code.",
    (
        _PLACE,
        RecordField("level", "text", "error, warning or note.", None, True),
        RecordField("rule", "text", "The id of the rule.", None, True),
        RecordField("message", "text", "What is wrong.", None, True, is_long=True),
        RecordField("key", "text", "The key or event; empty for a computed one."),
        *_POSITION,
        RecordField("fingerprint", "text", "The same while key, file and order stay, whatever the lines."),
    ),
)

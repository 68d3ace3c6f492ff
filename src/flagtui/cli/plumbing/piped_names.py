"""Record names from standard input: a name per line, NDJSON, or a document that `--json` printed."""

import json
from collections.abc import Iterator
from typing import Any, Final

from flagtui.cli.plumbing.errors import Trouble, require_text

LONGEST: Final = 100_000
"""Lines of standard input that are read."""
MOST_TEXT: Final = 256 * 1024 * 1024
"""Characters of standard input that are read, of documents with whole records too."""
BY_ID: Final = "experiment"
"""Experiments share names and flag keys, so their JSON is read by id."""


def names_in(text: str, noun: str) -> Iterator[str]:
    """Yield the name of each record in `text`, exactly as written; none of them is a query.

    Args:
        text: lines whose first column is a name, as `list` prints them, NDJSON, or one JSON document.
        noun: the kind of record that the command takes: flag, experiment, event; empty for any.

    Raises:
        Trouble: for too much text, bytes that are not UTF-8, and JSON without a name of such a record.
    """
    if len(text) > MOST_TEXT:
        raise Trouble(f"more than {MOST_TEXT:,} characters were piped in.", "Send fewer.", code="usage")
    if (document := _as_object(text)) is not None:
        records = document.get("records", [document])
        for record in records if isinstance(records, list) else [document]:
            yield _name_of(record, str(document.get("schema", "")), noun)
        return
    for count, line in enumerate(text.split("\n")):
        if count > LONGEST:
            raise Trouble(f"more than {LONGEST:,} lines were piped in.", "Send fewer.", code="usage")
        if (record := _as_object(line)) is not None:
            yield _name_of(record, str(record.get("schema", "")), noun)
        elif (name := line.rstrip("\r").partition("\t")[0]).strip():
            yield require_text(name)


def _as_object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _name_of(record: Any, schema: str, noun: str) -> str:
    if schema and noun and noun not in schema.split("-"):
        what = f"the JSON piped in has records of the schema {schema!r}, and this command takes {noun}s."
        raise Trouble(what, "Nothing was done.", code="usage")
    # A name can be blank.
    keys = ("id",) if noun == BY_ID else ("key", "name", "id")
    for key in keys:
        if (
            isinstance(record, dict)
            and isinstance(value := record.get(key), str | int)
            and str(value).strip()
        ):
            return str(value)
    raise Trouble(
        f"a JSON record piped in has no {' or '.join(keys)}.", "Print it with --fields id.", code="usage"
    )

"""What options hold: fields and their values, the text of a file, tags."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict

from flagtui.changes.flags.flag_intent import Retagging, read_tags
from flagtui.cli.plumbing.errors import Trouble, require_text
from flagtui.models.json_value import JSON

LONGEST: Final = 4_000_000
"""Characters of a file that are read."""


class TagOptions(TypedDict):
    """As click gives them."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    only: tuple[str, ...]


def read_retagging(added: Sequence[str], removed: Sequence[str], only: Sequence[str]) -> Retagging:
    """What the options ask for. Raises Trouble."""
    if only and (added or removed):
        raise Trouble("--set gives all tags, so there is nothing to add or remove.", code="usage")
    pieces = [*only] if only else [*added, *(f"-{tag}" for tag in removed)]
    if not pieces:
        raise Trouble("no tag is named.", "Use --add, --remove or --set.", code="usage")
    wanted = read_tags(("= " if only else "") + ", ".join(pieces))
    if wanted.problem:
        raise Trouble(f"{wanted.problem}.", code="usage")
    return wanted


def read_fields(given: Sequence[str]) -> dict[str, JSON]:
    """`name=value` pairs; a value is JSON where it can be read as JSON, else text. Raises Trouble."""
    fields: dict[str, JSON] = {}
    for pair in given:
        name, is_given, value = pair.partition("=")
        if not is_given or not name.strip():
            raise Trouble(f"{pair!r} gives no field a value.", "Write name=value.", code="usage")
        try:
            fields[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            fields[name.strip()] = value
    return fields


def read_text(source: str | None) -> str | None:
    """A file, or standard input for `-`; None for no source. Raises Trouble."""
    if source is None:
        return None
    if source == "-":
        if sys.stdin.isatty():
            raise Trouble("- reads standard input, which is a terminal.", "Pipe the JSON in.", code="usage")
        return require_text(sys.stdin.read(LONGEST))
    try:
        return Path(source).read_text(encoding="utf-8")[:LONGEST]
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        raise Trouble(f"{source} cannot be read: {why}.", code="usage") from None

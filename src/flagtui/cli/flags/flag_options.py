"""Intents for flags from options: shares, tags, fields, and JSON that was edited elsewhere."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from flagtui.changes import draft
from flagtui.changes.draft import Faulty
from flagtui.changes.flags.flag_draft import editable, flag_text, intent_of
from flagtui.changes.flags.flag_intent import (
    Intent,
    Retagging,
    read_tags,
    set_all_rollouts,
    set_field,
    set_rollout,
    why_no_rollout,
)
from flagtui.changes.proposal import LeftOut
from flagtui.cli.errors import Trouble, require_text
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.flags.flag_writes import change_flags
from flagtui.cli.flags.new_flag_changes import create_flag, new_fields, with_rollout
from flagtui.cli.flags.new_flag_options import NewFlagOptions
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import print_json
from flagtui.cli.profile_choice import writable_state
from flagtui.cli.project_session import in_project
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import only_one, read_words
from flagtui.cli.terminal_person import find_person
from flagtui.config.editor_program import NoEditor, find_editor
from flagtui.config.locations import find_locations
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

LONGEST = 4_000_000
"""Characters of a file that are read."""


def rollout_intent(flag: Flag, percent: float, condition: int | None) -> Intent | LeftOut:
    """The share of all conditions, or of one, counted from 1."""
    if why := why_no_rollout(flag):
        return LeftOut(flag.id, flag.key, why)
    if condition is None:
        return set_all_rollouts(flag, percent)
    count = len(flag.targeting.conditions)
    if condition > count:
        return LeftOut(flag.id, flag.key, f"it has {count} condition{'s' * (count != 1)}, so no {condition}")
    return set_rollout(flag, condition - 1, percent)


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


def tag_intent(flag: Flag, wanted: Retagging) -> Intent:
    """The tags afterwards."""
    return set_field(flag.id, "tags", list(flag.tags), list(wanted.of(flag.tags)), flag.version)


def read_fields(given: Sequence[str]) -> dict[str, JSON]:
    """`name=value` pairs; a value is JSON where it can be read as JSON, else text. Raises Trouble."""
    fields: dict[str, JSON] = {}
    for pair in given:
        name, is_given, value = pair.partition("=")
        if not is_given or not name.strip():
            raise Trouble(f"{pair!r} gives no field a value.", "Write name=value.", code="usage")
        fields[name.strip()] = _read_value(value)
    return fields


def edit_intent(flag: Flag, fields: Mapping[str, JSON], text: str | None) -> Intent | LeftOut:
    """Fields with new values on top of an edited text, or of the flag as it is. Raises Trouble."""
    shown = editable(flag)
    if text is not None:
        edited = flag_text(flag).read(text)
        if isinstance(edited, Faulty):
            raise Trouble(f"{flag.key}: {'; '.join(edited.reasons[:3])}.", code="usage")
        shown |= edited
    unknown = [name for name in fields if name not in shown]
    if unknown:
        fix = f"Fields: {', '.join(editable(flag))}."
        raise Trouble(f"{unknown[0]} is no field that can be edited.", fix, code="usage")
    found = intent_of({**shown, **fields}, flag)
    return found or LeftOut(flag.id, flag.key, "it says what is there already")


def read_text(source: str) -> str:
    """A file, or standard input for `-`. Raises Trouble."""
    if source == "-":
        if sys.stdin.isatty():
            raise Trouble("- reads standard input, which is a terminal.", "Pipe the JSON in.", code="usage")
        return require_text(sys.stdin.read(LONGEST))
    try:
        return Path(source).read_text(encoding="utf-8")[:LONGEST]
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        raise Trouble(f"{source} cannot be read: {why}.", code="usage") from None


def edit_flag(word: str, fields: Sequence[str], source: str | None, terms: WriteTerms) -> int:
    """Fields, a file, or the person's editor; the exit code. Raises Trouble."""
    new, text = read_fields(fields), read_text(source) if source is not None else None
    if not new and text is None:
        return change_flags([word], lambda flag: _edited(flag, terms), terms)
    return change_flags([word], lambda flag: edit_intent(flag, new, text), terms)


def print_flag(word: str, terms: WriteTerms) -> int:
    """The JSON that `--from` takes. Raises Trouble."""
    wanted = read_words([word], FLAGS.is_query)
    flags = in_project(terms.place, lambda session: flags_of(session, wanted))
    return print_json(editable(only_one(flags, "flag")))


def create_from_options(key: str, given: NewFlagOptions, terms: WriteTerms) -> int:
    """A new flag as the options say; the exit code. Raises Trouble."""
    fields = new_fields(key, given["kind"], given["variants"], given["payload"])
    fields = with_rollout(fields, given["percent"]) | {"name": given["description"]}
    tags = [tag.strip().lower() for tag in given["tags"] if tag.strip()]
    more = read_fields(given["values"])
    return create_flag(
        fields | ({"tags": tags} if tags else {}) | ({"active": True} if given["enable"] else {}) | more,
        terms,
    )


def _edited(flag: Flag, terms: WriteTerms) -> Intent | LeftOut:
    """What is left of the flag's JSON when the editor closes. Raises Trouble."""
    if terms.printer.format != "table" or not find_person().is_there:
        raise Trouble("there is no terminal for an editor.", "Use --field or --from.", code="usage")
    folder, record = writable_state(find_locations()) / "drafts", flag_text(flag)
    try:
        made = draft.edit(record, find_editor(), folder)
    except NoEditor as why:
        raise Trouble(f"{why}.", code="usage") from None
    if isinstance(made, draft.GivenUp):
        kept = f"Your text is kept in {made.copy}" if made.copy else ""
        raise Trouble(f"{flag.key}: {'; '.join(made.reasons[:3])}.", kept)
    intent = intent_of({**record.shown, **made}, flag)
    if intent is None:
        return LeftOut(flag.id, flag.key, "nothing was changed")
    draft.keep_changes(record, made, folder)
    return intent


def _read_value(text: str) -> JSON:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

"""`flagtui flags edit`: fields, a file, or the JSON of a flag in the person's editor."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TypedDict, Unpack

import click
from msgspec.structs import replace

from flagtui.changes import editor_text
from flagtui.changes.editor_text import Faulty
from flagtui.changes.flags.filter_rules import problems_in_fields
from flagtui.changes.flags.flag_draft import editable, flag_text, intent_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.skipped import Skipped, skip_no_op
from flagtui.cli.commands.flags.flag_changes import WRITE, change_flags, change_selected
from flagtui.cli.commands.flags.flag_selection import NAMING, flag_of, flags_of, flags_to_change
from flagtui.cli.plumbing.bulk_reader import BulkReader
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.input_text import read_text
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import (
    FIELD,
    IF_VERSION,
    PRINT,
    WriteTerms,
    read_fields,
    source_option,
)
from flagtui.cli.plumbing.output.lines import print_json, print_line
from flagtui.cli.plumbing.profile_choice import writable_state
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.prompts import find_prompts
from flagtui.cli.plumbing.selection import RecordSelection, number_in, only_one
from flagtui.cli.plumbing.word_types import FLAG_OR_FILE
from flagtui.cli.records.flag_files import FOLLOWING, is_flag_file, read_flags
from flagtui.config.editor_program import NoEditor, find_editor
from flagtui.config.locations import find_locations
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_id
from flagtui.models.record_fields import FLAG_FIELDS


class EditOptions(TypedDict):
    """The options as click passes them."""

    values: tuple[str, ...]
    source: str | None
    is_printed: bool
    rename: bool


@change_command(
    "edit",
    operations=(*WRITE, *NAMING),
    examples=(
        "checkout-redesign --field name='New checkout' --dry-run",
        "checkout-redesign --from flag.json --yes",
        "--from flags.json --dry-run",
    ),
)
@FLAG_OR_FILE
@IF_VERSION
@ruled_option(
    "--rename",
    is_flag=True,
    help="Let the JSON of --from change the key; --field key=NEW needs no --rename.",
    requires=("--from",),
)
@FIELD
@source_option(help="JSON as --print or flags get --json prints it, of one flag or many; - reads stdin.")
@PRINT
async def edit(
    session: ProjectSession, flag: RecordSelection | None, terms: WriteTerms, **given: Unpack[EditOptions]
) -> int:
    """Change fields of a flag; without --field and --from its JSON opens in your editor.

    Fields are those that --print prints. The JSON of --from changes the key only with --rename.
    Without FLAG, --from names the flags by their keys, with --rename by their ids.
    """
    values, source = given["values"], given["source"]
    if flag is None and source is None:
        raise click.UsageError("Missing argument 'FLAG'. Name a flag, or give --from FILE.")
    if flag is None:
        records = read_flags(read_text(source) or "")
        return await _edit_records(session, records, terms, may_rename=given["rename"])
    if given["is_printed"]:
        return print_json(editable(await flag_of(session, flag)))
    new, text = read_fields(values), read_text(source)
    if text is not None and is_flag_file(text):
        (record, *more) = read_flags(text)
        if more:
            raise Trouble("the file has several flags.", "Leave out FLAG to change them all.", code="usage")
        to_record = partial(_edit_to_record, record=record, may_rename=given["rename"])
        fresh = only_one(await flags_to_change(session, flag, terms), "flag")
        return await change_flags(session, [fresh], to_record, terms)
    if new or text is not None:
        to_values = partial(_edit_intent, fields=new, text=text, may_rename=given["rename"])
        return await change_selected(session, flag, to_values, terms)
    in_editor = partial(_edit_in_editor, terms=terms)
    return await change_flags(session, await flags_to_change(session, flag, terms), in_editor, terms)


async def _edit_records(
    session: ProjectSession, records: Sequence[Mapping[str, JSON]], terms: WriteTerms, *, may_rename: bool
) -> int:
    """Change the flags of these records, named by keys, or by ids where keys may change. Raises Trouble."""
    names = [str(record.get("id", "") if may_rename else record["key"]) for record in records]
    if may_rename and None in map(number_in, names):
        raise Trouble("--rename needs the id of each flag in the file.", code="usage")
    if len({*names}) < len(names):
        raise Trouble("the file has an id more than once.", code="usage")
    records_by_name = dict(zip(names, records, strict=True))

    def edit_flag(fresh: Flag) -> Intent | Skipped:
        record = records_by_name.get(str(fresh.id) if may_rename else fresh.key)
        if record is None:
            what = f"the file names {fresh.key} by another word than its key; nothing was sent."
            raise Trouble(what, "Name it by its key, or by its id with --rename.", code="usage")
        return _edit_to_record(fresh, record, may_rename=may_rename)

    async def find(
        session: ProjectSession, selection: RecordSelection, bulk: BulkReader | None
    ) -> list[Flag]:
        flags = await flags_of(session, selection, bulk)
        if len(flags) < len(selection.names):
            raise Trouble("the file names a flag twice; nothing was sent.", code="usage")
        return flags

    return await change_selected(session, RecordSelection(tuple(names)), edit_flag, terms, find=find)


def _edit_to_record(fresh: Flag, record: Mapping[str, JSON], *, may_rename: bool) -> Intent | Skipped:
    """Return the intent that gives the flag the values of a record in a file. Raises Trouble."""
    if not may_rename:
        _check_key(fresh, record["key"], "file")
    # Older servers lack some fields.
    shown = editable(fresh)
    changes = {name: value for name, value in record.items() if name in shown}
    _check_following(fresh, record, changes)
    if problems := problems_in_fields(flag_text(fresh).changed_values(changes), fresh):
        raise Trouble(f"{fresh.key}: {'; '.join(problems[:3])}.", code="usage")
    intent = intent_of(changes, fresh)
    if intent is None:
        return skip_no_op(fresh.id, fresh.key, "it has these values already")
    printed = as_id(record.get("version")) or fresh.version
    # Files copy values from other flags and projects, too.
    is_this = as_id(record.get("id")) == fresh.id and (printed or 0) <= (fresh.version or 0)
    return replace(intent, seen_version=printed) if is_this else intent


def _check_following(fresh: Flag, record: Mapping[str, JSON], changes: Mapping[str, JSON]) -> None:
    """Raise Trouble for an edited value that follows from other fields, and would be lost.

    It may be the current one, beside other changes of the file.
    """
    before, after = fresh.row(), Flag.of({**fresh.raw, **changes}).row()
    for name in FOLLOWING:
        if name not in record or record[name] in (getattr(before, name), getattr(after, name)):
            continue
        words = ("rollout", fresh.key, "--to", "PERCENT") if name == "rollout" else ("delete", fresh.key)
        what = f"{fresh.key}: {name} cannot be changed in a file; nothing was sent."
        raise Trouble(what, f"Use: {next_command('flags', *words)}", code="usage")


def _edit_intent(
    flag: Flag, fields: Mapping[str, JSON], text: str | None, *, may_rename: bool
) -> Intent | Skipped:
    """Apply new field values to an edited text, or to the flag itself. Raises Trouble."""
    shown = editable(flag)
    if text is not None:
        edited = flag_text(flag).read(text)
        if isinstance(edited, Faulty):
            raise Trouble(f"{flag.key}: {'; '.join(edited.reasons[:3])}.", code="usage")
        if not may_rename:
            _check_key(flag, edited.get("key", flag.key), "JSON")
        shown |= edited
    unknown = [name for name in fields if name not in shown]
    if unknown:
        name, fix = unknown[0], _closest_field(unknown[0], editable(flag))
        what = f"{name} is not a field that can be edited."
        if name in FLAG_FIELDS.edited and name not in flag.raw:
            what = f"this server has no `{name}` and would ignore it."
        raise Trouble(what, fix, code="usage")
    intent = intent_of({**shown, **fields}, flag)
    return intent or skip_no_op(flag.id, flag.key, "it has these values already")


def _check_key(flag: Flag, key: JSON, source: str) -> None:
    """Raise Trouble for another key than the flag's."""
    if key != flag.key:
        what = f"the {source} has the key {key}, and the flag is {flag.key}; nothing was sent."
        raise Trouble(what, "To rename the flag: --rename", code="usage")


def _closest_field(name: str, fields: Iterable[str]) -> str:
    """Return the field or command that a screen calls so, else all fields."""
    if name == "rollout":
        return f"Use: {next_command('flags', 'rollout', 'FLAG', '--to', 'PERCENT')}"
    field = next((each for each in fields if FLAG_FIELDS[each].label == name), None)
    return f"Use --field {field}=VALUE" if field else f"Fields: {', '.join(fields)}."


def _edit_in_editor(flag: Flag, terms: WriteTerms) -> Intent | Skipped:
    """Return the intent of the edited JSON when the editor closes. Raises Trouble."""
    if terms.printer.format != "table" or not find_prompts().is_there:
        raise Trouble("there is no terminal for an editor.", "Use --field or --from.", code="usage")
    folder, record = writable_state(find_locations(), "your draft") / "drafts", flag_text(flag)
    try:
        editor = find_editor()
        if editor.notice:
            print_line(f"{editor.notice}.")
        made = editor_text.edit(record, editor, folder)
    except NoEditor as why:
        raise Trouble(f"{why}.", code="usage") from None
    if isinstance(made, editor_text.GivenUp):
        kept = f"Your text is kept in {made.copy}" if made.copy else ""
        raise Trouble(f"{flag.key}: {'; '.join(made.reasons[:3])}; nothing was sent.", kept)
    intent = intent_of({**record.shown, **made}, flag)
    if intent is None:
        return skip_no_op(flag.id, flag.key, "its text was not edited")
    editor_text.keep_changes(record, made, folder)
    return intent

"""`flagtui journal`: the changes from this machine, for reading, sharing and programs."""

import shutil
import time
from collections.abc import Iterator, Sequence
from typing import Final, get_args

import click

from flagtui import local_time
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, ever_undone
from flagtui.changes.timeline import markdown as markdown_of
from flagtui.changes.timeline import summary
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.option_rules import OUTPUT_USES, limit_option, ruled_option
from flagtui.cli.plumbing.options import PROFILE, choose_name
from flagtui.cli.plumbing.output.lines import keep_first, print_line
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.profile_choice import settings_in
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.since_option import read_since, since_option
from flagtui.cli.plumbing.value_types import SHORT_ID
from flagtui.config.locations import find_locations
from flagtui.text.formats import count
from flagtui.text.long_lists import wrap_safe

INDENT: Final = SHORT_ID + 2
"""Cells before the lines below the first one of a change."""
MOST: Final = 6
"""Differences of a change that are listed; the rest is counted."""
MOST_CHANGES: Final = 200
"""Changes that are printed unless more are asked for."""
ENTRY: Final[RecordSchema[Entry]] = RecordSchema(
    "journal-entry",
    "A change of yours, from the journal of this machine.",
    (
        RecordField("id", "text", "The id for flagtui undo.", is_shown=True),
        RecordField("at", "time?", "When it was sent.", is_shown=True),
        RecordField("profile", "text", "The profile.", lambda entry: entry.signature.profile, True),
        RecordField("record_kind", "text", "flag, experiment, event_definition, …", lambda entry: entry.kind),
        RecordField("record", "text", "The id of the record.", lambda entry: entry.uuid or str(entry.record)),
        RecordField("key", "text", "What the record was called.", is_shown=True),
        RecordField(
            "change", "text", "What was done; after `undo:` or `redo:` for one of those.", is_shown=True
        ),
        RecordField("verb", "text", "What was done, whether it is an undo or not."),
        RecordField(
            "ending",
            "text",
            "How it ended; open while unknown.",
            lambda entry: entry.ending or "open",
            True,
            choices=("open", *get_args(Ending)),
        ),
        RecordField("differences", "texts", "The differences in words.", lambda entry: entry.words),
        RecordField("before", "object", "The changed fields before.", lambda entry: dict(entry.before)),
        RecordField("after", "object", "The changed fields after.", lambda entry: dict(entry.after)),
        RecordField("reason", "text", "The reason that the user gave."),
        RecordField("by", "text", "The owner of the key.", lambda entry: entry.signature.by),
        RecordField("host", "text", "The server.", lambda entry: entry.signature.host),
        RecordField("project", "text", "The project.", lambda entry: entry.signature.project),
        RecordField("version", "whole?", "The version before."),
        RecordField("saved_version", "whole?", "The version after."),
        RecordField("batch", "text", "The same id for all changes confirmed together."),
        RecordField("undoes", "text", "The entry that it undid."),
        RecordField("ended_at", "time?", "When the outcome was recorded."),
        RecordField("is_secret", "truth", "Whether payloads are masked."),
        RecordField("note", "text", "The result of a later check."),
    ),
    version=2,
)


def find_changes(start: float, words: str, profile: str) -> list[Entry]:
    """Return changes, newest first, of one profile if it is named. Raises Trouble."""
    folder = find_locations().state
    if folder is None:
        raise Trouble("there is no home folder, so there is no journal.", "Set HOME.")
    journal = Journal(folder / "journal")
    entries = journal.entries(start, words)
    if not entries and (fault := journal.fault()):
        raise Trouble(f"the journal cannot be read: {fault}.")
    return [entry for entry in entries if not profile or entry.signature.profile == profile]


def print_changes(entries: Sequence[Entry], nothing: str) -> None:
    """Print each entry, with its place, differences and reason below; `nothing` without any."""
    if not entries:
        print_line(nothing)
    gone, width = ever_undone(entries), shutil.get_terminal_size().columns
    for entry in entries:
        place = entry.signature.profile or entry.signature.project
        head = f"{entry.id[:SHORT_ID]:<{SHORT_ID}}  {local_time.second(entry.at)}  {place:<8}"
        change = f"{summary(entry)}{_back(entry, gone)}"
        if is_on_one_line := len(head) + len(change) + 2 <= width:
            print_line(f"{head}  {change}")
        else:
            print_line(head.rstrip())
        for text in _about(entry) if is_on_one_line else (change, *_about(entry)):
            for line in wrap_safe(text, width - INDENT):
                print_line(f"{'':{INDENT}}{line}")


def _about(entry: Entry) -> Iterator[str]:
    yield f"in project {entry.signature.project} on {entry.signature.host}"
    yield from entry.words[:MOST]
    if (more := len(entry.words) - MOST) > 0:
        yield f"and {count(more, 'more difference')}"
    if entry.reason:
        yield f"why: {entry.reason}"
    if entry.note:
        yield f"note: {entry.note}"


def _back(entry: Entry, gone: frozenset[str]) -> str:
    """Return which change the entry undid, and whether it was undone itself."""
    did = f", undoes {entry.undoes[:SHORT_ID]}" if entry.undoes else ""
    return did + (", undone" if entry.id in gone else "")


@command(
    "journal",
    line="Show what you changed, for reading, sharing and programs.",
    kind=ENTRY,
    is_online=False,
    examples=("--since 2h", "checkout --json --fields id,at,key,verb,ending"),
)
@click.argument("words", nargs=-1)
@PROFILE
@since_option("Print only changes since then")
@ruled_option("--markdown", is_flag=True, help="A timeline to paste into a report.", excludes=OUTPUT_USES)
@limit_option(MOST_CHANGES)
def journal(
    words: tuple[str, ...], profile: str, since: str, markdown: bool, limit: int, printer: Printer
) -> None:
    """Show your changes, newest first; WORDS narrow to key, verb, user, reason or outcome."""
    # They have the time zone.
    settings_in(find_locations())
    start = read_since(since, time.time()) or 0.0
    matches = find_changes(start, " ".join(words), choose_name("profile", profile))
    entries = keep_first(matches, limit, MOST_CHANGES)
    if markdown:
        # For readers at another time, in another zone.
        moment = f" since {local_time.minute(start)}{local_time.beside(start)}" if since else ""
        print(markdown_of(entries, f"Changes{moment}"))
    elif printer.format == "table" and not printer.has_chosen_form:
        is_narrowed = words or since or profile
        print_changes(entries, "No change of yours matches." if is_narrowed else "You changed nothing yet.")
    else:
        printer.records(ENTRY, entries)

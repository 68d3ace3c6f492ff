"""`flagtui refs`: where code names flags and events."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click
from msgspec.structs import replace

from flagtui.cli.plumbing.code_facts import load_facts, request_facts
from flagtui.cli.plumbing.code_scan import ScanPlace, scan_code
from flagtui.cli.plumbing.near_names import not_found
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import CHANGED_SINCE, OFFLINE, WorkPlace
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.cli.plumbing.project_session import open_profile
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import FLAGS, read_query
from flagtui.cli.plumbing.value_types import FilePath
from flagtui.cli.records.code_records import CODE_REFERENCE, CodeReference
from flagtui.code.code_findings import find_unused, state_of
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.languages import LANGUAGES
from flagtui.code.reference_records import Reference
from flagtui.code.stored_places import becomes
from flagtui.text.formats import count


class RefsOptions(TypedDict):
    """The options of the command."""

    folders: tuple[Path, ...]
    languages: tuple[str, ...]
    changed_since: str
    offline: bool


@command(
    "refs",
    line="List where code names flags and events.",
    kind=CODE_REFERENCE,
    operations=("flags.list", "flags.activity", "cohorts.list", "event_definitions.list"),
    examples=("", "checkout-redesign --in .", "is:stale --json"),
)
@click.argument("words", nargs=-1, metavar="[QUERY|KEY]...")
@click.option(
    "--in",
    "folders",
    multiple=True,
    metavar="DIR",
    type=FilePath(),
    help="Search this folder; the current one unless given.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    type=click.Choice([*LANGUAGES]),
    help="Parse only this language.",
)
@CHANGED_SINCE
@OFFLINE
def refs(place: WorkPlace, printer: Printer, words: tuple[str, ...], **options: Unpack[RefsOptions]) -> int:
    """List the places in code that name flags and events.

    QUERY selects flags as the search line of the app does; KEY is a flag or an event, also one that does not
    exist. No line of source leaves this machine, and no file is changed.
    """
    queries = [word for word in words if _is_query(word)]
    names = [word for word in words if word not in queries]
    if queries:
        read_query(" ".join(queries), FLAGS.kind.listing.vocabulary)
    opening = open_profile(place.profile, place.project)
    facts = load_facts(opening) if options["offline"] else request_facts(opening, place)
    selected = _selected_keys(opening, facts, queries, names)
    scan_place = ScanPlace(options["folders"], options["languages"], options["changed_since"])
    result = scan_code(opening, scan_place, facts, names)
    is_selected = selected.__contains__ if words else lambda _key: True
    records = [
        CodeReference(each.key, state_of(each, facts), each, becomes(each, facts))
        for each in (_with_subject(each, facts) for each in result.shown)
        if is_selected(each.key)
    ]
    if not options["changed_since"] and result.scan.is_parsed:
        unused = [
            CodeReference(each.key, each.rule, subject=each.subject)
            for each in find_unused(result.scan.references, facts)
            if each.rule == "unreferenced" and is_selected(each.key)
        ]
        # Other programs send most events of a project.
        listed = [each for each in unused if words or each.subject == "flag"]
        if hidden := len(unused) - len(listed):
            see = next_command("check", *map(str, options["folders"]), "--rules", "unreferenced")
            warn(f"no call sends {count(hidden, 'more event')}; see: {see}")
        records += listed
    unknown = [
        name
        for name in names
        if not _is_record(name, facts) and not any(each.key == name for each in records)
    ]
    if unknown:
        raise not_found("flag or event", unknown, facts.flags, "flags list")
    printer.records(CODE_REFERENCE, records, "No code names them.")
    return 0


def _with_subject(reference: Reference, facts: CodeFacts) -> Reference:
    """Return the reference; the name of an event in quotes is no key of a flag."""
    is_event = reference.key in (facts.events or {}) and reference.key not in facts.flags
    return replace(reference, subject="event") if is_event and not reference.function else reference


def _is_query(word: str) -> bool:
    qualifier = word.removeprefix("-").partition(":")[0]
    return ":" in word and qualifier in FLAGS.kind.listing.vocabulary.qualifiers


def _is_record(name: str, facts: CodeFacts) -> bool:
    return name in facts.flags or name in (facts.events or {})


def _selected_keys(
    opening: Opening, facts: CodeFacts, queries: Sequence[str], names: Sequence[str]
) -> Collection[str]:
    """Return the keys that the words mean. Raises Trouble."""
    if not queries:
        return frozenset(names)
    line = " ".join(queries)
    query_facts = FLAGS.check(read_query(line, FLAGS.kind.listing.vocabulary), opening, facts.taken_at)
    rows = FLAGS.search(
        [flag.row for flag in facts.flags.values() if not flag.row.deleted], line, "", query_facts
    )
    return frozenset([*names, *(row.key for row in rows)])

"""`flagtui doctor`: findings about the installation, to paste into a report, without secrets."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import click
from msgspec.structs import replace

from flagtui import __version__
from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.journal import Journal
from flagtui.cli.plumbing.client import make_client, report_waits
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble, in_words
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import PROFILE, choose_name
from flagtui.cli.plumbing.output.lines import print_line
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.profile_choice import (
    LoginEnvironment,
    Opening,
    ProfileRequest,
    choose,
    how_to_get_a_key,
)
from flagtui.cli.plumbing.project_session import open_project
from flagtui.cli.plumbing.record_command import command
from flagtui.config.credentials import FoundSecret, NoCredential
from flagtui.config.findings import (
    CORRECT,
    Finding,
    find_choice,
    find_folders,
    find_key,
    find_program,
    find_settings,
    find_terminal,
    find_time_zone,
)
from flagtui.config.locations import KEY_VARIABLE, Locations, find_locations, read_environment, take_variable
from flagtui.config.settings import Settings, SettingsError, parse_settings, read_settings
from flagtui.local_time import use_zone
from flagtui.safe_text import safe_text
from flagtui.store.key_info import abilities, load_identity
from flagtui.store.kinds import KINDS
from flagtui.store.query.language import read_line
from flagtui.text.clock_words import SET, clock_words
from flagtui.text.formats import count

_MARKS = {"fine": "✓", "note": "·", "wrong": "✗"}

FINDING: Final[RecordSchema[Finding]] = RecordSchema(
    "finding",
    "A finding of the doctor.",
    (
        RecordField("subject", "text", "What was checked.", is_shown=True),
        RecordField("value", "text", "What was found.", is_shown=True),
        RecordField("state", "text", "fine, note or wrong.", is_shown=True),
        RecordField("next", "text", "The next step.", is_shown=True),
    ),
    version=2,
)


def diagnose(request: ProfileRequest, *, offline: bool) -> list[Finding]:
    """Return all findings, each after those that it depends on."""
    given, key, places = read_environment(), take_variable(KEY_VARIABLE), find_locations()
    findings = [*find_program(__version__), *find_terminal(), *find_folders(places), *_journal(places)]
    try:
        settings = read_settings(places.settings_file)
        findings += [*find_settings(places, settings), *_look(settings)]
        use_zone(settings.time_zone)
    except SettingsError as wrong:
        findings += find_settings(places, wrong)
        settings = parse_settings("")
    findings.append(find_time_zone(settings.time_zone, time.time()))
    try:
        opening = choose(LoginEnvironment(given, key, places, settings), request)
    except Trouble as trouble:
        return [*findings, Finding("profile", str(trouble), "wrong")]
    findings += find_choice(given, opening.chosen)
    if opening.host.notice:
        findings.append(Finding("address", opening.host.notice, "note"))
    if opening.project_name:
        findings.append(Finding("project name", opening.project_name))
    if offline:
        return findings
    # Once: a key_command may want a touch or a passphrase.
    secret = opening.keys.find(opening.owner)
    findings += find_key(secret, opening.keys, opening.owner, partial(how_to_get_a_key, opening))
    return findings + _ask_server(opening, secret)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print each finding on a line, and its next step below."""
    width = max(len(finding.subject) for finding in findings)
    indent = " " * (width + 4)
    for finding in findings:
        mark = _MARKS[finding.state]
        line = f"{mark} {safe_text(finding.subject):<{width}}  {safe_text(finding.value, 500)}"
        print_line(line, len(indent))
        if finding.next:
            print_line(f"{indent}→ {finding.next}", len(indent) + 2)


def _look(settings: Settings) -> Iterator[Finding]:
    """Yield the mistakes in theme, columns, keys and saved queries, which the app alone reads."""
    # Loads the whole app.
    from flagtui.cli.launch.app_session import checked_keymap

    try:
        checked_keymap(settings)
    except Trouble as wrong:
        yield Finding("app settings", wrong.what, "wrong", CORRECT)
    for query in settings.queries:
        # Other lists of the app have no vocabulary below it.
        if (kind := KINDS.get(query.list)) is None:
            continue
        for problem in read_line(query.line, kind.listing.vocabulary).problems:
            part = query.line[problem.start : problem.end]
            words = f"{query.name} ({query.list}): {part}: {problem.reason}"
            yield Finding("saved query", words, "note", "The list ignores it. Correct it in [[queries]].")


def _journal(places: Locations) -> Iterator[Finding]:
    if places.state is None:
        return
    journal = Journal(places.state / "journal")
    entries, torn, still_open = journal.entries(), journal.torn_lines(), journal.unresolved()
    if fault := journal.fault():
        yield Finding("journal", f"cannot be read: {fault}", "wrong", "Make it readable; undo needs it.")
    if entries or not fault:
        yield Finding("journal", count(len(entries), "change"))
    if torn:
        yield Finding("journal", f"{count(torn, 'line')} cut off or damaged, and skipped", "note")
    if still_open:
        undo = next_command("undo", "--dry-run")
        advice = f"Open the app in that profile, or use {undo} there: both check whether they were applied."
        changes = count(len(still_open), "change")
        yield Finding("journal", f"{changes} whose outcome is not known", "note", advice)


def _ask_server(opening: Opening, secret: FoundSecret | NoCredential) -> list[Finding]:
    if not isinstance(secret, FoundSecret):
        return []
    try:
        return asyncio.run(_findings_of_server(opening, secret))
    except ApiError as error:
        return [Finding("server", secret.key.redact(error.what), "wrong", in_words(error).fix)]


async def _findings_of_server(opening: Opening, secret: FoundSecret) -> list[Finding]:
    async with make_client(opening.profile, opening.host, secret.key) as client:
        client.link.watch(report_waits(client.link))
        introduction = await load_identity(client)
        findings = [Finding("server", f"{opening.host.origin} responds"), *_clock(client)]
        if introduction.person:
            findings.append(Finding("signed in", "yes, and the server reports the user"))
        granted = abilities(introduction.key)
        generation = (
            "reports the scopes of a key" if granted else "does not report the scopes of a key: older"
        )
        findings.append(Finding("generation", generation, "fine" if granted else "note"))
        findings += [
            Finding("key may", f"{each.words} ({each.scope})")
            if each.works
            else Finding("key may not", f"{each.words}", "note", f"Add {each.scope} to the key.")
            for each in granted
        ]
        findings.append(await _flags(client, opening))
    return [replace(each, value=secret.key.redact(each.value)) for each in findings]


async def _flags(client: Client, opening: Opening) -> Finding:
    try:
        opened, _ = await open_project(client, opening)
        page = await opened.flags.page({"limit": 1})
    except ApiError as error:
        return Finding("flags", error.what, "wrong", in_words(error).fix)
    except Trouble as trouble:
        return Finding("flags", trouble.what, "wrong", trouble.fix)
    versioned = "with versions" if all(row.version is not None for row in page.rows) else "without versions"
    return Finding("flags", f"{page.total:,} in project {opened.project}, {versioned}")


def _clock(client: Client) -> Iterator[Finding]:
    if words := clock_words(client.link):
        yield Finding("clock", words, "note", SET)


@command(
    "doctor",
    line="Check settings, key, server and terminal; to paste into a report.",
    kind=FINDING,
    is_online=False,
    examples=("", "--offline --json"),
)
@PROFILE
@click.option("--offline", is_flag=True, help="Use neither the server nor the keyring.")
def doctor(profile: str, offline: bool, printer: Printer) -> None:
    """Check settings, key, server and terminal, and show the findings, without secrets."""
    request = ProfileRequest(choose_name("profile", profile), choose_name("project", ""))
    findings = diagnose(request, offline=offline)
    if printer.has_chosen_form:
        printer.records(FINDING, findings)
    else:
        print_findings(findings)
    if any(finding.state == "wrong" for finding in findings):
        raise SystemExit(EXIT_CODES["findings"])

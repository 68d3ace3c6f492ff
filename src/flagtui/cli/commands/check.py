"""`flagtui check`: whether every key in code is valid, for builds."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, TypedDict, Unpack

import click

from flagtui.cli.plumbing.code_facts import load_facts, request_facts
from flagtui.cli.plumbing.code_scan import ScanPlace, scan_code
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import CHANGED_SINCE, OFFLINE, WorkPlace
from flagtui.cli.plumbing.output.lines import print_json, print_line, progress, warn
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.cli.plumbing.project_session import open_profile
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.value_types import FilePath
from flagtui.cli.records.code_records import CODE_FINDING
from flagtui.code.ci_reports import (
    FINGERPRINT,
    RESULT_LIMIT,
    count_words,
    github_lines,
    gitlab_document,
    junit_document,
    sarif_document,
)
from flagtui.code.code_findings import DEFAULT_RULES, RULES, CodeFinding, find_findings
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.syntax import PARSER, has_parser
from flagtui.models.code_uses import RuleId
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.private_folders import read_file
from flagtui.safe_text import safe_text

FORMATS: Final = ("text", "json", "sarif", "github", "gitlab", "junit")
DOCUMENTS: Final = ("json", "sarif", "gitlab", "junit")
"""Formats that programs read whole: without a check they have no result, and are valid."""
WITHOUT_CODE: Final[RuleId] = "missing-required"
"""The rule that reads no code."""
LARGEST: Final = 64
"""MiB of a baseline that are read."""
TOOL: Final = "flagtui"
"""The name of our runs in SARIF, which can hold those of other tools, too."""


class CheckOptions(TypedDict):
    """The options of the command."""

    rules: tuple[str, ...]
    changed_since: str
    output: str
    baseline: Path | None
    required: tuple[str, ...]
    offline: bool
    offline_ok: bool


@command(
    "check",
    line="Check that every key in code is valid, for builds.",
    only_shows=True,
    operations=("flags.list", "flags.activity", "cohorts.list", "event_definitions.list"),
    examples=("--rules missing-required --require checkout-redesign", ". --rules archived -o sarif"),
)
@click.argument("folder", required=False, metavar="[DIR]", type=FilePath())
@click.option("--rules", multiple=True, metavar="IDS", help=f"Rules with commas, or all: {', '.join(RULES)}.")
@CHANGED_SINCE
@click.option("-o", "--output", type=click.Choice(FORMATS), default="text", help="The format of the report.")
@click.option(
    "--baseline",
    type=FilePath(),
    metavar="FILE",
    help="Ignore the findings of this earlier report: json, sarif or gitlab.",
)
@click.option(
    "--require", "required", multiple=True, metavar="KEY", help="Report this flag if it is missing."
)
@OFFLINE
@ruled_option(
    "--offline-ok",
    is_flag=True,
    help="Use them where the server is unreachable, or pass without.",
    excludes=("--offline",),
)
def check(place: WorkPlace, folder: Path | None, **options: Unpack[CheckOptions]) -> int:
    """Check the keys of flags and events in code; exit with 7 for findings.

    The default --rules are unknown-key, deleted-key, archived and missing-required. The marker
    "flagtui: ok REASON" in a comment accepts a line.
    """
    rules = _read_rules(options["rules"])
    if options["required"] and WITHOUT_CODE not in rules:
        fix = f"Add the rule: --rules {','.join((*rules, WITHOUT_CODE))}"
        raise Trouble(f"--require needs the rule {WITHOUT_CODE}.", fix, code="usage")
    ignored = _read_baseline(options["baseline"]) if options["baseline"] else frozenset[str]()
    if not has_parser() and set(rules) != {WITHOUT_CODE}:
        fix = f"Install {PARSER} beside flagtui, or pass --rules {WITHOUT_CODE}."
        raise Trouble("without the parser no call is recognised; nothing was checked.", fix)
    opening = open_profile(place.profile, place.project)
    facts = _facts(opening, place, options)
    if facts is None:
        if options["output"] in DOCUMENTS:
            _print((), (), options["output"])
        return 0
    findings = _findings(opening, folder, facts, rules, options)
    new = [finding for finding in findings if finding.fingerprint not in ignored]
    _print(new, rules, options["output"])
    in_baseline = f"; {len(findings) - len(new):,} in the baseline" if ignored else ""
    progress(f"{count_words(new)}{in_baseline}.")
    return EXIT_CODES["findings"] if new else 0


def _findings(
    opening: Opening, folder: Path | None, facts: CodeFacts, rules: Sequence[RuleId], options: CheckOptions
) -> list[CodeFinding]:
    if set(rules) == {WITHOUT_CODE}:
        return find_findings((), facts, rules, options["required"])
    scan_place = ScanPlace([folder] if folder else [], changed_since=options["changed_since"])
    result = scan_code(opening, scan_place, facts)
    findings = find_findings(result.scan.references, facts, rules, options["required"])
    if not options["changed_since"]:
        return findings
    shown = {reference.place for reference in result.shown}
    return [each for each in findings if each.reference is None or each.reference.place in shown]


def _read_rules(words: Sequence[str]) -> list[RuleId]:
    """Return the rules. Raises Trouble."""
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    if not names:
        return [*DEFAULT_RULES]
    unknown = [name for name in names if name != "all" and name not in RULES]
    if unknown:
        raise Trouble(f"there is no rule {unknown[0]}.", f"Rules: {', '.join(RULES)}.", code="usage")
    return [rule for rule in RULES if rule in names or "all" in names]


def _facts(opening: Opening, place: WorkPlace, options: CheckOptions) -> CodeFacts | None:
    """Return the server's facts; None if it is unreachable, that is allowed, and no copy exists."""
    if options["offline"]:
        return load_facts(opening)
    try:
        return request_facts(opening, place)
    except Trouble as trouble:
        if not (options["offline_ok"] and trouble.retryable):
            raise
        warn(f"{trouble.what} --offline-ok continues without the server.")
    try:
        return load_facts(opening)
    except Trouble as trouble:
        warn(f"{trouble.what} Nothing was checked.")
        return None


def _read_baseline(path: Path) -> Collection[str]:
    """Return the fingerprints of an earlier report. Raises Trouble."""
    try:
        document = json.loads(read_file(path, LARGEST))
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.", _baseline_fix(), code="usage") from None
    except (ValueError, RecursionError):
        raise Trouble(f"{path} is no baseline: it is not JSON.", _baseline_fix(), code="usage") from None
    marks = _fingerprints_in(document)
    if marks is None or not all(isinstance(mark, str) for mark in marks):
        expected = "expected the output of flagtui check -o json, sarif or gitlab"
        raise Trouble(f"{path} is no baseline: {expected}.", _baseline_fix(), code="usage")
    return frozenset(as_text(mark) for mark in marks)


def _fingerprints_in(document: JSON) -> list[JSON] | None:
    """Return the fingerprints in a report, None for a missing one; None for any other document."""
    if isinstance(document, list):
        return [as_dict(each).get("fingerprint") for each in document]
    report = as_dict(document)
    if "runs" in report:
        runs = [run for run in map(as_dict, as_list(report["runs"])) if _tool_of(run) == TOOL]
        results = [as_dict(result) for run in runs for result in as_list(run.get("results"))]
        marks = [as_dict(result.get("partialFingerprints")).get(FINGERPRINT) for result in results]
        return marks if runs else None
    if report.get("schema") != CODE_FINDING.name:
        return None
    return [as_dict(each).get("fingerprint") for each in as_list(report.get("records"))]


def _tool_of(run: Mapping[str, JSON]) -> JSON:
    return as_dict(as_dict(run.get("tool")).get("driver")).get("name")


def _baseline_fix() -> str:
    return f"Write one with: {next_command('check', '-o', 'json')} > FILE"


def _print(findings: Sequence[CodeFinding], rules: Sequence[RuleId], output: str) -> None:
    match output:
        case "json":
            Printer("json").records(CODE_FINDING, findings)
        case "sarif":
            if len(findings) > RESULT_LIMIT:
                warn(f"SARIF holds {RESULT_LIMIT:,} results; {len(findings) - RESULT_LIMIT:,} were skipped.")
            print_json(sarif_document(findings))
        case "gitlab":
            print_json(gitlab_document(findings))
        case "junit":
            sys.stdout.write(junit_document(findings, rules))
        case "github":
            for line in github_lines(findings):
                print(safe_text(line, 2_000))
        case _:
            for finding in findings:
                place = f"{finding.reference.place}: " if finding.reference else ""
                print_line(f"{place}{finding.level} {finding.rule}: {finding.message}")

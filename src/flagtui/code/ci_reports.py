"""Findings as build servers and code hosts read them: GitHub, GitLab, JUnit and SARIF 2.1.0."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from flagtui import __version__
from flagtui.code.code_findings import RULES, CodeFinding, Level
from flagtui.code.path_patterns import SETTINGS_FILE
from flagtui.code.reference_records import Reference
from flagtui.models.code_uses import RuleId

ANNOTATION_LIMIT: Final = 10
"""Annotations of one step that GitHub shows."""
_GITHUB: Final[Mapping[Level, str]] = {"error": "error", "warning": "warning", "note": "notice"}
"""In the order of their gravity."""
_GITLAB: Final[Mapping[Level, str]] = {"error": "major", "warning": "minor", "note": "info"}


def count_words(findings: Iterable[CodeFinding]) -> str:
    """Return `3 findings: 2 errors, 1 note`."""
    levels = Counter(finding.level for finding in findings)
    total = levels.total()
    parts = ", ".join(_plural(levels[level], level) for level in _GITHUB if levels[level])
    return f"{_plural(total, 'finding')}{f': {parts}' if parts else ''}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def github_lines(findings: Sequence[CodeFinding]) -> Iterator[str]:
    """Yield a workflow command for each of the gravest findings, then a line with the number of all."""
    for finding in _by_level(findings)[:ANNOTATION_LIMIT]:
        properties: dict[str, str] = {"title": finding.rule}
        if (reference := finding.reference) is not None:
            properties |= {"file": reference.path, "line": str(reference.line), "col": str(reference.column)}
        listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
        yield f"::{_GITHUB[finding.level]} {listed}::{_escape(finding.message)}"
    hidden = len(findings) - ANNOTATION_LIMIT
    more = f"; {hidden:,} of them without an annotation" if hidden > 0 else ""
    yield f"{count_words(findings)}{more}."


def _by_level(findings: Iterable[CodeFinding]) -> list[CodeFinding]:
    return sorted(findings, key=lambda finding: [*_GITHUB].index(finding.level))


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def gitlab_document(findings: Sequence[CodeFinding]) -> list[dict[str, Any]]:
    """Return the report of code quality. A finding without a place is at the top folder."""
    return [
        {
            "description": finding.message,
            "check_name": finding.rule,
            "fingerprint": finding.fingerprint,
            "severity": _GITLAB[finding.level],
            "location": {
                "path": finding.reference.path if finding.reference else ".",
                "lines": {"begin": finding.reference.line if finding.reference else 1},
            },
        }
        for finding in findings
    ]


def junit_document(findings: Sequence[CodeFinding], rules: Iterable[RuleId]) -> str:
    """Return a test case for each finding, and one that passes for each rule without any."""
    broken = {finding.rule for finding in findings}
    passed = [rule for rule in rules if rule not in broken]
    count = len(findings) + len(passed)
    from xml.etree.ElementTree import Element, SubElement, tostring

    suites = Element("testsuites")
    facts = {"name": "flagtui check", "tests": str(count), "failures": str(len(findings))}
    suite = SubElement(suites, "testsuite", facts)
    for rule in passed:
        SubElement(suite, "testcase", {"classname": "flagtui", "name": f"{rule}: {RULES[rule].summary}"})
    for finding in findings:
        place = finding.reference.place if finding.reference else finding.key
        case = SubElement(suite, "testcase", {"classname": finding.rule, "name": _xml(place)})
        SubElement(case, "failure", {"type": finding.level, "message": _xml(finding.message)})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Replace what no document of XML 1.0 can hold."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


RESULT_LIMIT: Final = 25_000
"""Results of one run that code hosts accept."""
FINGERPRINT: Final = "flagtui/v1"
REPOSITORY: Final = Reference(SETTINGS_FILE, 1, 1, "generated", "")
"""Where a finding without a place is shown: code hosts reject results without a location."""
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"


def sarif_document(findings: Sequence[CodeFinding]) -> dict[str, Any]:
    """Return the document; of more findings than a run may have, the most serious ones."""
    ids = [*RULES]
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.summary},
            "defaultConfiguration": {"level": rule.level},
        }
        for rule in RULES.values()
    ]
    reported = _by_level(findings)[:RESULT_LIMIT]
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": ids.index(finding.rule),
            "level": finding.level,
            "message": {"text": finding.message},
            "partialFingerprints": {FINGERPRINT: finding.fingerprint},
            "locations": [_location(finding.reference or REPOSITORY)],
        }
        for finding in reported
    ]
    driver = {"name": "flagtui", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _location(reference: Reference) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(os.fsencode(reference.path)), "uriBaseId": _ROOT},
            "region": {"startLine": reference.line, "startColumn": reference.column},
        }
    }

"""Findings as SARIF 2.1.0, which code hosts and editors read."""

import os
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from flagtui import __version__
from flagtui.code.code_findings import RULES, CodeFinding
from flagtui.code.reference_records import Reference
from flagtui.code.repository_settings import FILE_NAME

RESULT_LIMIT: Final = 25_000
"""Results of one run that code hosts accept."""
FINGERPRINT: Final = "flagtui/v1"
REPOSITORY: Final = Reference(FILE_NAME, 1, 1, "generated", "")
"""Where a finding without a place is shown: code hosts reject results without a location."""
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_ORDER: Final = ("error", "warning", "note")


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
    reported = sorted(findings, key=lambda finding: _ORDER.index(finding.level))[:RESULT_LIMIT]
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

"""Reports for build servers: SARIF, annotations of GitHub, code quality of GitLab, JUnit."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fastjsonschema
import msgspec
import pytest

from flagtui.code.ci_reports import (
    RESULT_LIMIT,
    github_lines,
    gitlab_document,
    junit_document,
    sarif_document,
)
from flagtui.code.code_findings import DEFAULT_RULES, RULES, CodeFinding, find_findings
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.reference_records import Reference

HOSTILE = 'src/a b%,:é\n"<&.ts'
SCHEMA = Path(__file__).parent / "sarif-2.1.0-schema.json"
"""As OASIS published it (2.1.0-rtm.5), from the catalogue of JSON Schema Store."""


def findings(count: int = 1, path: str = "src/app.ts") -> list[CodeFinding]:
    references = [Reference(path, line + 1, 5, "call", "gone") for line in range(count)]
    return find_findings(references, CodeFacts({}, {}, 0.0), DEFAULT_RULES, ("kill",))


@pytest.fixture(scope="module")
def validate() -> Any:
    return fastjsonschema.compile(json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize("path", ["src/app.ts", HOSTILE])
def test_sarif_follows_the_published_schema(validate: Any, path: str) -> None:
    document = sarif_document(findings(3, path))
    validate(json.loads(json.dumps(document)))
    results = document["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["unknown-key"] * 3 + ["missing-required"]
    assert len({each["partialFingerprints"]["flagtui/v1"] for each in results}) == 4
    places = [each["locations"][0]["physicalLocation"] for each in results]
    assert places[-1]["artifactLocation"]["uri"] == ".flagtui.toml"


def test_published_schema_rejects_a_wrong_document(validate: Any) -> None:
    document = sarif_document(findings())
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate(document)


def test_sarif_is_limited_and_its_uris_relative(validate: Any) -> None:
    result = sarif_document(findings(1, HOSTILE))["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    expected = {"uri": "src/a%20b%25%2C%3A%C3%A9%0A%22%3C%26.ts", "uriBaseId": "%SRCROOT%"}
    assert place["artifactLocation"] == expected
    assert place["region"] == {"startLine": 1, "startColumn": 5}
    note = CodeFinding("off", "a", "off", Reference("a.ts", 1, 1, "call", "a"))
    error = CodeFinding("unknown-key", "b", "unknown", Reference("a.ts", 2, 1, "call", "b"))
    results = sarif_document([note] * RESULT_LIMIT + [error])["runs"][0]["results"]
    assert len(results) == RESULT_LIMIT
    assert results[0]["ruleId"] == "unknown-key"


def test_annotations_are_escaped_and_ten_at_most() -> None:
    lines = [*github_lines(findings(12, HOSTILE))]
    assert len(lines) == 11
    assert lines[0] == (
        '::error title=unknown-key,file=src/a b%25%2C%3Aé%0A"<&.ts,line=1,col=5'
        "::There is no flag gone, and none was deleted."
    )
    assert lines[-1] == "13 findings: 13 errors; 3 of them without an annotation."
    assert [*github_lines([])] == ["0 findings."]
    # An error after many notes has an annotation.
    notes = [msgspec.structs.replace(each, rule="dynamic-key") for each in findings(12)[:12]]
    assert next(github_lines([*notes, *findings()])).startswith("::error ")


def test_code_quality_has_a_place_and_a_fingerprint_for_each() -> None:
    report = gitlab_document(findings())
    assert [(each["check_name"], each["severity"], each["location"]) for each in report] == [
        ("unknown-key", "major", {"path": "src/app.ts", "lines": {"begin": 1}}),
        ("missing-required", "major", {"path": ".", "lines": {"begin": 1}}),
    ]
    assert len({each["fingerprint"] for each in report}) == 2


def test_junit_has_failures_passed_rules_and_valid_characters() -> None:
    suite = ElementTree.fromstring(junit_document(findings(2, HOSTILE), RULES))[0]
    assert (suite.get("tests"), suite.get("failures")) == (str(2 + 1 + len(RULES) - 2), "3")
    assert sum(case.find("failure") is not None for case in suite) == 3
    finding = CodeFinding("unknown-key", "a", "a\x00\x1b\ufffe", Reference("a\x0b.ts", 1, 1, "call", "a"))
    assert ElementTree.fromstring(junit_document([finding], DEFAULT_RULES))[0].get("failures") == "1"

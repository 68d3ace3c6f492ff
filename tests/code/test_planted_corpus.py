"""A corpus with known references in every language: recall, precision, comments, and each finding."""

from collections import Counter
from typing import Any

import pytest
from tests.code.language_samples import SAMPLES
from tests.code.planted_corpus import WRAPPERS, Corpus, Expected, Keys, plant

from flagtui.code.code_findings import RULES, find_findings
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.repository_settings import RepositorySettings
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import list_files
from flagtui.code.tree_scan import Scan, scan_tree
from flagtui.models.code_flags import CodeFlag
from flagtui.models.code_uses import USES
from flagtui.models.rows import EventDefinitionRow, FlagRow

STATES = ("healthy", "everyone", "variant", "no-one", "off", "archived", "stale", "deleted", "unknown")
KEYS = Keys(
    used=tuple(f"flag-{state}" for state in STATES),
    wrong_fallback="flag-fallback",
    events=("order placed", "missing event"),
    commented=tuple(f"commented-{number}" for number in range(20)),
)
UNKNOWN = "flag-unknown"
SHOWN = ("call", "wrapper", "test")
KNOWN = {*KEYS.used, KEYS.wrong_fallback, *KEYS.commented} - {UNKNOWN}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, Scan]:
    root = tmp_path_factory.mktemp("corpus")
    planted = plant(root, KEYS)
    tree = list_files(root, [root])
    return planted, scan_tree(tree, ScanRequest(KNOWN, RepositorySettings(wrappers=WRAPPERS)))


def test_planted_references_are_recognised(corpus: tuple[Corpus, Scan]) -> None:
    planted, scan = corpus
    # Only a call or a wrapper shows that a word without a record is a key.
    expected = Counter(each for each in planted.expected if each[3] != UNKNOWN or each[2] in SHOWN)
    references = Counter[Expected]((each.path, each.line, each.kind, each.key) for each in scan.references)
    # The declaration of a key without a record is none of them: the call that names it is.
    references.subtract(each for each in references if each[3] == UNKNOWN and each[2] == "constant")
    correct = (expected & references).total()
    assert correct / expected.total() >= 0.99
    assert correct / references.total() >= 0.95
    assert scan.problems == []


def test_comments_are_no_use_in_any_of_eight_languages(corpus: tuple[Corpus, Scan]) -> None:
    planted, scan = corpus
    uses = {(each.path, each.line) for each in scan.references if each.kind in USES}
    assert len(planted.comment_lines) > 500
    assert not uses & planted.comment_lines
    assert len(SAMPLES) >= 8


def test_each_finding_occurs_at_least_twenty_times(corpus: tuple[Corpus, Scan]) -> None:
    _, scan = corpus
    required = tuple(f"required-{number}" for number in range(20))
    counts = Counter(each.rule for each in find_findings(scan.references, facts(), RULES, required))
    assert {rule for rule in RULES if counts[rule] < 20} == set()


def test_findings_name_the_planted_states_and_no_other(corpus: tuple[Corpus, Scan]) -> None:
    planted, scan = corpus
    uses = {(path, line) for path, line, kind, key in planted.expected if kind in USES and key == UNKNOWN}
    unknown = [each.reference for each in find_findings(scan.references, facts(), ["unknown-key"])]
    places = {(each.path, each.line) for each in unknown if each}
    events = {(path, line) for path, line, _, key in planted.expected if key == "missing event"}
    declared = {(each.path, each.line) for each in scan.references if each.key == UNKNOWN}
    assert places == (uses & declared) | events


def facts() -> CodeFacts:
    """Return the records of the planted keys, each in the state that its name has."""
    rows: dict[str, dict[str, Any]] = {
        "flag-off": {"active": False},
        "flag-archived": {"archived": True},
        "flag-stale": {"status": "STALE"},
        "flag-deleted": {"deleted": True},
    }
    served: dict[str, bool | str] = {"flag-everyone": True, "flag-variant": "test", "flag-no-one": False}
    served[KEYS.wrong_fallback] = True
    keys = {*KNOWN, *(f"unused-{number}" for number in range(20))}
    flags = {
        key: CodeFlag(
            FlagRow(1, key, **{"active": True, **rows.get(key, {})}),
            served.get(key),
            "it keeps values across sign-in" if key == "flag-healthy" else "",
        )
        for key in keys
    }
    return CodeFacts(flags, {"order placed": EventDefinitionRow("1", "order placed")}, 0.0)

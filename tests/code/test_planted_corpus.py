"""A corpus with known references in every language: recall, precision, comments, and each finding."""

from collections import Counter

import pytest
from tests.code.language_samples import SAMPLES
from tests.code.planted_corpus import WRAPPERS, Corpus, Expected, Keys, plant

from flagtui.code.reference_records import USES
from flagtui.code.repository_settings import RepositorySettings
from flagtui.code.source_files import list_files
from flagtui.code.tree_scan import Scan, ScanRequest, scan_tree

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


def test_corpus_has_at_least_eight_languages() -> None:
    assert len(SAMPLES) >= 8


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


def test_comments_are_no_use(corpus: tuple[Corpus, Scan]) -> None:
    planted, scan = corpus
    uses = {(each.path, each.line) for each in scan.references if each.kind in USES}
    assert len(planted.comment_lines) > 500
    assert not uses & planted.comment_lines

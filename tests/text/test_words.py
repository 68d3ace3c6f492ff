"""Words that people read: the ones of `docs/words.md`, and none that were given up."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "flagtui"
GIVEN_UP: Final = {
    "still depends on": "depends on this flag and is on",
    "split as it was meant": "traffic split ok",
    "across sign-in": "same value after sign-in: no",
    "left out, unchanged": "skipped",
    "Leave flagtui": "Quit",
}
NEVER: Final = re.compile(
    r"failed to|unable to|error occurred|\bplease\b|\bsorry\b|successful"
    r"|\bn/a\b|whoever|an unknown|[a-z]!(?: |$)",
    re.IGNORECASE,
)
"""What no sentence says: excuses, exclamations, and what says less than the words of the page."""
SAID: Final = (
    "depends on this flag and is on",
    "skipped",
    "scheduled",
    "Quit",
    "Help",
    "Journal",
    "same value after sign-in",
    "traffic split ok",
)
ABOUT_A_PERSON: Final = {"text/cleanup_advice.py"}
"""Who asks, not another flag: `it still depends on who asks`."""


def texts(path: Path) -> Iterator[str]:
    """Every string of a module that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@pytest.fixture(scope="module")
def every_text() -> dict[str, str]:
    rooms = [SOURCE / room for room in ("app", "changes", "cli", "models", "text")]
    found = [path for room in rooms for path in sorted(room.rglob("*.py"))]
    return {str(path.relative_to(SOURCE)): "\n".join(texts(path)) for path in found}


@pytest.mark.parametrize("words", GIVEN_UP)
def test_words_that_were_given_up_are_nowhere(words: str, every_text: dict[str, str]) -> None:
    where = [path for path, text in every_text.items() if words in text and path not in ABOUT_A_PERSON]
    assert where == [], f"say: {GIVEN_UP[words]}"


def test_no_sentence_excuses_itself_or_exclaims(every_text: dict[str, str]) -> None:
    sentences = ((path, line) for path, text in every_text.items() for line in text.splitlines())
    found = {f"{path}: {line}" for path, line in sentences if " " in line.strip() and NEVER.search(line)}
    assert {line for line in found if "q!" not in line} == set()


@pytest.mark.parametrize("words", SAID)
def test_the_words_of_the_page_are_said(words: str, every_text: dict[str, str]) -> None:
    assert any(words in text for text in every_text.values())
    assert words in (ROOT / "docs" / "words.md").read_text(encoding="utf-8")


def test_no_sentence_shouts(every_text: dict[str, str]) -> None:
    shouting = re.compile(r"[a-z]{3}!(\s|$)")
    assert [path for path, text in every_text.items() if shouting.search(text)] == []

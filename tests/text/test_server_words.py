"""A server responds; only a question to the user has an answer."""

import re
from pathlib import Path
from typing import Final

from tests.doubles.word_counts import read_strings

import flagtui

SHOWN: Final = ("api", "app", "changes", "cli", "config", "details", "store", "text")
"""Packages whose sentences people read."""
ANSWER: Final = re.compile(r"\banswer(s|ed|ing)?\b")


def sentences(path: Path) -> list[str]:
    """Return the texts of a module with more than one word, other than docstrings."""
    return [text for text in read_strings(path) if " " in text]


def test_servers_respond_and_only_questions_have_answers() -> None:
    package = Path(flagtui.__file__).parent
    texts = [
        text
        for name in SHOWN
        for path in (package / name).rglob("*.py")
        for text in sentences(path)
        # Styles are no sentences.
        if "{" not in text
    ]
    assert len(texts) > 5_000
    assert [text for text in texts if ANSWER.search(text) and "question" not in text] == []


def test_sentence_about_the_answer_of_a_server_is_detected(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""A docstring: the answer."""\nWHY = "the server did not answer"\nNAME = "answer"\n')
    assert [text for text in sentences(module) if ANSWER.search(text)] == ["the server did not answer"]

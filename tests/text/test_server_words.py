"""A server responds; only a question to the user has an answer."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import flagtui

SHOWN: Final = ("api", "app", "changes", "cli", "config", "details", "store", "text")
"""Packages whose sentences people read."""
ANSWER: Final = re.compile(r"\banswer(s|ed|ing)?\b")


def sentences(source: str) -> Iterator[str]:
    """Yield the texts of a module with more than one word, other than docstrings."""
    tree = ast.parse(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in statements and " " in text:
            yield text


def test_servers_respond_and_only_questions_have_answers() -> None:
    package = Path(flagtui.__file__).parent
    texts = [
        text
        for name in SHOWN
        for path in (package / name).rglob("*.py")
        for text in sentences(path.read_text(encoding="utf-8"))
        # Styles are no sentences.
        if "{" not in text
    ]
    assert len(texts) > 5_000
    assert [text for text in texts if ANSWER.search(text) and "question" not in text] == []


def test_sentence_about_the_answer_of_a_server_is_detected() -> None:
    source = '"""A docstring: the answer."""\nWHY = "the server did not answer"\nNAME = "answer"\n'
    assert [text for text in sentences(source) if ANSWER.search(text)] == ["the server did not answer"]

"""Counts have thousands separators wherever they are shown; only a question to the user has an answer."""

import ast
import re
from pathlib import Path
from typing import Final

from tests.doubles.source_trees import find_nodes
from tests.doubles.word_counts import read_strings

import flagtui

SOURCE: Final = Path(flagtui.__file__).parent
SHOWN: Final = ("api", "app", "changes", "cli", "config", "details", "store", "text")
"""Packages whose sentences people read."""
FILES: Final = [path for name in SHOWN for path in (SOURCE / name).rglob("*.py")]
ANSWER: Final = re.compile(r"\banswer(s|ed|ing)?\b")


def is_count(value: ast.expr) -> bool:
    """Return whether an expression is the length of something, or so many more or fewer."""
    if isinstance(value, ast.BinOp):
        return is_count(value.left) or is_count(value.right)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len"


def test_every_count_has_thousands_separators() -> None:
    # The service repeats the texts of the product.
    without = [
        f"{path.name}:{value.lineno}: {ast.unparse(value.value)}"
        for path in SOURCE.rglob("*.py")
        for value in find_nodes(path, ast.FormattedValue)
        if value.format_spec is None and is_count(value.value) and "service" not in path.parts
    ]
    assert without == []


def sentences(path: Path) -> list[str]:
    """Return the texts of a module with more than one word, other than docstrings."""
    return [text for text in read_strings(path) if " " in text]


def test_servers_respond_and_only_questions_have_answers() -> None:
    # Styles are no sentences.
    texts = [text for path in FILES for text in sentences(path) if "{" not in text]
    assert len(texts) > 5_000
    assert [text for text in texts if ANSWER.search(text) and "question" not in text] == []


def test_sentence_about_the_answer_of_a_server_is_detected(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""A docstring: the answer."""\nWHY = "the server did not answer"\nNAME = "answer"\n')
    assert [text for text in sentences(module) if ANSWER.search(text)] == ["the server did not answer"]

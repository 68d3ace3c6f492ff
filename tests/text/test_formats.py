"""Numbers and times in few characters."""

import ast
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.source_trees import find_nodes

from flagtui.text.formats import count, countdown, moment, percent

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"


def test_moments_and_counts_have_words() -> None:
    assert moment(None) == "not known"
    assert moment(0) == "1970-01-01 00:00 UTC"
    assert count(1, "flag") == "1 flag"
    assert count(1_248, "flag") == "1,248 flags"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0 %"),
        (100, "100 %"),
        (0.5, "0.5 %"),
        (0.001, "<0.01 %"),
        (99.999, ">99.99 %"),
        (33.333, "33.33 %"),
    ],
)
def test_percent_never_rounds_to_0_or_100(share: float, words: str) -> None:
    assert percent(share) == words


def test_counts_in_texts_have_separators() -> None:
    # The service repeats the texts of the product.
    plain = [
        f"{path.name}:{value.lineno}: {ast.unparse(value.value)}"
        for path in SOURCE.rglob("*.py")
        for value in find_nodes(path, ast.FormattedValue)
        if value.format_spec is None and is_count(value.value) and "service" not in path.parts
    ]
    assert plain == []


def is_count(value: ast.expr) -> bool:
    """Return whether an expression is the length of something, or so many more or fewer."""
    if isinstance(value, ast.BinOp):
        return is_count(value.left) or is_count(value.right)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "1 s"), (7.5, "8 s"), (20, "20 s"), (33, "40 s"), (120, "120 s"), (150, "3 min")],
)
def test_countdown_rounds_up(seconds: float, words: str) -> None:
    assert countdown(seconds) == words

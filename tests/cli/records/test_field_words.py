"""Values in the cells of a table."""

from typing import Any

import pytest

from flagtui.cli.records.field_words import commas, on_or_off, percent_words


@pytest.mark.parametrize(
    ("words", "value", "cell"),
    [
        (percent_words, 50, "50 %"),
        (percent_words, 33.3, "33.3 %"),
        (percent_words, None, ""),
        (on_or_off, True, "on"),
        (on_or_off, False, "off"),
        (on_or_off, None, ""),
        (commas, ["a", "b"], "a, b"),
        (commas, None, ""),
    ],
)
def test_cell_has_the_value_and_is_empty_without_one(words: Any, value: Any, cell: str) -> None:
    assert words(value) == cell

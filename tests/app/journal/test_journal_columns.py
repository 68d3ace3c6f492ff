"""The columns of the journal: keys are whole as long as there is room for anything."""

import pytest

from flagtui.app.journal.journal_screen import JOURNAL_COLUMNS
from flagtui.app.widgets.column_layout import lay_out

LONG_KEY = "checkout-redesign-v2"
LONG_CHANGE = "undo: change targeting"


def widths(width: int) -> dict[str, int]:
    """Return the widths of the columns by name, in a list of this width."""
    return {placed.column.name: placed.width for placed in lay_out(JOURNAL_COLUMNS, width)}


@pytest.mark.parametrize("width", [40, 48, 58, 78, 130])
def test_key_is_the_last_column_to_shrink(width: int) -> None:
    assert widths(width)["key"] >= len(LONG_KEY)


def test_change_is_shortened_only_below_eighty_cells() -> None:
    assert len("undo: turn off") <= widths(54)["verb"]
    assert widths(58)["verb"] < len(LONG_CHANGE)
    assert "place" not in widths(58)
    assert "ending" in widths(58)
    assert widths(76)["verb"] >= len(LONG_CHANGE)
    assert "place" in widths(76)

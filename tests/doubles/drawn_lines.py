"""Which lines of a list are drawn, as they are drawn."""

from typing import Any

import pytest
from textual.strip import Strip

from flagtui.app.widgets.row_list import RowList


def watch_drawing(rows: RowList[Any], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every line drawn from now on, the header's is 0."""
    drawn: list[int] = []
    draw = rows.render_line

    def draw_and_tell(y: int) -> Strip:
        drawn.append(y)
        return draw(y)

    monkeypatch.setattr(rows, "render_line", draw_and_tell)
    return drawn

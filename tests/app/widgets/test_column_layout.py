import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.column_layout import lay_out

EVERY = ("state", "key", "rollout", "type", "runtime", "tags", "updated")


def names(width: int) -> tuple[str, ...]:
    return tuple(placed.column.name for placed in lay_out(FLAG_COLUMNS, width))


@pytest.mark.parametrize(
    ("screen", "expected"),
    [
        (110, EVERY),
        (80, EVERY),
        (79, EVERY),
        (60, ("state", "key", "rollout", "type", "updated")),
        (40, ("state", "key", "rollout")),
    ],
)
def test_a_narrower_screen_drops_the_columns_that_matter_least(
    screen: int, expected: tuple[str, ...]
) -> None:
    edges_and_mark_bar = 3
    assert names(screen - edges_and_mark_bar) == expected


@given(st.integers(0, 400))
def test_columns_use_exactly_the_available_width(width: int) -> None:
    placed = lay_out(FLAG_COLUMNS, width)
    taken = sum(p.width + p.column.gap for p in placed)
    assert taken <= width or placed[0].width == 0
    assert width < 40 or all(p.width >= p.column.width for p in placed)
    assert not 40 <= width <= 150 or taken == width


def test_hidden_column_gives_its_cells_to_the_others() -> None:
    chosen = [column for column in FLAG_COLUMNS if column.name != "tags"]
    assert sum(p.width + p.column.gap for p in lay_out(chosen, 90)) == 90

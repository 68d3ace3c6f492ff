"""The bar of a share."""

import pytest

from flagtui.text.share_bar import share_bar


@pytest.mark.parametrize(
    ("share", "bar"),
    [
        (0, "──────"),
        (0.0001, "━─────"),
        (0.5, "━━━───"),
        (0.9999, "━━━━━─"),
        (1, "━━━━━━"),
        (1.2, "━━━━━━"),
        (-1, "──────"),
    ],
)
def test_bar_is_readable_without_colours(share: float, bar: str) -> None:
    assert "".join(text for text, _ in share_bar(share, 6, "$success")) == bar

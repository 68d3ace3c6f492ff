import pytest

from flagtui.app.flags.flag_preview_lines import variant_bar
from flagtui.models.filters import Variant


@pytest.mark.parametrize(
    ("shares", "drawn"),
    [
        ((50, 50), "━━━━ ━━━━━"),
        ((30, 30, 40), "━━ ━━ ━━━━"),
        ((100, 0), "━━━━━━━━━━"),
        ((0, 100), "━━━━━━━━━━"),
        ((90, 10), "━━━━━━━━ ━"),
        ((10, 90), "━━━━━━━━━━"),
        ((0, 0), ""),
    ],
)
def test_variants_are_told_apart_without_colours(shares: tuple[float, ...], drawn: str) -> None:
    variants = tuple(Variant(f"v{place}", "", share) for place, share in enumerate(shares))
    pieces = list(variant_bar(variants, 10))
    assert "".join(text for text, _ in pieces) == drawn
    assert len({style for text, style in pieces if text}) == sum(share > 0 for share in shares)
